/// The pause after a failure of the daemon: 100 ms, doubling to 5 s, each up to a quarter longer, so the apps of a
/// machine do not all come back at the same moment.
///
/// A question skips the pause where that costs nothing: a socket without a listener fails at once, so the first
/// question after an outage is answered. Two attempts are never closer than 100 ms if a program listened.
struct BackOff: Sendable {
  /// The way in which an attempt failed.
  enum Failure: Sendable {
    /// The listener holds others up, or refuses them.
    case bad
    /// The listener accepted, and went away.
    case gone
    /// No program listens.
    case away
  }

  private var next = Self.first
  private var latestAttempt = Int64.min
  /// No automatic attempt before this time, in milliseconds.
  private(set) var until: Int64 = .min
  /// No attempt for a question before this time.
  private var askedUntil: Int64 = .min

  static let first: Int64 = 100
  static let longest: Int64 = 5_000

  /// Records an attempt to connect now.
  mutating func attempted(at time: Int64) { latestAttempt = time }

  /// An attempt for a question does not delay the next automatic one.
  mutating func failed(at time: Int64, _ failure: Failure) {
    if time >= until {
      until = time + next + Int64.random(in: 0...next / 4)
      next = min(next * 2, Self.longest)
    }
    askedUntil =
      switch failure {
      case .bad: until
      case .gone: min(until, max(latestAttempt, time - Self.first) + Self.first)
      case .away: time
      }
  }

  mutating func reset() { next = Self.first }

  /// Stops all further attempts.
  mutating func never() { (until, askedUntil) = (.max, .max) }

  var isForever: Bool { until == .max }

  func isOver(at time: Int64) -> Bool { time >= until }

  /// A question may try now.
  func isOverForQuestions(at time: Int64) -> Bool { time >= askedUntil }
}
