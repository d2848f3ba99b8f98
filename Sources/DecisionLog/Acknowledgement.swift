package import GuardModel

/// An app's report on the result of a decision: for a warning, that the user went on, and why.
package struct Acknowledgement: Sendable, Hashable {
  /// The decision's id.
  package var decision: String
  package var app: String?
  package var instance: String?
  package var peer: LoggedPeer?
  /// The daemon's answer.
  package var decided: Outcome
  /// The app's action.
  package var outcome: Outcome
  /// The user's own words.
  package var justification: String?

  package init(
    decision: String, app: String?, instance: String?, peer: LoggedPeer?, decided: Outcome, outcome: Outcome,
    justification: String?
  ) {
    self.decision = decision
    self.app = app
    self.instance = instance
    self.peer = peer
    self.decided = decided
    self.outcome = outcome
    self.justification = justification
  }
}

extension LogEncoder {
  /// Appends the result of a decision.
  package mutating func encode(_ entry: Acknowledgement, at time: UInt64, into bytes: inout [UInt8]) {
    append(.acknowledged, at: time, into: &bytes) { record, encoder in
      record.text("id", entry.decision)
      record.text("app", entry.app)
      record.text("instance", entry.instance)
      encoder.writePeer(entry.peer, &record)
      record.text("decided", entry.decided.name)
      record.text("outcome", entry.outcome.name)
      record.text("justification", entry.justification)
    }
  }
}
