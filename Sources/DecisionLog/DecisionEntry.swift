package import Bytes
package import GuardModel

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
  package var fileOwner: String?
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

/// The process at the other end of a connection, as the kernel names it.
package struct LoggedPeer: Sendable, Hashable {
  package var uid: UInt32
  /// 0 when the process is in no namespace that the daemon sees.
  package var pid: Int32

  package init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }
}

/// A URL on its way into a record.
package enum LoggedURL: Sendable, Hashable {
  /// The app gave none.
  case absent
  case valid(URLText)
  /// No browser would open the text. Only its length is logged: it may hold a password that no parser can find.
  case invalid(byteCount: Int)
  /// The app gave one, and it stays out of the log whole: the viewer shows, or showed then, unmanaged data.
  case withheld
}

/// The administrator behind an action: the peer by the kernel's word, and the system's name for the user.
package struct Asker: Sendable, Hashable {
  package var peer: LoggedPeer
  /// Nil when the system has no name for the uid.
  package var user: String?

  package init(peer: LoggedPeer, user: String?) {
    self.peer = peer
    self.user = user
  }

  /// `alice (uid 1000)`, for people.
  package var words: String { user.map { "\($0) (uid \(peer.uid))" } ?? "uid \(peer.uid)" }
}

extension LogEncoder {
  /// Writes `uid`, `pid` and `user` of the first asker, and all others in words behind them.
  func writeAskers(_ askers: [Asker], _ record: inout RecordWriter) {
    guard let first = askers.first else { return }
    writePeer(first.peer, &record)
    record.text("user", first.user)
    let others = askers.dropFirst().prefix(Self.maximumAskers).map(\.words)
    if !others.isEmpty { record.texts("alsoAsked", others) }
  }

  /// As many as may be connected at once on the admin socket.
  private static let maximumAskers = 64
}

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
  /// Why the app was refused to go on; nil when it was not.
  package var objection: Objection?

  /// The answer that the question of a warning got when the user wanted to go on, and that no longer lets it happen.
  package struct Objection: Sendable, Hashable {
    package var outcome: Outcome
    package var reason: Reason

    package init(outcome: Outcome, reason: Reason) {
      self.outcome = outcome
      self.reason = reason
    }
  }

  package init(
    decision: String, app: String?, instance: String?, peer: LoggedPeer?, decided: Outcome, outcome: Outcome,
    justification: String?, objection: Objection? = nil
  ) {
    self.decision = decision
    self.app = app
    self.instance = instance
    self.peer = peer
    self.decided = decided
    self.outcome = outcome
    self.justification = justification
    self.objection = objection
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
      record.text("now", entry.objection?.outcome.name)
      record.text("reason", entry.objection?.reason.rawValue)
    }
  }
}
