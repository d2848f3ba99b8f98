package import GuardModel

/// What a decision's record holds beside the event and the report: who asked, and how the answer was given.
package struct DecisionEntry: Sendable, Hashable {
  /// The decision's id, as the answer has it.
  package var id: String
  package var app: String?
  package var instance: String?
  package var peer: Peer?
  package var url = LoggedURL.absent
  package var from = LoggedURL.absent
  /// What the policy said where it is only watched; nil when the answer is the policy's own (amendments, monitoring).
  package var advised: Outcome?
  /// It happened in a page that an enforced policy would not have opened.
  package var isAfterAdvised = false
  /// From the last byte of the question to the decision.
  package var durationMicroseconds: UInt64?
  /// How often the same action had been asked before this record was written.
  package var repeats: UInt64 = 0

  package init(id: String) { self.id = id }
}
