internal import CLinux
package import Dispatch
internal import Glibc

/// Long work on a thread of its own that gets the processor only when no other thread wants it, so that no question waits.
///
///     let result = LoaderThread.run { PolicyLoads.load(roots) }    // blocks: not for the event loop
///
/// The attack: a user keeps every processor busy, and with it an old policy in force. So the caller's thread does the work a
/// second time, like any other, when it has not ended after `patience`; it must change nothing. Where the system does not
/// allow the thread to be idle, it runs at the lowest priority, and there is no second.
package enum LoaderThread {
  /// As the system shows it; at most 15 bytes.
  static let name = "policy-loader"
  package static let patience = DispatchTimeInterval.seconds(2)

  /// Does the work, and waits for it.
  package static func run<Result: Sendable>(
    patience: DispatchTimeInterval = patience, _ work: @escaping @Sendable () -> Result
  ) -> Result {
    let outcome = Locked(Outcome<Result>())
    let ended = DispatchSemaphore(value: 0)
    let isStarted = start {
      let isIdle = run_when_idle() == 0
      outcome.withLock { $0.isIdle = isIdle }
      let result = work()
      outcome.withLock { $0.result = result }
      ended.signal()
    }
    guard isStarted else { return work() }
    if ended.wait(timeout: .now() + patience) == .timedOut {
      // An idle thread that got no processor so far may not have come as far as to say that it is idle.
      if outcome.withLock({ $0.isIdle ?? true }) { return outcome.withLock { $0.result } ?? work() }
      ended.wait()
    }
    return outcome.withLock { $0.result } ?? work()
  }

  private struct Outcome<Result: Sendable>: Sendable {
    var result: Result?
    /// Nil before the thread began.
    var isIdle: Bool?
  }

  /// False when there can be no further thread.
  private static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        name_this_thread(LoaderThread.name)
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    if error == 0 { pthread_detach(thread) } else { box.release() }
    return error == 0
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
