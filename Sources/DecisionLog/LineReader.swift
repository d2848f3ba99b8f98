internal import GuardModel
internal import JSONText

/// Reads one line of a log as far as the chain needs it.
struct LineReader: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)

  /// The facts about the chain in the line, given without its newline.
  mutating func read(_ line: Span<UInt8>) -> ReadLine {
    do {
      let root = try parser.parse(line)
      guard root["v"]?.uint == UInt64(LogEncoder.version), let seq = root["seq"]?.uint, (1..<UInt64.max).contains(seq),
        let time = root["time"]?.string.flatMap(RFC3339.milliseconds), let type = root["type"]?.string,
        let prev = root["prev"]?.string, let hash = LineHash(hex: prev), Self.endsWithLink(line)
      else { return .damaged(.malformed) }
      let claim = Self.claim(of: root, type)
      let link = RecordLink(seq: seq, time: time, prev: hash, hash: LineHash(of: line), claim: claim)
      return .record(link)
    } catch {
      return .damaged(.notJSON)
    }
  }

  private static func claim(of root: JSONValue, _ type: String) -> RecordLink.Claim {
    switch RecordType(rawValue: type) {
    case .sealed:
      guard let count = root["bytes"]?.uint, let hash = hash(root["sha256"]?.string) else { return .nothing }
      return .sealed(TornBytes(count: count, hash: hash))
    case .pruned:
      guard let seq = root["lastSeq"]?.uint, let hash = hash(root["lastHash"]?.string) else { return .nothing }
      return .pruned(through: LogHead(seq: seq, hash: hash))
    case .lost:
      guard let seq = root["expectedSeq"]?.uint else { return .nothing }
      return .lost(through: seq, isSameBoot: root["sameBoot"]?.bool ?? true)
    default:
      return .nothing
    }
  }

  private static func hash(_ hex: String?) -> LineHash? { hex.flatMap { LineHash(hex: $0) } }

  /// The hash stands last and in one spelling, so that a line has one reading.
  private static func endsWithLink(_ line: Span<UInt8>) -> Bool {
    let start = line.count - ChainLink.count
    guard start > 0 else { return false }
    for (offset, byte) in ChainLink.opening.utf8.enumerated() where line[start + offset] != byte { return false }
    let end = line.count - ChainLink.closing.utf8.count
    for (offset, byte) in ChainLink.closing.utf8.enumerated() where line[end + offset] != byte { return false }
    return true
  }
}

/// A line of the log: a record, or why it is none.
enum ReadLine: Sendable, Hashable {
  case record(RecordLink)
  case damaged(LogDamage)
}

/// One record as a link of the chain.
struct RecordLink: Sendable, Hashable {
  let seq: UInt64
  /// Milliseconds since 1970.
  let time: UInt64
  /// The hash of the line before it, by its own word.
  let prev: LineHash
  /// The hash of its own line.
  let hash: LineHash
  let claim: Claim

  var head: LogHead { LogHead(seq: seq, hash: hash) }

  /// A record's statement about other lines.
  enum Claim: Sendable, Hashable {
    case nothing
    case sealed(TornBytes)
    case pruned(through: LogHead)
    /// Records up to that one had been written before, and were gone.
    case lost(through: UInt64, isSameBoot: Bool)
  }
}

/// The chain through a log: each record ends with the hash of the line before it.
///
/// The event loop encodes everything of a record but that hash (`LogEncoder`), so that no decision waits for SHA-256.
/// The log writer owns the chain and completes the records, in the order of their numbers.
///
///     var chain = Chain(continuing: .start)
///     chain.seal(encoded.span, into: &file)      // {"v":1,"seq":1,…,"prev":"0000…"} and a newline, for each record
///     chain.head.text                            // what to attest
package struct Chain: Sendable {
  /// The newest record sealed.
  package private(set) var head: LogHead

  /// A chain that goes on behind `head`: the one that `LogTail` found, or `.start`.
  package init(continuing head: LogHead) { self.head = head }

  /// Completes unsealed records, each ended by a newline, and appends them.
  ///
  /// Any number of records at once; a last one without its newline is completed too. A failed write has to be repeated
  /// from the same bytes: the chain has moved on.
  package mutating func seal(_ unsealed: Span<UInt8>, into sealed: inout [UInt8]) {
    var start = 0
    while start < unsealed.count {
      let end = endOfLine(in: unsealed, from: start)
      sealRecord(unsealed.extracting(start..<end), into: &sealed)
      start = end + 1
    }
  }

  /// Bytes that sealing adds to each record.
  package static let addedBytes = ChainLink.count

  private mutating func sealRecord(_ record: Span<UInt8>, into sealed: inout [UInt8]) {
    let start = sealed.count
    record.withUnsafeBufferPointer { sealed.append(contentsOf: $0) }
    sealed.append(contentsOf: ChainLink.opening.utf8)
    head.hash.appendHex(to: &sealed)
    sealed.append(contentsOf: ChainLink.closing.utf8)
    head = LogHead(seq: head.seq + 1, hash: LineHash(of: sealed.span.extracting(start..<sealed.count)))
    sealed.append(UInt8(ascii: "\n"))
  }
}

/// Index of the newline, or of the end. Eight bytes at a time, after "Bit Twiddling Hacks", "Determine if a word has a
/// byte equal to n".
private func endOfLine(in text: Span<UInt8>, from start: Int) -> Int {
  var index = start
  let words = text.bytes
  while index + 8 <= text.count {
    let word = UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    let other = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let marks = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
    if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
  return index
}

/// The end of every line: `,"prev":"…"}`.
enum ChainLink {
  static let opening = #","prev":""#
  static let closing = #""}"#
  /// Bytes of a whole link.
  static let count = opening.utf8.count + LineHash.hexCount + closing.utf8.count
}
