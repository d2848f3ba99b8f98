/// How long to leave a daemon alone after it failed: 100 ms, doubling to 5 s, each up to a quarter longer, so that not all
/// apps of a machine come back at the same moment.
///
/// A question does not wait for that where it costs nothing: a socket that nobody listens at tells at once, so that the
/// first question after an outage is answered. Two attempts are never closer than 100 ms if somebody listened.
struct BackOff: Sendable {
  /// What became of an attempt.
  enum Failure: Sendable {
    /// Somebody holds others up, or wants none of them.
    case bad
    /// Somebody listened, and went.
    case gone
    /// Nobody listens.
    case away
  }

  private var next = Self.first
  private var latestAttempt = Int64.min
  /// No attempt by itself before this time, in milliseconds.
  private(set) var until: Int64 = .min
  /// No attempt for a question before this time.
  private var askedUntil: Int64 = .min

  static let first: Int64 = 100
  static let longest: Int64 = 5_000

  /// A connection is tried now.
  mutating func attempted(at time: Int64) { latestAttempt = time }

  /// An attempt for a question does not put off the next one that is made by itself.
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

  /// Nothing is tried again.
  mutating func never() { (until, askedUntil) = (.max, .max) }

  var isForever: Bool { until == .max }

  func isOver(at time: Int64) -> Bool { time >= until }

  /// Whether a question may try now.
  func isOverForQuestions(at time: Int64) -> Bool { time >= askedUntil }
}
