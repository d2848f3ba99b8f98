package import GuardModel
internal import JSONText

extension LogEncoder {
  /// Appends the record of one decision, at the event's time. With `written` the answer's members are copied from it.
  package mutating func encode(
    _ entry: DecisionEntry, of event: Event, as report: DecisionReport, _ written: WrittenAnswer? = nil,
    into bytes: inout [UInt8]
  ) {
    var record = begin(.decision, at: event.time)
    if let number = entry.number { record.digits("id", number) } else { record.text("id", entry.id) }
    record.text("event", event.kind.name)
    writeAsker(entry, event, report, &record)
    writeFacts(of: event, entry, &record)
    writeJudgedURL(entry.url, &record)
    writeURL(.from, entry.from, &record)
    if let written { record.members(written.members) } else { writeReport(report, &record) }
    writeCircumstances(entry, &record)
    end(record, into: &bytes)
  }

  /// The record's members for an answer, to be copied into the records of all events that get it; nil when a text had
  /// to be shortened, which a record must say itself.
  package mutating func written(_ report: DecisionReport) -> WrittenAnswer? {
    var record = RecordWriter(JSONWriter())
    writeReport(report, &record)
    guard !record.isShortened else { return nil }
    return WrittenAnswer(members: Array(record.finish().bytes.dropFirst().dropLast()))
  }

  private mutating func writeReport(_ report: DecisionReport, _ record: inout RecordWriter) {
    writeAnswer(report, &record)
    writeResolution(report, &record)
    writeRule(report, &record)
    writeClip(report, &record)
    writeDuties(report, &record)
    writeGeneration(report.generation, &record)
  }

  private func writeAsker(
    _ entry: DecisionEntry, _ event: Event, _ report: DecisionReport, _ record: inout RecordWriter
  ) {
    record.text("app", entry.app)
    record.text("class", report.viewerClass)
    record.text("instance", entry.instance)
    writePeer(entry.peer, &record)
    record.slot("viewer", event.viewer, of: event)
    record.slot("action", event.action, of: event)
  }

  private func writeAnswer(_ report: DecisionReport, _ record: inout RecordWriter) {
    record.text("outcome", report.outcome.name)
    record.text("reason", report.reason.rawValue)
    record.advice(report.advice)
    record.flag("viewerIsUnknown", report.viewerIsUnknown)
    record.text("judgedLocation", report.location?.name)
    record.notes(report.notes)
  }

  private mutating func writeResolution(_ report: DecisionReport, _ record: inout RecordWriter) {
    record.text("policy", report.policy?.name)
    record.text("policySource", report.policySource?.rawValue)
    record.text("identityLevel", report.identityLevel.rawValue)
    writeAccount("account", report.identity, &record)
    record.text("protection", report.protection)
    record.text("source", report.protectionSource?.rawValue)
  }

  private func writeRule(_ report: DecisionReport, _ record: inout RecordWriter) {
    record.text("verdict", report.verdict?.name)
    record.text("ruleSet", report.ruleSet)
    record.text("rule", report.rule)
    record.text("ruleLocation", report.ruleLocation)
    record.text("exception", report.exception?.id)
    record.text("target", report.open?.target)
    record.text("offered", report.offered?.name)
    record.flag("bodyDropped", report.bodyDropped)
  }

  private mutating func writeClip(_ report: DecisionReport, _ record: inout RecordWriter) {
    record.text("newClip", report.clip)
    record.text("newProposal", report.proposal)
    writeAccount("clipOwner", report.clipOwner, &record)
    record.number("limit", report.limit)
    record.flag("onlyPlainText", report.onlyPlainText)
    record.flag("mimeWrap", report.mimeWrap)
  }

  /// The app's duties beside the outcome.
  private mutating func writeDuties(_ report: DecisionReport, _ record: inout RecordWriter) {
    writeAccount("setOwner", report.setOwner, &record)
    record.flag("mustEncrypt", report.mustEncrypt)
    writeAccount("tagAs", report.tagAs, &record)
    writeAccount("switchTo", report.switchTo, &record)
    record.text("switchRequest", report.switchRequest)
  }

  private func writeCircumstances(_ entry: DecisionEntry, _ record: inout RecordWriter) {
    if let duration = entry.durationMicroseconds { record.number("durationMicros", duration) }
    if entry.repeats > 0 { record.number("repeats", entry.repeats) }
    record.text("replayable", record.replayable.rawValue)
  }

  func writeGeneration(_ generation: Generation, _ record: inout RecordWriter) {
    record.number("generation", generation.number)
    if !generation.digest.isEmpty { record.text("digest", generation.digest) }
  }
}

/// A record's members for an answer, as in the line: the same for every event that gets the same answer.
///
///     let written = encoder.written(report)                               // once
///     encoder.encode(entry, of: event, as: report, written, into: &queue) // for each event
package struct WrittenAnswer: Sendable {
  /// Whole members with commas between them: `"outcome":"allow",…,"digest":"…"`.
  let members: [UInt8]
}
