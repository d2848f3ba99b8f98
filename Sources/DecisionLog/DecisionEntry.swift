package import Bytes
import GuardModel

/// The parts of a decision's record beside the event and the report: the asker, and the way the answer was given.
package struct DecisionEntry: Sendable, Hashable {
  /// The decision's id, as the answer has it; a number goes before it.
  package var id: String
  /// The id, where it is a number: its digits are copied.
  package var number: DecimalCounter?
  package var app: String?
  package var instance: String?
  package var peer: LoggedPeer?
  package var url = LoggedURL.absent
  package var from = LoggedURL.absent
  /// The accounts that the event names, as the policy spells them: two spellings of one account would get two
  /// pseudonyms. A nil account is written as the app spelled it.
  package var owner: String?
  package var locationAccount: String?
  package var peerAccount: String?
  /// From the last byte of the question to the decision.
  package var durationMicroseconds: UInt64?
  /// Number of earlier requests for the same action before this record was written.
  package var repeats: UInt64 = 0

  package init(id: String) { self.id = id }

  package init(number: DecimalCounter? = nil) {
    id = ""
    self.number = number
  }
}
