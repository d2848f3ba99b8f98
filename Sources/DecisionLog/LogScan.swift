internal import GuardModel

import JSONText

/// Reads a whole file of the log to make a `ClosedFile` that no record holds: for the growing file, and for one that a
/// crash left without its last record.
///
///     var scan = LogScan()
///     scan.read(chunk)                  // again and again
///     scan.finish().users               // [1000: 52_311]
package struct LogScan: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)
  private var partial: [UInt8] = []
  private var file = ClosedFile()

  package init() {}

  /// The next bytes of the file.
  package mutating func read(_ chunk: Span<UInt8>) {
    var start = 0
    while start < chunk.count {
      var end = start
      while end < chunk.count, chunk[end] != UInt8(ascii: "\n") { end += 1 }
      let piece = chunk.extracting(start..<end)
      if end == chunk.count || !partial.isEmpty { keep(piece) }
      if end < chunk.count {
        if partial.isEmpty { take(piece) } else { takePartial() }
      }
      start = end + 1
    }
  }

  /// The result, once all was read.
  package mutating func finish() -> ClosedFile {
    if !partial.isEmpty { takePartial() }
    return file
  }

  /// A line longer than any record is none, and is not kept.
  private mutating func keep(_ piece: Span<UInt8>) {
    guard partial.count <= LogLimits.recordBytes else { return }
    piece.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
  }

  private mutating func takePartial() {
    var line: [UInt8] = []
    swap(&line, &partial)
    take(line.span)
  }

  private mutating func take(_ line: Span<UInt8>) {
    guard let facts = Self.facts(of: line, &parser) else { return }
    if file.firstSeq == 0 { (file.firstSeq, file.firstTime) = (facts.seq, facts.time) }
    if let uid = facts.uid { file.users[uid, default: 0] += line.count + 1 }
  }

  private static func facts(
    of line: Span<UInt8>, _ parser: inout JSONParser
  ) -> (seq: UInt64, time: UInt64, uid: UInt32?)? {
    guard let root = try? parser.parse(line), let seq = root["seq"]?.uint else { return nil }
    let time = root["time"]?.string.flatMap(RFC3339.milliseconds) ?? 0
    return (seq, time, root["uid"]?.uint.map { UInt32(clamping: $0) })
  }
}
