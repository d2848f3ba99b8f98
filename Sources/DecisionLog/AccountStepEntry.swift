package import GuardModel

/// A step in the life of an account: its registration, its enrolment, its end (ledger EN, DR, AA-05).
package struct AccountStepEntry: Sendable, Hashable {
  /// The step, in the words of `AccountEvent.Act`.
  package var act: String
  package var app: String?
  /// Nil where an administrator asked for a list.
  package var account: String?
  /// The person whose account it is; nil where an administrator asked for a list of all persons.
  package var person: UInt32?
  package var state: AccountLifeState?
  package var result: EnrollmentResult?
  package var source: AccountSource?
  /// How the daemon's question to the person ended.
  package var unlock: UnlockResult?
  /// What came of a look at it.
  package var compliance: ComplianceStatus?
  /// The process that asked; nil when time, a reload or a source brought the step about.
  package var peer: LoggedPeer?
  /// The name of the administrator who asked.
  package var user: String?
  /// The user as whom the administrator logged in, whoever asks now: it tells apart two persons who are both root.
  package var login: UInt32?
  /// The administrator's reason, in the administrator's words.
  package var cause: String?
  /// Why data is to be removed, and by which wipe; or the look at the account.
  package var wipeCause: WipeCause?
  package var request: String?
  /// The answer of an app, or the number of files that went.
  package var note: String?
  /// The policy in force.
  package var generation = Generation()

  package init(_ act: String, account: String?, person: UInt32?) {
    self.act = act
    self.account = account
    self.person = person
  }
}

extension LogEncoder {
  /// Appends a step in the life of an account.
  package mutating func encode(_ entry: AccountStepEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.account, at: time, into: &bytes) { record, encoder in
      record.text("act", entry.act)
      record.text("app", entry.app)
      encoder.writeAccount("account", entry.account, &record)
      if let person = entry.person { record.number("person", UInt64(person)) }
      record.text("state", entry.state?.rawValue)
      record.text("result", entry.result?.rawValue)
      record.text("source", entry.source?.rawValue)
      record.text("cause", entry.wipeCause?.rawValue)
      record.text("request", entry.request)
      record.text("compliance", entry.compliance?.rawValue)
      record.text("note", entry.note)
      record.text("reason", entry.cause)
      record.text("unlock", entry.unlock?.rawValue)
      encoder.writePeer(entry.peer, &record)
      record.text("user", entry.user)
      if let login = entry.login { record.number("login", UInt64(login)) }
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
