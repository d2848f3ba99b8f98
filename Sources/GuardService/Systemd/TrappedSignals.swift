internal import Dispatch

/// The signals that reach this process from now on, in their order, instead of having their default effect.
///
///     for await signal in await TrappedSignals.trap([SIGTERM, SIGHUP]) where signal == SIGTERM { break }
///
/// Each stays trapped until the process ends, also after the loop over them has ended: a second SIGTERM must not kill a
/// daemon that is writing its last records. Signals that come before this returns may still have their default effect,
/// and equal ones that come close together may arrive as one.
package enum TrappedSignals {
  package static func trap(_ numbers: [Int32]) async -> AsyncStream<Int32> {
    let (signals, arrivals) = AsyncStream.makeStream(of: Int32.self)
    let queue = DispatchQueue(label: "signals")
    for number in numbers {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Its own handler keeps the source, so that it stays.
        withExtendedLifetime(source) { _ = arrivals.yield(number) }
      }
      await withCheckedContinuation { isTrapped in
        source.setRegistrationHandler { isTrapped.resume() }
        source.activate()
      }
    }
    return signals
  }
}
