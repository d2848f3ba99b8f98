internal import Glibc
package import GuardModel
internal import NIOPosix
package import PolicyEngine

/// The daemon's connection to the machine's message bus: it asks persons to unlock, and hears whether they are there.
///
/// D-Bus has a thread of its own, which begins with the first question: a policy without questions to persons loads no
/// library and opens no connection. The loop only hands over orders and hears news; no call of a program waits for either.
package final class DesktopBus: Sendable {
  /// Reports from the bus's thread.
  package enum News: Sendable, Hashable {
    /// The end of a question, and for a failing service the reason.
    case unlock(UInt64, UnlockResult, String?)
    /// The presence of each person who is watched.
    case presences([UInt32: Presence])
  }

  /// Orders of the loop to the bus's thread.
  package struct Orders: Sendable {
    package var asks: [(number: UInt64, ask: UnlockAsk)] = []
    /// The persons whose presence is wanted.
    package var watched: Set<UInt32> = []
    package var hasEnded = false

    package init() {}
  }

  /// A struct, as `LoopWriter` has it: a bare closure in a lock would grow.
  private struct Listener: Sendable {
    let hear: @Sendable (News) -> Void
  }

  private struct Work: Sendable {
    var orders = Orders()
    var listener: Listener?
    var isRunning = false
  }

  private let work = Locked(Work())
  private let thread = NIOThreadPool(numberOfThreads: 1)
  private let waking: (reading: Int32, writing: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe the thread looks by itself every second.
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    waking = (ends[0], ends[1])
  }

  deinit { for end in [waking.reading, waking.writing] where end >= 0 { close(end) } }

  /// From now on `hear` gets the news.
  func tell(_ hear: @escaping @Sendable (News) -> Void) { work.withLock { $0.listener = Listener(hear: hear) } }

  /// Asks a person to unlock; `News.unlock` with this number tells the end.
  func ask(_ ask: UnlockAsk, number: UInt64) { order { $0.asks.append((number, ask)) } }

  /// The persons whose presence is wanted from now on.
  func watch(_ persons: Set<UInt32>) {
    // No person was watched, and none is to be watched: the thread need not begin.
    if persons.isEmpty, !work.withLock({ $0.isRunning }) { return }
    order { $0.watched = persons }
  }

  /// Takes every dialogue back and ends the thread.
  func end() {
    guard work.withLock({ $0.isRunning }) else { return }
    order { $0.hasEnded = true }
    try? thread.syncShutdownGracefully()
  }

  private func order(_ change: (inout Orders) -> Void) {
    let mustStart = work.withLock { work in
      change(&work.orders)
      defer { work.isRunning = true }
      return !work.isRunning
    }
    if mustStart { start() }
    if waking.writing >= 0 { write(waking.writing, "!", 1) }
  }

  private func start() {
    thread.start()
    thread.submit { [self] state in
      guard state == .active else { return }
      var session = DesktopSession(waking: waking.reading)
      while true {
        let (orders, listener) = take()
        let news = session.step(orders)
        for one in news { listener?.hear(one) }
        if orders.hasEnded { return }
      }
    }
  }

  private func take() -> (Orders, Listener?) {
    var bytes = [UInt8](repeating: 0, count: 64)
    while waking.reading >= 0, read(waking.reading, &bytes, bytes.count) == bytes.count {}
    return work.withLock { work in
      defer { work.orders.asks = [] }
      return (work.orders, work.listener)
    }
  }
}
