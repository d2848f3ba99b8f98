import Dispatch
import Glibc
import GuardService
import Synchronization
import Testing

/// Long work gets done however busy the machine is, and its result comes once.
@Suite struct LoaderThreadTests {
  @Test func theResultIsTheWorks() {
    #expect(LoaderThread.run { 6 * 7 } == 42)
    #expect(LoaderThread.run { Optional<Int>.none } == nil)
    let failed: Result<Int, Broken> = LoaderThread.run { .failure(Broken()) }
    #expect(failed == .failure(Broken()))
  }

  @Test func workThatIsQuickEnoughIsDoneOnce() {
    let times = Atomic(0)
    let result = LoaderThread.run(patience: .seconds(600)) { times.add(1, ordering: .relaxed).newValue }
    #expect(result == 1 && times.load(ordering: .relaxed) == 1)
  }

  /// The attack: every processor is busy, and the idle thread gets none of them. Here it waits until the caller has its answer.
  @Test func anIdleThreadThatGetsNoProcessorIsNotWaitedFor() {
    let answered = DispatchSemaphore(value: 0)
    let result = LoaderThread.run(patience: .milliseconds(1)) {
      guard sched_getscheduler(0) == idle else { return "the caller" }
      answered.wait()
      return "the idle thread"
    }
    answered.signal()
    #expect(result == "the caller")
  }

  @Test func manyLoadsDoNotMixTheirResults() {
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      #expect(LoaderThread.run(patience: .milliseconds(number % 4)) { number * number } == number * number)
    }
  }
}

/// `SCHED_IDLE`, which the system's module does not show.
private let idle: Int32 = 5

private struct Broken: Error, Equatable {}
