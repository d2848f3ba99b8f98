internal import GuardModel

import JSONText

/// Reads one line of a log as far as the chain needs it.
struct LineReader: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)

  /// What the line, given without its newline, says about the chain.
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
  /// What it says the line before it hashes to.
  let prev: LineHash
  /// What its own line hashes to.
  let hash: LineHash
  let claim: Claim

  var head: LogHead { LogHead(seq: seq, hash: hash) }

  /// What a record says about other lines.
  enum Claim: Sendable, Hashable {
    case nothing
    case sealed(TornBytes)
    case pruned(through: LogHead)
    /// Records up to that one had been written before, and were gone.
    case lost(through: UInt64, isSameBoot: Bool)
  }
}
