/// How long to leave a daemon alone that failed, by the rule of all clients: 100 ms, doubling to five seconds, each up to a
/// quarter longer by chance, so that many clients do not come back as one.
///
///     var backOff = BackOff()
///     backOff.fail(.bad)     // isOver in about 100 ms
///     backOff.succeed()      // isOver now
///
/// A question does not wait for that where it costs nothing: a socket that nobody listens at tells at once.
struct BackOff {
  /// What became of an attempt.
  enum Failure {
    /// Somebody holds others up, or wants none of them.
    case bad
    /// Somebody listened, and went.
    case gone
    /// Nobody listens.
    case away
  }

  private var milliseconds = Self.first
  private(set) var end = Deadline(after: 0)
  private var endForQuestions = Deadline(after: 0)

  private static let first = 100
  private static let longest = 5000

  var isOver: Bool { end.isOver }

  /// Whether a question may try now.
  var isOverForQuestions: Bool { end.isOver || endForQuestions.isOver }

  /// An attempt for a question does not put off the next one that is made by itself.
  mutating func fail(_ failure: Failure) {
    if isOver {
      end = Deadline(after: milliseconds + Int.random(in: 0...(milliseconds / 4)))
      milliseconds = min(2 * milliseconds, Self.longest)
    }
    endForQuestions =
      switch failure {
      case .bad: end
      case .gone: Deadline(after: Self.first)
      case .away: Deadline(after: 0)
      }
  }

  mutating func succeed() { self = BackOff() }
}
