internal import Dispatch
internal import Synchronization

/// The answer to one call. One side gives it, another waits for it: a task, a thread or a callback.
///
/// The first answer counts, so a deadline, a cancellation and a reply may come at the same moment.
package final class PendingAnswer: Sendable {
  private enum State {
    case open(waiter: (@Sendable (CallAnswer) -> Void)?)
    case given(CallAnswer)
  }

  private let state = Mutex(State.open(waiter: nil))

  /// The answer, once it is there.
  var given: CallAnswer? {
    state.withLock { if case .given(let answer) = $0 { answer } else { nil } }
  }

  func give(_ answer: CallAnswer) {
    let waiter: (@Sendable (CallAnswer) -> Void)? = state.withLock { state in
      guard case .open(let waiter) = state else { return nil }
      state = .given(answer)
      return waiter
    }
    waiter?(answer)
  }

  /// Calls the closure with the answer, at once when it is there. Only one caller may wait.
  func whenGiven(_ waiter: @escaping @Sendable (CallAnswer) -> Void) {
    let answer: CallAnswer? = state.withLock { state in
      if case .given(let answer) = state { return answer }
      state = .open(waiter: waiter)
      return nil
    }
    if let answer { waiter(answer) }
  }

  /// Waits in a task; a cancellation ends the wait at once.
  nonisolated(nonsending) func value() async -> CallAnswer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in whenGiven { continuation.resume(returning: $0) } }
    } onCancel: {
      give(.cancelled)
    }
  }

  /// Waits in a task, even a cancelled one, but never longer than the deadline of the call.
  nonisolated(nonsending) func settled() async -> CallAnswer {
    await withCheckedContinuation { continuation in whenGiven { continuation.resume(returning: $0) } }
  }

  /// Waits in a thread, at most for the given milliseconds.
  @available(*, noasync)
  func wait(milliseconds: Int) -> CallAnswer {
    let isThere = DispatchSemaphore(value: 0)
    whenGiven { _ in isThere.signal() }
    if isThere.wait(timeout: .now() + .milliseconds(max(milliseconds, 0))) == .timedOut { give(.nothing) }
    return given ?? .nothing
  }
}
