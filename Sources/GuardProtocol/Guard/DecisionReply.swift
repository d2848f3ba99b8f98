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
    writer.member("id", quoting: envelope.id.number)
    for named in DecisionField.inReplies { writer.member(named, of: report) }
    writer.member("repeat", ifTrue: envelope.isRepeated)
    writer.endObject()
  }
}

extension JSONWriter {
  /// A field, which is left out when it says nothing.
  fileprivate mutating func member(_ named: NamedField, of report: DecisionReport) {
    let name = named.name
    switch named.field.value(in: report) {
    case .text(let text), .account(let text): member(name, ifPresent: text)
    case .digest(let digest): member(name, digest)
    case .flag(let truth): member(name, ifTrue: truth)
    case .number(let number): member(name, ifPresent: number)
    case .texts(let texts): if let texts { member(name, texts) }
    case .notes(let notes): member(name, notes)
    case .offer:
      guard let offer = report.open else { return }
      key(name)
      value(offer)
    case .advice: if let advice = report.advice { member(name, advice) }
    }
  }

  private mutating func member(_ name: StaticString, _ notes: DecisionNotes) {
    guard !notes.isEmpty else { return }
    key(name)
    beginArray()
    for (word, note) in DecisionNotes.names where notes.contains(note) { value(word) }
    endArray()
  }

  private mutating func member(_ name: StaticString, _ advice: AdviceReport) {
    key(name)
    beginObject()
    member("outcome", advice.outcome.name)
    member("reason", advice.reason.rawValue)
    member("cause", advice.cause.rawValue)
    member("ruleSet", ifPresent: advice.ruleSet)
    member("rule", ifPresent: advice.rule)
    member("ruleLocation", ifPresent: advice.ruleLocation)
    endObject()
  }

  private mutating func value(_ offer: OpenOffer) {
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
