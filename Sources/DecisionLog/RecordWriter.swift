import Bytes
import GuardModel
import JSONText

/// Writes the members of one record; values that are absent are left out.
///
/// Text from outside is cut after `maximumTextBytes`, and the record then says `shortened`. URLs are cut after
/// `maximumURLBytes`. Every record is therefore far below `LogLimits.recordBytes`, for any text of a peer.
struct RecordWriter: ~Copyable {
  /// The longest text of one member that is written whole, in bytes. Names are shorter.
  static let maximumTextBytes = 1024

  /// The longest URL that is written whole, in bytes after redaction.
  static let maximumURLBytes = 2048

  private var json: JSONWriter
  private(set) var isShortened = false
  private(set) var replayable = Replayability.full

  /// A record in the room of a writer, whose content is dropped.
  init(_ writer: consuming JSONWriter = JSONWriter()) {
    json = writer
    json.reset()
    json.beginObject()
  }

  /// The record, with a newline in place of the chain's link and the last brace.
  consuming func finish() -> JSONWriter {
    if isShortened { json.member("shortened", true) }
    json.endDocument(UInt8(ascii: "\n"))
    return json
  }

  /// The members so far, with commas between them: to be copied into other records.
  consuming func written() -> [UInt8] { Array(finish().bytes.dropFirst().dropLast()) }

  mutating func number(_ name: StaticString, _ value: UInt64) { json.member(name, value) }

  mutating func number(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    json.member(name, value)
  }

  /// A fact that is written only if it holds.
  mutating func flag(_ name: StaticString, _ value: Bool) {
    guard value else { return }
    json.member(name, true)
  }

  mutating func number(_ name: StaticString, _ counter: DecimalCounter) { json.member(name, counter) }

  /// A number as text, for readers that would round it.
  mutating func digits(_ name: StaticString, _ counter: DecimalCounter) { json.member(name, quoting: counter) }

  /// Members that were written before.
  mutating func members(_ written: [UInt8]) {
    if !written.isEmpty { json.raw(written.span) }
  }

  mutating func truth(_ name: StaticString, _ value: Bool) { json.member(name, value) }

  mutating func truth(_ name: StaticString, _ value: Ternary) {
    if case .unknown = value { return }
    json.member(name, value == .yes)
  }

  mutating func word(_ name: StaticString, _ value: StaticString) { json.member(name, value) }

  mutating func text(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    text(name, value.utf8.span)
  }

  mutating func text(_ name: StaticString, _ value: Span<UInt8>) {
    json.member(name, shortened(value))
  }

  /// A text of an event, when the app gave one.
  mutating func slot(_ name: StaticString, _ slot: TextSlot?, of event: Event) {
    guard let slot else { return }
    text(name, event.bytes(slot))
  }

  mutating func texts(_ name: StaticString, _ values: [String]) {
    json.key(name)
    json.beginArray()
    for value in values { json.value(shortened(value.utf8.span)) }
    json.endArray()
  }

  /// The parts of a comma-separated text as an array.
  mutating func list(_ name: StaticString, _ value: Span<UInt8>) {
    let kept = shortened(value)
    json.key(name)
    json.beginArray()
    var start = 0
    for index in 0...kept.count where index == kept.count || kept[index] == UInt8(ascii: ",") {
      if index > start { json.value(kept.extracting(start..<index)) }
      start = index + 1
    }
    json.endArray()
  }

  /// The bytes of a file that each user fills; with very many users, those that fill the most.
  mutating func users(_ users: [UInt32: Int]) {
    let largest = users.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(ClosedFile.maximumUsers)
    json.key("users")
    json.beginArray()
    for (uid, bytes) in largest.sorted(by: { $0.key < $1.key }) {
      json.beginObject()
      json.member("uid", UInt64(uid))
      json.member("bytes", bytes)
      json.endObject()
    }
    json.endArray()
  }

  /// The unknown or ignored parts, in the words of the wire.
  mutating func notes(_ name: StaticString, _ notes: DecisionNotes) {
    guard !notes.isEmpty else { return }
    json.key(name)
    json.beginArray()
    for entry in DecisionNotes.names where notes.contains(entry.note) { json.value(entry.name.utf8.span) }
    json.endArray()
  }

  /// The enforced answer of a policy that only monitors.
  mutating func advice(_ name: StaticString, _ advice: AdviceReport?) {
    guard let advice else { return }
    word("mode", "monitored")
    json.key(name)
    json.beginObject()
    text("outcome", advice.outcome.name)
    text("reason", advice.reason.rawValue)
    text("cause", advice.cause.rawValue)
    text("ruleSet", advice.ruleSet)
    text("rule", advice.rule)
    text("ruleLocation", advice.ruleLocation)
    json.endObject()
  }

  /// The same for decisions that are only counted.
  mutating func advice(of outcome: Outcome?) {
    guard let outcome else { return }
    word("mode", "monitored")
    json.key("advised")
    json.beginObject()
    text("outcome", outcome.name)
    json.endObject()
  }

  /// A URL after redaction, with the effects of redaction.
  mutating func url(
    _ names: URLMemberNames, _ url: LoggedURL, _ settings: RedactionSettings, _ scratch: inout GrowingBytes
  ) {
    switch url {
    case .absent:
      return
    case .invalid(let byteCount):
      json.member(names.invalid, true)
      json.member(names.bytes, byteCount)
      replayable = .no
    case .withheld:
      redacted(names.redacted, .whole)
      replayable = .no
    case .valid(let url):
      scratch.removeAll()
      let result = settings.append(url, to: &scratch)
      replayable = min(replayable, result.replayable)
      if !result.dropped.contains(.whole) { written(names, url, &scratch) }
      redacted(names.redacted, result.dropped)
    }
  }

  /// Writes the redacted text: the beginning of a long URL, and for the rest its length and hash. A page chooses how
  /// long its URLs are, and must not fill its user's share of the log with them.
  private mutating func written(_ names: URLMemberNames, _ url: URLText, _ text: inout GrowingBytes) {
    if text.count > Self.maximumURLBytes {
      let whole = (count: text.count, hash: LineHash(of: text.span))
      text.truncate(to: Self.wholeEscapes(of: text.span, upTo: Self.maximumURLBytes))
      json.member(names.bytes, whole.count)
      json.member(names.hash, whole.hash.hex.utf8.span)
      replayable = min(replayable, text.count > url.path.lowerBound ? .host : .no)
    }
    json.member(names.url, text.span)
  }

  /// The end of a text of at most that many bytes, so that no `%` stands without its two digits.
  private static func wholeEscapes(of text: Span<UInt8>, upTo maximum: Int) -> Int {
    ((maximum - 2)..<maximum).first { text[$0] == UInt8(ascii: "%") } ?? maximum
  }

  private mutating func redacted(_ name: StaticString, _ dropped: URLParts) {
    guard !dropped.isEmpty else { return }
    json.key(name)
    json.raw(RecordTexts.list(dropped).span)
  }

  /// The text up to the limit, cut between two scalars.
  @_lifetime(copy text)
  private mutating func shortened(_ text: Span<UInt8>) -> Span<UInt8> {
    guard text.count > Self.maximumTextBytes else { return text }
    isShortened = true
    replayable = .no
    var end = Self.maximumTextBytes
    while end > Self.maximumTextBytes - 4, text[end] & 0xC0 == 0x80 { end -= 1 }
    return text.extracting(0..<end)
  }
}

/// The names under which one URL of a record is written.
struct URLMemberNames {
  let url: StaticString
  let redacted: StaticString
  let invalid: StaticString
  /// The length of a URL that is invalid or longer than the written part.
  let bytes: StaticString
  /// The SHA-256 of a URL that is longer than the written part, after redaction.
  let hash: StaticString

  static let url = URLMemberNames(
    url: "url", redacted: "redacted", invalid: "urlInvalid", bytes: "urlBytes", hash: "urlSHA256")
  static let from = URLMemberNames(
    url: "from", redacted: "fromRedacted", invalid: "fromInvalid", bytes: "fromBytes", hash: "fromSHA256")
  static let document = URLMemberNames(
    url: "document", redacted: "documentRedacted", invalid: "documentInvalid", bytes: "documentBytes",
    hash: "documentSHA256")
}
