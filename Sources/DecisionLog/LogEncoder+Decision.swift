package import GuardModel
internal import JSONText

extension LogEncoder {
  /// Appends the record of one decision, at the event's time.
  package mutating func encode(
    _ entry: DecisionEntry, of event: Event, as report: DecisionReport, into bytes: inout [UInt8]
  ) {
    var record = beginDecision(entry, event)
    writeAsker(entry, report.viewerClass, &record)
    writeEvent(event, entry, &record)
    writeReport(report, &record)
    writeCircumstances(entry, &record)
    end(record, into: &bytes)
  }

  /// The same record, with the members for the answer as they were written before.
  package mutating func encode(
    _ entry: DecisionEntry, of event: Event, as written: WrittenAnswer, into bytes: inout [UInt8]
  ) {
    var record = beginDecision(entry, event)
    if written.peer == entry.peer {
      record.members(written.asker)
    } else {
      writeAsker(entry, written.viewerClass, &record)
    }
    writeEvent(event, entry, &record)
    record.members(written.members)
    writeCircumstances(entry, &record)
    end(record, into: &bytes)
  }

  private mutating func beginDecision(_ entry: DecisionEntry, _ event: Event) -> RecordWriter {
    var record = begin(.decision, at: event.time)
    if let number = entry.number { record.digits("id", number) } else { record.text("id", entry.id) }
    record.members(RecordTexts.event(event.kind))
    return record
  }

  private mutating func writeEvent(_ event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    record.slot("viewer", event.viewer, of: event)
    record.slot("action", event.action, of: event)
    writeFacts(of: event, entry, &record)
    writeJudgedURL(entry.url, &record)
    writeURL(.from, entry.from, &record)
  }

  /// The record's members for an answer that events of one instance get, to be copied into the records of all of them;
  /// nil when a text had to be shortened, which a record must say itself.
  package mutating func written(_ report: DecisionReport, for entry: DecisionEntry) -> WrittenAnswer? {
    var asker = RecordWriter()
    writeAsker(entry, report.viewerClass, &asker)
    var record = RecordWriter()
    writeReport(report, &record)
    guard !asker.isShortened, !record.isShortened else { return nil }
    return WrittenAnswer(
      asker: asker.written(), peer: entry.peer, viewerClass: report.viewerClass, members: record.written())
  }

  private mutating func writeReport(_ report: DecisionReport, _ record: inout RecordWriter) {
    for named in DecisionField.inRecords { write(named, of: report, &record) }
  }

  private mutating func write(_ named: NamedField, of report: DecisionReport, _ record: inout RecordWriter) {
    let name = named.name
    switch named.field.value(in: report) {
    case .text(let text): record.text(name, text)
    case .account(let account): writeAccount(name, account, &record)
    case .digest(let digest): if !digest.isEmpty { record.text(name, digest) }
    case .flag(let truth): record.flag(name, truth)
    case .number(let number): if let number { record.number(name, number) }
    case .texts(let texts): if let texts { record.texts(name, texts) }
    case .notes(let notes): record.notes(name, notes)
    case .offer: record.text(name, report.open?.target)
    case .advice: record.advice(name, report.advice)
    }
  }

  private func writeCircumstances(_ entry: DecisionEntry, _ record: inout RecordWriter) {
    if let duration = entry.durationMicroseconds { record.number("durationMicros", duration) }
    if entry.repeats > 0 { record.number("repeats", entry.repeats) }
    record.members(RecordTexts.replayable(record.replayable))
  }

  func writeGeneration(_ generation: Generation, _ record: inout RecordWriter) {
    record.number("generation", generation.number)
    if !generation.digest.isEmpty { record.text("digest", generation.digest) }
  }
}

/// A record's members for an answer, as in the line: the same for every event of an instance that gets the same answer.
///
///     let written = encoder.written(report, for: entry)                   // once
///     encoder.encode(entry, of: event, as: written, into: &queue)         // for each event
package struct WrittenAnswer: Sendable {
  /// The asker: `"app":"com.contoso.portal","class":"documents",…`. For records of this process alone.
  let asker: [UInt8]
  let peer: LoggedPeer?
  let viewerClass: String?
  /// Whole members with commas between them: `"outcome":"allow",…,"digest":"…"`.
  let members: [UInt8]
}

/// Members and lists that consist of a few words of the source: written once, and copied into records.
enum RecordTexts {
  /// `"v":1`
  static let version = members { $0.number("v", LogEncoder.version) }

  /// `"type":"decision"`
  static func type(_ type: RecordType) -> [UInt8] {
    type == .decision ? decision : members { $0.text("type", type.rawValue) }
  }

  /// `"event":"navigate"`
  static func event(_ kind: EventKind) -> [UInt8] { events[Int(kind.rawValue)] }

  /// `"replayable":"full"`
  static func replayable(_ degree: Replayability) -> [UInt8] { degrees[degree.rank] }

  /// `["query","fragment"]`
  static func list(_ parts: URLParts) -> [UInt8] { lists[Int(parts.rawValue) & 31] }

  /// `"frame":"main","hop":false`; empty when the app said none of it.
  static func navigation(of event: Event) -> [UInt8] { navigations[number(of: event)] }

  private static let decision = members { $0.text("type", RecordType.decision.rawValue) }
  private static let events = EventKind.allCases.map { kind in members { $0.text("event", kind.name) } }
  private static let degrees = Replayability.allCases.map { degree in
    members { $0.text("replayable", degree.rawValue) }
  }
  private static let navigations = (0..<256).map { number in members { writeNavigation(numbered(number), &$0) } }

  private static let lists = (0..<32).map { parts in
    var json = JSONWriter()
    json.beginArray()
    for entry in URLParts.words where URLParts(rawValue: UInt8(parts)).contains(entry.part) { json.value(entry.word) }
    json.endArray()
    return json.bytes
  }

  private static func members(_ write: (inout RecordWriter) -> Void) -> [UInt8] {
    var record = RecordWriter()
    write(&record)
    return record.written()
  }

  private static func writeNavigation(_ event: Event, _ record: inout RecordWriter) {
    if event.frame != .unknown { record.text("frame", event.frame.name) }
    record.truth("hop", event.hop)
    if event.gesture != .unknown { record.word("gesture", event.gesture == .yes ? "yes" : "no") }
    record.flag("sameDocument", event.isSameDocument)
    record.flag("newWindow", event.opensWindow)
  }

  private static func number(of event: Event) -> Int {
    Int(event.frame.rawValue) << 6 | Int(event.hop.rawValue) << 4 | Int(event.gesture.rawValue) << 2
      | (event.isSameDocument ? 2 : 0) | (event.opensWindow ? 1 : 0)
  }

  private static func numbered(_ number: Int) -> Event {
    var event = Event(.navigate)
    event.frame = Frame(rawValue: UInt8(number >> 6)) ?? .unknown
    event.hop = Ternary(rawValue: UInt8(number >> 4 & 3)) ?? .unknown
    event.gesture = Ternary(rawValue: UInt8(number >> 2 & 3)) ?? .unknown
    event.isSameDocument = number & 2 != 0
    event.opensWindow = number & 1 != 0
    return event
  }
}
