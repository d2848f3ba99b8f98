/// The answer that a question would get: for an app that greys out forbidden actions. Nothing is recorded, so it never
/// stands in for the question (ledger SL-17).
package struct Hint: Sendable, Hashable {
  /// Its subject: a location's name, or a program's.
  package var subject: String
  package var outcome: Outcome
  package var reason: Reason

  package init(_ subject: String, _ outcome: Outcome, _ reason: Reason) {
    self.subject = subject
    self.outcome = outcome
    self.reason = reason
  }
}
