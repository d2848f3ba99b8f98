package import GuardModel

/// A step in the life of an account: its registration, its enrolment, its end (ledger EN, DR, AA-05).
package struct AccountEntry: Sendable, Hashable {
  /// The step, in the words of `AccountEvent.Act`.
  package var act: String
  package var app: String?
  package var account: String
  /// The person whose account it is.
  package var person: UInt32
  package var state: AccountLifeState?
  package var result: EnrollmentResult?
  package var source: AccountSource?
  /// The process that asked; nil when time, a reload or a source brought the step about.
  package var peer: LoggedPeer?
  /// The policy in force.
  package var generation = Generation()

  package init(_ act: String, account: String, person: UInt32) {
    self.act = act
    self.account = account
    self.person = person
  }
}

extension LogEncoder {
  /// Appends a step in the life of an account.
  package mutating func encode(_ entry: AccountEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.account, at: time, into: &bytes) { record, encoder in
      record.text("act", entry.act)
      record.text("app", entry.app)
      encoder.writeAccount("account", entry.account, &record)
      record.number("person", UInt64(entry.person))
      record.text("state", entry.state?.rawValue)
      record.text("result", entry.result?.rawValue)
      record.text("source", entry.source?.rawValue)
      encoder.writePeer(entry.peer, &record)
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
