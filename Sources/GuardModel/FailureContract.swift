/// What a client does when the daemon refuses the connection or misses the deadline (architecture, section 9).
package enum FailureAnswer: String, Sendable, Hashable, CaseIterable {
  /// Treat the question as blocked. The default wherever a managed identity is possible.
  case closed
  /// Treat it as allowed.
  case open
}

/// The failure contract: how long a client waits, and what it does then, per kind of event.
package struct FailureContract: Sendable, Hashable {
  /// How long a client waits for the connection, in milliseconds.
  package var startMilliseconds = 2_000
  /// How long a client waits for one answer, in milliseconds.
  package var answerMilliseconds = 500
  package var navigation = FailureAnswer.closed
  package var clipboard = FailureAnswer.closed
  package var other = FailureAnswer.closed

  package init() {}
}
