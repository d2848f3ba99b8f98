import Foundation

import GuardService
import Logging
import TestSupport
import Testing

/// The operational log, written by a thread of its own: one line a message, in order, whoever reads.
@Suite struct QueuedJournalTests {
  /// Both ends of a pipe.
  private final class Pipe {
    let reader: Int32
    let writer: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      (reader, writer) = (ends[0], ends[1])
    }

    deinit {
      close(reader)
      close(writer)
    }

    private var rest: [UInt8] = []

    /// Reads until at least this many lines have come.
    func lines(_ count: Int) -> [String] {
      var lines: [String] = []
      while lines.count < count {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let read = read(reader, &buffer, buffer.count)
        guard read > 0 else { break }
        rest += buffer.prefix(read)
        guard let end = rest.lastIndex(of: 0x0A) else { continue }
        lines += String(decoding: rest[...end], as: UTF8.self).split(separator: "\n").map(String.init)
        rest.removeSubrange(...end)
      }
      return lines
    }
  }

  private static func logger(_ pipe: Pipe) -> Logger {
    Logger(label: "test") { _ in QueuedLogHandler(descriptor: pipe.writer) }
  }

  @Test func messagesComeInOrder() {
    let pipe = Pipe()
    let logger = Self.logger(pipe)
    for number in 0..<500 { logger.notice("message \(number)") }
    #expect(pipe.lines(500) == (0..<500).map { "notice: message \($0)" })
  }

  /// Facts stand behind the message, by their names; one of the call wins over one of the logger.
  @Test func factsAreSorted() {
    let pipe = Pipe()
    var logger = Self.logger(pipe)
    logger[metadataKey: "uid"] = "1"
    logger[metadataKey: "app"] = "x"
    logger.error("fault", metadata: ["zone": "z", "uid": "2", "pid": "7"])
    #expect(pipe.lines(1) == ["error: fault app=x pid=7 uid=2 zone=z"])
    #expect(logger[metadataKey: "uid"] == "1")
  }

  @Test(
    arguments: [
      (Logger.Level.notice, ["notice", "warning", "error", "critical"]),
      (.error, ["error", "critical"]),
      (.debug, ["debug", "info", "notice", "warning", "error", "critical"]),
    ])
  func quieterLevelsAreNotWritten(_ level: Logger.Level, _ written: [String]) {
    let pipe = Pipe()
    var logger = Self.logger(pipe)
    logger.logLevel = level
    for level in Logger.Level.allCases { logger.log(level: level, "x") }
    #expect(pipe.lines(written.count) == written.map { "\($0): x" })
  }

  /// The journal names nobody, whatever a message or a fact holds.
  @Test func accountsAndQueriesAreMasked() {
    let pipe = Pipe()
    Self.logger(pipe).warning(
      "anna@contoso.com came", metadata: ["url": "https://x.example/a?token=1"])
    #expect(pipe.lines(1) == ["warning: (account) came url=https://x.example/a(query)"])
  }

  /// The attack: a flood while the reader sleeps. Nobody waits, the memory is bounded, and the loss is said.
  @Test func aFloodIsCutAndCounted() {
    let pipe = Pipe()
    let logger = Self.logger(pipe)
    let long = String(repeating: "x", count: 1000)
    for number in 0..<20_000 { logger.notice("\(number) \(long)") }
    var lines: [String] = []
    while !lines.contains(where: { $0.contains("messages were dropped") }) {
      lines += pipe.lines(1)
    }
    let told = lines.filter { $0.hasPrefix("notice: ") }
    let numbers = told.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(numbers == Array(0..<numbers.count), "those that came first, and without a hole")
    let dropped = lines.first { $0.contains("messages were dropped") }?.split(separator: " ")[1]
    #expect(dropped.flatMap { Int($0) } == 20_000 - numbers.count, "each is written or counted")
    logger.notice("the end")
    #expect(pipe.lines(1).last == "notice: the end")
  }

  /// A reader that is gone is no reason to stop.
  @Test func aReaderThatIsGoneHoldsNobodyUp() {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    close(ends[0])
    let writer = ends[1]
    let handler = QueuedLogHandler(descriptor: writer)
    let logger = Logger(label: "test") { _ in handler }
    for number in 0..<5000 { logger.notice("\(number)") }
    handler.flush()
    close(writer)
  }
}

/// Durations fall into buckets that double.
@Suite struct LatencyHistogramTests {
  @Test(
    arguments: [
      ([], 0, 0), ([0], 1, 1), ([1], 1, 1), ([2], 2, 1), ([3], 4, 1), ([4], 4, 1), ([5], 8, 1),
      ([1024], 1024, 1),
      ([1025], 2048, 1), ([1 << 24], 1 << 24, 1),
    ] as [([UInt64], UInt64, UInt64)])
  func aDurationCountsFromItsBoundOn(_ durations: [UInt64], _ bound: UInt64, _ count: UInt64) {
    var histogram = LatencyHistogram()
    for duration in durations { histogram.observe(duration) }
    for bucket in histogram.cumulative {
      #expect(bucket.count == (bucket.bound >= bound ? count : 0))
    }
  }

  /// Against a sorted list.
  @Test func cumulativeCountsAreThoseOfAList() {
    var random = SeededGenerator()
    var histogram = LatencyHistogram()
    var list: [UInt64] = []
    for _ in 0..<Effort.scaled(20_000) {
      let duration = random.next() >> UInt64(34 + random.below(30))
      list.append(duration)
      histogram.observe(duration)
    }
    #expect(
      histogram.count == UInt64(list.count) && histogram.sum == list.reduce(0, +), "\(random.note)")
    for bucket in histogram.cumulative {
      #expect(
        bucket.count == UInt64(list.count { $0 <= bucket.bound }), "\(random.note) \(bucket.bound)")
    }
  }

  @Test func nothingOverflows() {
    var histogram = LatencyHistogram()
    for _ in 0..<3 { histogram.observe(.max) }
    #expect(histogram.count == 3 && histogram.cumulative.last?.count == 0)
  }
}
