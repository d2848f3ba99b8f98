/// The id of one decision: the number of its record in the decision log.
///
///     DecisionID(number: 42).text    // "42"
///     DecisionID("042")              // nil
package struct DecisionID: Sendable, Hashable, Comparable {
  package var number: UInt64

  package init(number: UInt64) { self.number = number }

  package var text: String { String(number) }

  package static func < (left: DecisionID, right: DecisionID) -> Bool { left.number < right.number }

  /// The id written as `text`; nil for anything else.
  package init?(_ text: String) {
    guard let number = decimal(text.utf8.span) else { return nil }
    self.init(number: number)
  }
}

/// Whether a decision binds.
package enum DecisionMode: String, Sendable, Hashable, CaseIterable {
  case enforced
  /// The policy is only watched: the answer is `allow`, what it would have been is in the log.
  case monitored
}

/// What the shell adds to a decision when it is answered.
package struct DecisionEnvelope: Sendable, Hashable {
  package var id: DecisionID
  /// The same action was decided before, and this is that decision.
  package var isRepeated: Bool

  package init(id: DecisionID, isRepeated: Bool = false) {
    self.id = id
    self.isRepeated = isRepeated
  }
}
