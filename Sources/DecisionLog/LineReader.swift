internal import Bytes
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
/// The log writer owns the chain and completes the records, in the order of their numbers and in place.
///
///     var chain = Chain(continuing: .start)
///     chain.seal(&batch, through: batch.bytes.count)    // {"v":1,"seq":1,…,"prev":"0000…"} and a newline, for each record
///     chain.head.text                                   // what to attest
package struct Chain: Sendable {
  /// The newest record sealed.
  package private(set) var head: LogHead

  /// A chain that goes on behind `head`: the one that `LogTail` found, or `.start`.
  package init(continuing head: LogHead) { self.head = head }

  /// Fills in the links of the records that end at `end` or before and are not sealed. A failed write has to be repeated
  /// from the same bytes: the chain has moved on.
  package mutating func seal(_ batch: inout LogBatch, through end: Int) {
    while batch.sealedBytes < end {
      head = LogHead(seq: head.seq + 1, hash: batch.sealNext(behind: head.hash))
    }
  }
}

/// Encoded records on their way to the log, one behind the other: each a whole line with room for its link, which the log
/// writer fills in. The event loop knows their lengths, so that the writer does not look for their ends.
///
///     var batch = LogBatch()
///     batch.add { encoder.encode(entry, of: event, as: report, into: &$0) }
package struct LogBatch: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var lengths: [Int] = []
  /// The sealed records lie first.
  package private(set) var sealedBytes = 0
  private var sealedRecords = 0

  package init() {}

  package var isEmpty: Bool { bytes.isEmpty }

  /// Adds the record that `encode` appends, which ends with a newline; returns its length.
  @discardableResult
  package mutating func add(_ encode: (inout [UInt8]) -> Void) -> Int {
    let start = bytes.count
    encode(&bytes)
    bytes.removeLast()
    bytes.append(copying: ChainLink.room.span)
    lengths.append(bytes.count - start)
    return bytes.count - start
  }

  /// Adds the records of another, of which none is sealed.
  package mutating func append(_ other: LogBatch) {
    bytes += other.bytes
    lengths += other.lengths
  }

  /// Forgets all records, and keeps the room.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    (sealedBytes, sealedRecords) = (0, 0)
  }

  /// Links the next record to the one with this hash; returns its own.
  fileprivate mutating func sealNext(behind prev: LineHash) -> LineHash {
    let start = sealedBytes
    sealedBytes += lengths[sealedRecords]
    sealedRecords += 1
    let place = sealedBytes - ChainLink.hexFromEnd
    bytes.withUnsafeMutableBytes { prev.writeHex(to: $0, at: place) }
    return LineHash(of: bytes.span.extracting(start..<sealedBytes - 1))
  }
}

/// The end of every line: `,"prev":"…"}`.
enum ChainLink {
  static let opening = #","prev":""#
  static let closing = #""}"#
  /// Bytes of a whole link.
  static let count = opening.utf8.count + LineHash.hexCount + closing.utf8.count
  /// A link to fill in, and the newline.
  static let room = Array((opening + LineHash.zero.hex + closing + "\n").utf8)
  /// Bytes from the digits on.
  static let hexFromEnd = LineHash.hexCount + closing.utf8.count + 1
}
