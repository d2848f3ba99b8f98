import Dispatch
import Foundation
import GuardService
import Testing

/// The thread that writes what the event loop queues: nothing is lost, doubled or reordered, and nobody waits for a sink.
@Suite struct LoopWriterTests {
  @Test func everythingIsWrittenOnceAndInOrder() {
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    for number in 0..<10_000 { writer.submit { $0.add(number) } }
    let progress = writer.stop()
    #expect(seen.written == Array(0..<10_000))
    #expect(progress == ProbeSink.Progress(written: 10_000) && seen.ends == 1)
  }

  /// Each producer's things stay in their order, and the thread sleeps and wakes again and again meanwhile.
  @Test func manyProducersKeepTheirOrder() {
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    DispatchQueue.concurrentPerform(iterations: 8) { producer in
      for number in 0..<5000 {
        writer.submit { $0.add(producer << 32 | number) }
        if number.isMultiple(of: 64) { sched_yield() }
      }
    }
    #expect(writer.stop().written == 40_000)
    let lists = Dictionary(grouping: seen.written) { $0 >> 32 }
    for producer in 0..<8 {
      #expect(lists[producer]?.map { $0 & 0xFFFF_FFFF } == Array(0..<5000))
    }
  }

  /// A thing that is submitted just as the thread goes to sleep must not stay until the next one comes.
  @Test func noWakeUpIsLost() throws {
    let reports = Reports()
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue()) { reports.add($0) }
    for number in 0..<5000 {
      writer.submit { $0.add(number) }
      try reports.wait { $0.written == number + 1 }
    }
    #expect(writer.stop().written == 5000)
  }

  /// Requests without anything to write wake the thread too.
  @Test func requestsAreCarriedOut() throws {
    let reports = Reports()
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue()) { reports.add($0) }
    for number in 1...1000 {
      writer.submit { $0.requests += 1 }
      try reports.wait { $0.requests == number }
    }
    #expect(seen.written.isEmpty && writer.stop().requests == 1000)
  }

  /// The attack: a flood while the sink hangs. The queue stays as long as its type allows, and `submit` never waits.
  @Test func aFloodBeforeASinkThatHangsIsBounded() throws {
    let reports = Reports()
    let seen = Seen(isHanging: true)
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue(capacity: 100)) { reports.add($0) }
    writer.submit { $0.add(-1) }
    seen.waitUntilItHangs()
    for number in 0..<100_000 { writer.submit { $0.add(number) } }
    #expect(!writer.rests && seen.written.isEmpty)
    seen.resume()
    try reports.wait { $0.written == 101 && $0.waiting == 0 }
    #expect(reports.highest(\.waiting) == 100)
    #expect(seen.written == [-1] + Array(0..<100))
    let progress = writer.stop()
    #expect(progress.written == 101 && progress.dropped == 99_900)
  }

  /// A sink that fails is not tried again and again by itself, however much waits; but by each submit, and by `retry`.
  @Test func aFailingSinkRestsUntilItIsTriedAgain() throws {
    let reports = Reports()
    let seen = Seen(failures: 3)
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue()) { reports.add($0) }
    for number in 0..<3 {
      writer.submit { $0.add(number) }
      try reports.wait { $0.failures == number + 1 }
      while !writer.rests { sched_yield() }
      #expect(seen.attempts == number + 1 && seen.written.isEmpty)
    }
    writer.retry()
    try reports.wait { $0.written == 3 }
    #expect(seen.written == [0, 1, 2] && seen.attempts >= 4)
    #expect(writer.stop() == ProbeSink.Progress(written: 3, failures: 3))
  }

  /// A sink that fails in the middle of a batch, at seeded places, and does not take more before it is done.
  @Test func failuresInTheMiddleLoseAndDoubleNothing() {
    for seed in 1...20 {
      let seen = Seen(failingAt: seed)
      let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
      for number in 0..<500 {
        writer.submit { $0.add(number) }
        if number.isMultiple(of: 7) { sched_yield() }
      }
      var progress = writer.settle()
      while progress.written < 500 { progress = writer.settle() }
      #expect(seen.written == Array(0..<500), "with failures every \(seed)")
      #expect(writer.stop().waiting == 0)
    }
  }

  /// The call that writes a failed batch at the end also writes the things that wait behind it.
  @Test func theEndWritesWhatWaitsBehindAFailure() throws {
    let reports = Reports()
    let seen = Seen(failures: 1)
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue()) { reports.add($0) }
    writer.submit { $0.add(1) }
    try reports.wait { $0.failures == 1 }
    while !writer.rests { sched_yield() }
    seen.failOnce()
    writer.submit { $0.add(2) }
    try reports.wait { $0.failures == 2 }
    let progress = writer.stop()
    #expect(seen.written == [1, 2] && progress.waiting == 0 && seen.ends == 1)
  }

  @Test func theEndWaitsForASinkThatHangs() {
    let seen = Seen(isHanging: true)
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    writer.submit { $0.add(0) }
    seen.waitUntilItHangs()
    for number in 1..<1000 { writer.submit { $0.add(number) } }
    DispatchQueue.global().async { seen.resume() }
    #expect(writer.stop().written == 1000)
    #expect(seen.written == Array(0..<1000) && seen.ends == 1)
  }

  /// A sink that fails until the end: the daemon says how much it could not write.
  @Test func theEndTellsWhatIsLeft() {
    let seen = Seen(failures: .max)
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    for number in 0..<10 { writer.submit { $0.add(number) } }
    let progress = writer.stop()
    #expect(progress.written == 0 && progress.waiting == 10 && seen.ends == 1)
  }

  @Test func nothingIsWrittenAfterTheEnd() {
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    writer.submit { $0.add(1) }
    #expect(writer.stop().written == 1)
    for number in 2..<100 { writer.submit { $0.add(number) } }
    writer.retry()
    #expect(seen.written == [1] && seen.ends == 1)
  }

  /// A daemon tells of its log some million times a day: each report takes as much stack and time as the first.
  @Test func reportsStayAsCheapAsTheFirst() throws {
    let done = DispatchSemaphore(value: 0)
    let depths = Locked<(first: Int, last: Int, count: Int)>((0, 0, 0))
    let writer = LoopWriter(ProbeSink(Seen()), ProbeSink.Queue())
    writer.tell { [weak writer] _ in
      var here = 0
      let place = withUnsafePointer(to: &here) { Int(bitPattern: $0) }
      let count = depths.withLock { depths in
        if depths.count == 0 { depths.first = place }
        depths.last = place
        depths.count += 1
        return depths.count
      }
      if count < 2000 { writer?.retry() } else { done.signal() }
    }
    writer.retry()
    try #require(done.wait(timeout: .now() + 60) == .success)
    _ = writer.stop()
    let (first, last, _) = depths.withLock { $0 }
    #expect(abs(first - last) < 1024, "\(abs(first - last)) bytes deeper")
  }

  /// The event loop hears a report and submits the next record at once: here on the writing thread itself.
  @Test func theListenerMaySubmit() throws {
    let reports = Reports()
    let seen = Seen()
    let writer = LoopWriter(ProbeSink(seen), ProbeSink.Queue())
    writer.tell { [weak writer] progress in
      if progress.written < 1000 { writer?.submit { $0.add(progress.written) } }
      reports.add(progress)
    }
    writer.submit { $0.add(0) }
    try reports.wait { $0.written == 1000 }
    #expect(writer.stop().written == 1000)
    #expect(seen.written == Array(0..<1000))
  }
}

/// Numbers that wait, up to a capacity, and requests that write nothing.
private struct ProbeSink: WriterSink {
  struct Queue: WriterQueue {
    var numbers: [Int] = []
    var requests = 0
    var dropped = 0
    var capacity = Int.max

    var isEmpty: Bool { numbers.isEmpty && requests == 0 }

    mutating func add(_ number: Int) {
      if numbers.count < capacity { numbers.append(number) } else { dropped += 1 }
    }
  }

  struct Progress: Sendable, Equatable {
    var written = 0
    var waiting = 0
    var failures = 0
    var requests = 0
    var dropped = 0
  }

  private let seen: Seen
  private var taken: ArraySlice<Int> = []
  private var progress = Progress()

  init(_ seen: Seen) { self.seen = seen }

  mutating func take(_ queue: inout Queue) {
    progress.requests += queue.requests
    progress.dropped += queue.dropped
    (queue.requests, queue.dropped) = (0, 0)
    guard taken.isEmpty else { return }
    taken = queue.numbers[...]
    queue.numbers = []
  }

  mutating func write() -> Bool {
    seen.begin()
    defer { seen.finish() }
    while let number = taken.first {
      guard seen.write(number) else {
        progress.failures += 1
        return false
      }
      taken.removeFirst()
      progress.written += 1
    }
    return true
  }

  mutating func report(_ queue: borrowing Queue) -> Progress {
    progress.waiting = taken.count + queue.numbers.count
    return progress
  }

  func end() { seen.end() }
}

/// A record of the calls of a `ProbeSink`, and the switches that make it hang and fail.
private final class Seen: Sendable {
  private struct State {
    var written: [Int] = []
    var attempts = 0
    var ends = 0
    var failures: Int
    /// Every so many writes one fails; 0 for none.
    var period: Int
    var writes = 0
    var isBusy = false
  }

  private let state: Locked<State>
  private let isHanging: Bool
  private let hangs = DispatchSemaphore(value: 0)
  private let gate = DispatchSemaphore(value: 0)

  init(isHanging: Bool = false, failures: Int = 0, failingAt period: Int = 0) {
    self.isHanging = isHanging
    state = Locked(State(failures: failures, period: period))
  }

  var written: [Int] { state.withLock { $0.written } }
  var attempts: Int { state.withLock { $0.attempts } }
  var ends: Int { state.withLock { $0.ends } }

  func failOnce() { state.withLock { $0.failures = 1 } }
  func waitUntilItHangs() { hangs.wait() }
  func resume() { gate.signal() }

  func begin() {
    let isFirst = state.withLock { state in
      #expect(!state.isBusy, "two threads write at once")
      state.isBusy = true
      state.attempts += 1
      return state.attempts == 1
    }
    guard isHanging, isFirst else { return }
    hangs.signal()
    gate.wait()
  }

  func finish() { state.withLock { $0.isBusy = false } }

  func end() {
    state.withLock { state in
      #expect(!state.isBusy, "the end comes after the last write")
      state.ends += 1
    }
  }

  /// False for a failure.
  func write(_ number: Int) -> Bool {
    state.withLock { state in
      state.writes += 1
      if state.failures > 0 { state.failures -= 1; return false }
      if state.period > 0, state.writes.isMultiple(of: state.period + 1) { return false }
      state.written.append(number)
      return true
    }
  }
}

/// Reports of a writer, and a thread that waits for one of them.
private final class Reports: Sendable {
  private let all = Locked<[ProbeSink.Progress]>([])
  private let news = DispatchSemaphore(value: 0)

  func add(_ report: ProbeSink.Progress) {
    all.withLock { $0.append(report) }
    news.signal()
  }

  /// Waits until the newest report is as `isWanted` says; a minute is more than any machine needs.
  func wait(_ isWanted: @Sendable (ProbeSink.Progress) -> Bool) throws {
    while !(all.withLock { $0.last }.map(isWanted) ?? false) {
      try #require(news.wait(timeout: .now() + 60) == .success, "nobody reports it")
    }
  }

  func highest(_ figure: @Sendable (ProbeSink.Progress) -> Int) -> Int? { all.withLock { $0.map(figure).max() } }
}
