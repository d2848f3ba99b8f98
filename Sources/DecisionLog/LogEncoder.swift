package import GuardModel
import JSONText

/// Writes records, all but the link of the chain: the half of the log's work that the event loop does.
///
/// It hands out the sequence numbers, so the order of encoding is the order of the log. Records are appended to the
/// caller's bytes, each with a newline, ready for `Chain.seal`; any number of them may lie there one behind the other.
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

  private var pseudonyms: AccountPseudonyms
  private var room = RecordRoom()
  private var scratch: [UInt8] = []
  /// The time of the newest record, and its text: under load many records have the same.
  private var newestTime: UInt64?
  private var newestTimeText: [UInt8] = []
  /// The URL of the newest decision as its record has it; empty when that has none.
  package private(set) var judgedURL: [UInt8] = []

  /// An encoder that goes on behind `head`, as the chain does.
  package init(
    continuing head: LogHead, pseudonyms: AccountPseudonyms, redaction: RedactionSettings = RedactionSettings(),
    accounts: AccountNaming = .pseudonym
  ) {
    nextSeq = head.seq + 1
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
    if !isKnownUniquelyReferenced(&room) { room = RecordRoom() }
    var record = RecordWriter(room.take())
    record.number("v", Self.version)
    record.number("seq", nextSeq)
    if time != newestTime {
      newestTime = time
      newestTimeText.removeAll(keepingCapacity: true)
      RFC3339.append(time, to: &newestTimeText)
    }
    record.text("time", newestTimeText.span)
    record.text("type", type.rawValue)
    nextSeq += 1
    latest = time
    return record
  }

  /// Appends a record that was begun.
  mutating func end(_ record: consuming RecordWriter, into bytes: inout [UInt8]) {
    let written = record.finish()
    written.copy(to: &bytes)
    room.put(consume written)
  }

  mutating func writeTime(_ name: StaticString, _ time: UInt64, _ record: inout RecordWriter) {
    scratch.removeAll(keepingCapacity: true)
    RFC3339.append(time, to: &scratch)
    record.text(name, scratch.span)
  }

  mutating func writeURL(_ names: URLMemberNames, _ url: LoggedURL, _ record: inout RecordWriter) {
    record.url(names, url, redaction, &scratch)
  }

  /// As `writeURL`, and keeps what was written.
  mutating func writeJudgedURL(_ url: LoggedURL, _ record: inout RecordWriter) {
    judgedURL.removeAll(keepingCapacity: true)
    record.url(.url, url, redaction, &judgedURL)
  }

  /// An account as the settings say. Nobody, the empty text, is no name and stays.
  mutating func writeAccount(_ name: StaticString, _ account: String?, _ record: inout RecordWriter) {
    guard let account else { return }
    record.text(name, loggedName(of: account))
  }

  /// The name of an account as records have it.
  package mutating func loggedName(of account: String) -> String {
    accounts == .plain || account.isEmpty ? account : pseudonyms.name(of: account)
  }

  /// The pseudonym of an account, whatever the settings say of records.
  package mutating func pseudonym(of account: String) -> String { pseudonyms.name(of: account) }

  func writePeer(_ peer: Peer?, _ record: inout RecordWriter) {
    guard let peer else { return }
    record.number("uid", UInt64(peer.uid))
    record.number("pid", Int(peer.pid))
  }
}

/// The room that records are written in, one after the other. An encoder that is a copy of another gets its own.
private final class RecordRoom: @unchecked Sendable {
  private var writer: JSONWriter? = JSONWriter()

  /// INVARIANT: only an encoder that holds the sole reference calls this and `put`, so no two threads do.
  func take() -> JSONWriter { writer.take() ?? JSONWriter() }

  func put(_ writer: consuming JSONWriter) { self.writer = consume writer }
}
