package import GuardModel
package import JSONText

/// The reply to every event: `(decision: Decision)`.
///
/// Members that say nothing are left out, so most replies are short. The log has more, such as the owner of the clip;
/// that is not the asking app's business and stays out.
package struct DecisionReply: Reply, Sendable, Hashable {
  package var report: DecisionReport
  package var envelope: DecisionEnvelope

  package init(_ report: DecisionReport, _ envelope: DecisionEnvelope) {
    self.report = report
    self.envelope = envelope
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("decision")
    writeObject(to: &writer)
  }

  /// The decision alone, as an element of a list.
  func writeObject(to writer: inout JSONWriter) {
    writer.beginObject()
    writeOutcome(to: &writer)
    writeWho(to: &writer)
    writeRule(to: &writer)
    writeOffer(to: &writer)
    writeDuties(to: &writer)
    writeAdvice(to: &writer)
    writer.member("generation", report.generation.number)
    writer.member("digest", report.generation.digest)
    writer.member("mode", (report.advice == nil ? DecisionMode.enforced : .monitored).rawValue)
    writer.member("repeat", ifTrue: envelope.isRepeated)
    writer.endObject()
  }

  private func writeOutcome(to writer: inout JSONWriter) {
    writer.member("id", quoting: envelope.id.number)
    writer.member("outcome", report.outcome.name)
    writer.member("reason", report.reason.rawValue)
  }

  private func writeWho(to writer: inout JSONWriter) {
    writer.member("viewerIsUnknown", ifTrue: report.flags[.viewerIsUnknown])
    writer.member("policy", ifPresent: report.policy?.name)
    writer.member("policySource", ifPresent: report.policySource?.rawValue)
    writer.member("identity", ifPresent: report.identity)
    writer.member("identityLevel", report.identityLevel.rawValue)
    writer.member("protection", ifPresent: report.protection)
  }

  private func writeRule(to writer: inout JSONWriter) {
    writer.member("verdict", ifPresent: report.verdict?.name)
    writer.member("ruleSet", ifPresent: report.ruleSet)
    writer.member("rule", ifPresent: report.rule)
    writer.member("ruleLocation", ifPresent: report.ruleLocation)
    writer.member("exception", ifPresent: report.exception?.id)
  }

  private func writeOffer(to writer: inout JSONWriter) {
    writer.member("message", ifPresent: report.message)
    if let open = report.open {
      writer.key("open")
      writer.value(open)
    }
    writer.member("offered", ifPresent: report.offered?.name)
    writer.member("bodyDropped", ifTrue: report.flags[.bodyDropped])
    writer.member("clip", ifPresent: report.clip)
    writer.member("proposal", ifPresent: report.proposal)
    writer.member("limit", ifPresent: report.limit)
    writer.member("onlyPlainText", ifTrue: report.flags[.onlyPlainText])
    writer.member("mimeWrap", ifTrue: report.flags[.mimeWrap])
    writer.member("replacement", ifPresent: report.replacement)
  }

  private func writeDuties(to writer: inout JSONWriter) {
    if let programs = report.programs { writer.member("programs", programs) }
    writer.member("blurPreview", ifTrue: report.flags[.blurPreview])
    writer.member("setOwner", ifPresent: report.setOwner)
    writer.member("mustEncrypt", ifTrue: report.flags[.mustEncrypt])
    writer.member("tagAs", ifPresent: report.tagAs)
    writer.member("switchTo", ifPresent: report.switchTo)
    writer.member("request", ifPresent: report.switchRequest)
    writer.member("location", ifPresent: report.location?.name)
    guard !report.notes.isEmpty else { return }
    writer.key("notes")
    writer.beginArray()
    for (name, note) in DecisionNotes.names where report.notes.contains(note) { writer.value(name) }
    writer.endArray()
  }

  private func writeAdvice(to writer: inout JSONWriter) {
    guard let advice = report.advice else { return }
    writer.key("advice")
    writer.beginObject()
    writer.member("outcome", advice.outcome.name)
    writer.member("reason", advice.reason.rawValue)
    writer.member("cause", advice.cause.rawValue)
    writer.member("ruleSet", ifPresent: advice.ruleSet)
    writer.member("rule", ifPresent: advice.rule)
    writer.member("ruleLocation", ifPresent: advice.ruleLocation)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ offer: OpenOffer) {
    beginObject()
    member("target", offer.target)
    member("desktopId", ifPresent: offer.desktopID)
    if let argv = offer.argv { member("argv", argv) }
    member("url", offer.url)
    if !offer.fallback.isEmpty {
      key("fallback")
      beginArray()
      for other in offer.fallback { value(other) }
      endArray()
    }
    endObject()
  }
}
