internal import DecisionLog
internal import Glibc

/// Reads a log for its advice alone: most records need no more than a look for a word.
struct AdvisedLog: ~Copyable {
  private var reader = LogRecordReader()
  private(set) var tally: AdvisedTally
  private let filter: LogFilter
  private var progress = Progress("records")

  init(_ filter: LogFilter) {
    var filter = filter
    filter.isAdvised = true
    self.filter = filter
    tally = AdvisedTally(filter)
  }

  /// Counts the records of a file and gives those with advice that the filter lets through; returns how many lines are
  /// no records.
  mutating func read(
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
      guard begins(line) else { return true }
      return words.contains { word in
        memmem(line.baseAddress, line.count, word.utf8Start, word.utf8CodeUnitCount) != nil
      }
    }
  }

  private static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let base = line.baseAddress, line.count >= start.utf8CodeUnitCount else { return false }
    return memcmp(base, start.utf8Start, start.utf8CodeUnitCount) == 0
  }

  private static let start: StaticString = #"{"v":1,"seq":"#
  /// `advised` and `afterAdvised`; types of records.
  private static let words: [StaticString] = ["dvised", #""repeats""#, #""failure""#]
}
