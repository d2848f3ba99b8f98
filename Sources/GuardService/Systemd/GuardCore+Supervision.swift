internal import GuardModel
internal import NIOCore
internal import PolicyEngine

/// The core's reports to a service manager.
extension GuardCore {
  /// Says that the daemon serves, and begins to give signs of life when a service manager waits for them.
  func beginSupervision(_ bound: NIOLoopBound<GuardCore>) {
    supervision.ready(standing)
    guard let interval = supervision.interval else { return }
    loop.scheduleRepeatedTask(initialDelay: .zero, delay: .nanoseconds(interval)) { _ in bound.value.beat() }
  }

  private func beat() {
    supervision.say(standing)
    supervision.beat(logWaits: journal.hasUnwritten, stateWaits: journal.hasUnwrittenChanges)
  }

  /// The daemon's state, in one line.
  var standing: String {
    var line = policy.standing(snapshot)
    if journal.isFailing { line += "; the decision log cannot be written" }
    if journal.stateFailure != nil { line += "; the state cannot be written" }
    return line
  }
}
