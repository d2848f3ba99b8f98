internal import Bytes

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
    guard let number = UInt64(decimal: text.utf8.span) else { return nil }
    self.init(number: number)
  }
}

/// The members that the shell adds to a decision before it replies.
package struct DecisionEnvelope: Sendable, Hashable {
  package var id: DecisionID
  /// The same action was decided before; this repeats that decision.
  package var isRepeated: Bool

  package init(id: DecisionID, isRepeated: Bool = false) {
    self.id = id
    self.isRepeated = isRepeated
  }
}
