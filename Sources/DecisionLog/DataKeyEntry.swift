package import GuardModel

/// A step with the keys of sealed data: one object's key given or withheld, an account's keys destroyed, or a file's owner
/// noted (ledger SD, FO; design, accounts, section 8). No part of a key is in it, and of the object's id too little to ask for its key again.
package struct DataKeyEntry: Sendable, Hashable {
  package enum Act: String, Sendable, Hashable, CaseIterable {
    case issued
    /// The keeper of directories got the key of the account's directory, to open it.
    case opened
    /// The account may not work.
    case withheld
    /// There is no such key, or no key at all; `refusal` says which.
    case refused
    case destroyed
    /// An administrator gave the account a new key.
    case rotated
    /// A key got a copy for the organisation, sealed to its public key.
    case copied
    /// An administrator brought a key back that another machine had.
    case recovered
    /// A file got a label, or an entry in the table of files without one.
    case labelled
    /// It did not get the owner that the program stated, or has none since the program did not say who works.
    case unlabelled
  }

  package var act: Act
  /// The number of the answer, as that of a decision: a record `withdrawn` names it when the answer could not leave.
  package var id: String?
  package var app: String?
  /// The first digits of the instance's token.
  package var instance: String?
  /// Nil where only its id was told.
  package var account: String?
  package var person: UInt32
  package var use: DataKeyUse?
  package var keyID: String?
  /// The first digits of the object's id.
  package var object: String?
  /// Why the account may not work.
  package var reason: Reason?
  package var refusal: Refusal.Code?
  /// Number of the keys that were destroyed.
  package var count: Int?
  package var peer: LoggedPeer?
  /// The name of the administrator who asked, the user as whom the administrator logged in, and the reason.
  package var user: String?
  package var login: UInt32?
  package var cause: String?
  /// The policy in force.
  package var generation = Generation()

  package init(_ act: Act, person: UInt32) { (self.act, self.person) = (act, person) }
}

extension LogEncoder {
  /// Appends a step with the keys of sealed data.
  package mutating func encode(_ entry: DataKeyEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.key, at: time, into: &bytes) { record, encoder in
      record.text("act", entry.act.rawValue)
      record.text("id", entry.id)
      record.text("app", entry.app)
      record.text("instance", entry.instance)
      encoder.writeAccount("account", entry.account, &record)
      record.number("person", UInt64(entry.person))
      record.text("use", entry.use?.rawValue)
      record.text("keyId", entry.keyID)
      record.text("object", entry.object)
      record.text("reason", entry.reason?.rawValue ?? entry.cause)
      record.text("refusal", entry.refusal?.rawValue)
      if let count = entry.count { record.number("count", count) }
      encoder.writePeer(entry.peer, &record)
      record.text("user", entry.user)
      if let login = entry.login { record.number("login", UInt64(login)) }
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
