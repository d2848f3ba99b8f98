/// Work to do outside the lock, after a step of a state machine.
package enum Effect: Sendable {
  case give(PendingAnswer, CallAnswer)
  case report(GuardProblem)
  case stand(Standing)
  case tell(AsyncStream<GuardNews>.Continuation, GuardNews)
  case end(AsyncStream<GuardNews>.Continuation)
}

/// The wish of a line to the thread that carries its bytes.
package enum LineWish: Sendable {
  /// A new connection.
  case connect
  /// The present connection.
  case stay
  /// No connection.
  case rest
}
