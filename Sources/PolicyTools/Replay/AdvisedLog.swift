package import DecisionLog
internal import Glibc

/// Reads a log for its advice alone: most records need no more than a look for a word.
package struct AdvisedLog: ~Copyable {
  private var reader = LogRecordReader()
  package private(set) var tally: AdvisedTally
  private let filter: LogFilter
  private var progress = Progress("records")

  package init(_ filter: LogFilter) {
    var filter = filter
    filter.isAdvised = true
    self.filter = filter
    tally = AdvisedTally(filter)
  }

  /// Counts the records of a file and gives those with advice that the filter lets through; returns how many lines are
  /// no records.
  package mutating func read(
    _ path: String, beforeWaiting: () throws(CommandFailure) -> Void,
    _ show: (LogRecord, Span<UInt8>) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> Int {
    var unreadable = 0
    try LogFiles.forEachLine(of: path, beforeWaiting: beforeWaiting) { line throws(CommandFailure) in
      progress.advance()
      guard Self.mayCount(line) else { return }
      guard let record = reader.read(line) else {
        if !line.isEmpty { unreadable += 1 }
        return
      }
      tally.note(record)
      if filter.matches(record) { try show(record, line) }
    }
    progress.finish()
    return unreadable
  }

  /// False for a line that begins like a record of ours and has none of the words that matter.
  private static func mayCount(_ line: Span<UInt8>) -> Bool {
    line.withUnsafeBytes { line in
      guard begins(line[...], with: start) else { return true }
      var rest = line[...]
      while let quote = quote(in: rest) {
        rest = rest.dropFirst(quote + 1)
        if words.contains(where: { begins(rest, with: $0) }) { return true }
      }
      return false
    }
  }

  /// Distance to the next quote.
  private static func quote(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let base = bytes.baseAddress, let found = memchr(base, 0x22, bytes.count) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private static func begins(_ bytes: Slice<UnsafeRawBufferPointer>, with word: StaticString) -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let base = bytes.baseAddress, bytes.count >= word.utf8CodeUnitCount else { return false }
    return memcmp(base, word.utf8Start, word.utf8CodeUnitCount) == 0
  }

  private static let start: StaticString = #"{"v":1,"seq":"#
  /// Behind a quote: members, notes, and types of records.
  private static let words: [StaticString] = [#"advised""#, #"afterAdvised""#, #"repeats""#, #"failure""#]
}
