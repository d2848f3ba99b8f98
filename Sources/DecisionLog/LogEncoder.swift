package import Bytes
package import GuardModel
internal import JSONText

/// Writes records, all but the link of the chain: the half of the log's work that the event loop does.
///
/// It hands out the sequence numbers, so the order of encoding is the order of the log. Records are appended to the
/// caller's bytes, each with a newline; a `LogBatch` leaves room for their links.
///
///     var encoder = LogEncoder(continuing: head, pseudonyms: pseudonyms)
///     encoder.encode(entry, of: event, as: report, into: &queue)
///     // queue: {"v":1,"seq":8,"time":"2026-11-21T02:39:29.000Z","type":"decision",…
///
/// Nothing is allocated once the bytes have room, except the name of an account that was not seen before. A record that
/// was encoded must be written: a number that is missing is damage to every reader.
package struct LogEncoder: Sendable {
  /// Version of the record format, the member `v`.
  package static let version = 1

  package var redaction: RedactionSettings
  package var accounts: AccountNaming
  /// The number that the next record gets.
  package private(set) var nextSeq: UInt64
  /// When the newest record was made, in milliseconds since 1970; 0 before the first.
  package private(set) var latest: UInt64 = 0

  /// The same with its digits. Its number is stored twice, since a getter of it would copy the encoder.
  private var seq: DecimalCounter
  private var pseudonyms: AccountPseudonyms
  private var room = RecordBuffer()
  private var scratch = GrowingBytes()
  /// The time of the newest record, and its member: under load many records have the same.
  private var newestTime: UInt64?
  private var newestTimeMember: [UInt8] = []
  /// The URL of the newest decision as its record has it; empty when that has none.
  package private(set) var judgedURL = GrowingBytes()

  /// An encoder that goes on behind `head`, as the chain does.
  package init(
    continuing head: LogHead, pseudonyms: AccountPseudonyms, redaction: RedactionSettings = RedactionSettings(),
    accounts: AccountNaming = .pseudonym
  ) {
    nextSeq = head.seq + 1
    seq = DecimalCounter(nextSeq)
    self.pseudonyms = pseudonyms
    self.redaction = redaction
    self.accounts = accounts
  }

  /// Appends one record: its first four members, and what `members` adds.
  mutating func append(
    _ type: RecordType, at time: UInt64, into bytes: inout [UInt8],
    _ members: (inout RecordWriter, inout LogEncoder) -> Void
  ) {
    var record = begin(type, at: time)
    members(&record, &self)
    end(record, into: &bytes)
  }

  /// Begins a record with its first four members.
  mutating func begin(_ type: RecordType, at time: UInt64) -> RecordWriter {
    if !isKnownUniquelyReferenced(&room) { room = RecordBuffer() }
    var record = RecordWriter(room.take())
    record.members(RecordTexts.version)
    record.number("seq", seq)
    renew(time)
    record.members(newestTimeMember)
    record.members(RecordTexts.type(type))
    seq.increment()
    nextSeq = seq.number
    latest = time
    return record
  }

  private mutating func renew(_ time: UInt64) {
    guard time != newestTime else { return }
    defer { newestTime = time }
    if let newestTime, newestTime / 1000 == time / 1000, time <= RFC3339.latest {
      // Only the three digits before `Z"` differ.
      let digits = newestTimeMember.count - 5
      newestTimeMember[digits] = UInt8(ascii: "0") + UInt8(time % 1000 / 100)
      newestTimeMember[digits + 1] = UInt8(ascii: "0") + UInt8(time % 100 / 10)
      newestTimeMember[digits + 2] = UInt8(ascii: "0") + UInt8(time % 10)
      return
    }
    newestTimeMember.removeAll(keepingCapacity: true)
    newestTimeMember.append(contentsOf: #""time":""#.utf8)
    RFC3339.append(time, to: &newestTimeMember)
    newestTimeMember.append(UInt8(ascii: "\""))
  }

  /// Appends a record that was begun.
  mutating func end(_ record: consuming RecordWriter, into bytes: inout [UInt8]) {
    let written = record.finish()
    written.copy(to: &bytes)
    room.put(consume written)
  }

  mutating func writeTime(_ name: StaticString, _ time: UInt64, _ record: inout RecordWriter) {
    record.text(name, RFC3339.text(time))
  }

  mutating func writeURL(_ names: URLMemberNames, _ url: LoggedURL, _ record: inout RecordWriter) {
    record.url(names, url, redaction, &scratch)
  }

  /// As `writeURL`, and keeps the written bytes.
  mutating func writeJudgedURL(_ url: LoggedURL, _ record: inout RecordWriter) {
    judgedURL.removeAll()
    record.url(.url, url, redaction, &judgedURL)
  }

  /// An account in the form that the settings demand. The empty text, which stands for no account, stays.
  mutating func writeAccount(_ name: StaticString, _ account: String?, _ record: inout RecordWriter) {
    guard let account else { return }
    record.text(name, loggedName(of: account))
  }

  /// The name of an account as records have it.
  package mutating func loggedName(of account: String) -> String {
    accounts == .plain || account.isEmpty ? account : pseudonyms.name(of: account)
  }

  /// The pseudonym of an account, under any settings for records.
  package mutating func pseudonym(of account: String) -> String { pseudonyms.name(of: account) }

  /// The app, the viewer's class, the instance and the process.
  func writeAsker(_ entry: DecisionEntry, _ viewerClass: String?, _ record: inout RecordWriter) {
    record.text("app", entry.app)
    record.text("class", viewerClass)
    record.text("instance", entry.instance)
    writePeer(entry.peer, &record)
  }

  func writePeer(_ peer: LoggedPeer?, _ record: inout RecordWriter) {
    guard let peer else { return }
    record.number("uid", UInt64(peer.uid))
    record.number("pid", Int(peer.pid))
  }
}

/// The room that records are written in, one after the other. An encoder that is a copy of another gets its own.
private final class RecordBuffer: @unchecked Sendable {
  private var writer: JSONWriter? = JSONWriter()

  /// INVARIANT: only an encoder that holds the sole reference calls this and `put`, so no two threads do.
  func take() -> JSONWriter { writer.take() ?? JSONWriter() }

  func put(_ writer: consuming JSONWriter) { self.writer = consume writer }
}

extension LogEncoder {
  /// Appends the record of a change of state; `isRecovered` when it was found at start without one.
  package mutating func encode(
    _ change: StateChange, at time: UInt64, isRecovered: Bool = false, into bytes: inout [UInt8]
  ) {
    append(isRecovered ? .recovered : .state, at: time, into: &bytes) { record, encoder in
      encoder.write(change, &record)
    }
  }

  /// Appends the record of a change that was refused.
  package mutating func encode(_ refusal: RefusedChange, at time: UInt64, into bytes: inout [UInt8]) {
    append(.refused, at: time, into: &bytes) { record, encoder in
      encoder.write(refusal.change, &record)
      record.text("reason", refusal.reason.rawValue)
      encoder.writeAccount("stated", refusal.stated, &record)
      encoder.writeAccount("shown", refusal.shown, &record)
      if let count = refusal.count { record.number("count", count) }
    }
  }

  private mutating func write(_ change: StateChange, _ record: inout RecordWriter) {
    record.text("change", change.kind.rawValue)
    record.text("app", change.app)
    record.text("instance", change.instance)
    writePeer(change.peer, &record)
    record.text("viewer", change.viewer)
    record.text("class", change.viewerClass)
    record.text("kind", change.viewerKind?.rawValue)
    record.text("parent", change.parent)
    record.text("window", change.window)
    record.text("opener", change.opener)
    writeURL(.document, change.document, &record)
    record.text("policy", change.policy?.name)
    record.text("ruleSet", change.ruleSet)
    record.text("identityLevel", change.identityLevel?.rawValue)
    writeAccount("account", change.account, &record)
    writeAccounts(change.accounts, &record)
    if !change.features.isEmpty { record.texts("features", change.features) }
    record.text("request", change.request)
    record.text("result", change.result?.rawValue)
  }

  private mutating func writeAccounts(_ names: [String], _ record: inout RecordWriter) {
    guard !names.isEmpty else { return }
    record.texts("accounts", names.map { loggedName(of: $0) })
  }
}

/// Text from a log, safe for display: characters that steer a terminal, or that change the reading order of the text,
/// are escaped; text with a space is quoted, so that it cannot pass for two columns.
///
///     visible("a\u{202E}b")    // a\u{202E}b, nine characters in place of one
///     visible("a b")           // "a b"
package func visible(_ text: String) -> String {
  var shown = ""
  var needsQuotes = text.isEmpty
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\\": shown += "\\\\"
    case "\"":
      shown += "\\\""
      needsQuotes = true
    default:
      if scalar.isInvisible {
        shown += scalar.visibleNumber
      } else {
        shown.unicodeScalars.append(scalar)
        if scalar.properties.isWhitespace { needsQuotes = true }
      }
    }
  }
  return needsQuotes ? "\"" + shown + "\"" : shown
}

/// The app's statements about an event, under the names of the wire. Parts that the app left out are missing, and then
/// have the wire's strictest meaning.
extension LogEncoder {
  mutating func writeFacts(of event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    writeNavigation(event, &record)
    writeClipFacts(event, &record)
    writeTransfer(event, entry, &record)
    writePath(of: event, &record)
  }

  private func writeNavigation(_ event: Event, _ record: inout RecordWriter) {
    record.members(RecordTexts.navigation(of: event))
    record.slot("method", event.method, of: event)
  }

  private func writeClipFacts(_ event: Event, _ record: inout RecordWriter) {
    if event.selection != .unknown { record.text("selection", event.selection.name) }
    record.flag("cut", event.isCut)
    record.number("length", event.length)
    if let formats = event.formats {
      record.list("formats", event.bytes(formats))
    } else if !event.offersPlainText {
      record.texts("formats", [])
    }
    record.truth("selfOwned", event.selfOwned)
    switch event.clip {
    case .none: break
    case .id(let clip): record.text("clip", clip.text)
    case .unreadable: record.word("clip", "unreadable")
    }
    record.text("proposal", event.proposal?.text)
    record.slot("display", event.display, of: event)
    if event.inspection != .none { record.text("inspection", event.inspection.name) }
    if event.surface != .content { record.text("surface", event.surface.name) }
  }

  private mutating func writeTransfer(_ event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    writeAccount("owner", entry.owner ?? event.string(event.owner), &record)
    if event.hasFileOwner { writeFileOwner(event, entry, &record) }
    if event.location != .other { record.text("location", event.location.name) }
    writeAccount("locationAccount", entry.locationAccount ?? event.string(event.locationAccount), &record)
    record.flag("inPlace", event.isInPlace)
    record.flag("chooser", event.isChooser)
    record.slot("peer", event.peer, of: event)
    writeAccount("peerAccount", entry.peerAccount ?? event.string(event.peerAccount), &record)
    if event.channel != .unknown { record.text("channel", event.channel.name) }
    if event.capture != .unknown { record.text("capture", event.capture.name) }
  }

  /// The owner by the file's label, or by the table; one that nobody can name stands in a note. The origin is a URL of
  /// somebody's past and stays out.
  private mutating func writeFileOwner(_ event: Event, _ entry: DecisionEntry, _ record: inout RecordWriter) {
    record.flag("fileFacts", true)
    writeAccount("fileOwner", entry.fileOwner ?? event.string(event.namedFileOwner), &record)
  }

  /// A path names people, customers and a document's subject. Only its trustworthiness decides, so that is written in
  /// its place, and the record can be judged again.
  private func writePath(of event: Event, _ record: inout RecordWriter) {
    guard let path = event.path else { return }
    record.word("pathForm", FilePath.isPlain(event.bytes(path)) ? "plain" : "unreadable")
    if redaction.filePath == .keep { record.text("path", event.bytes(path)) }
  }
}
