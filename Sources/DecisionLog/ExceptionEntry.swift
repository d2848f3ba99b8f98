package import GuardModel

/// What happened to a timed exception.
package struct ExceptionEntry: Sendable, Hashable {
  package enum Act: String, Sendable, Hashable, CaseIterable {
    case added
    case removed
    /// Its time was over.
    case ended
    /// A daemon that starts has it from the one before.
    case kept
    /// The state was lost, and with it every exception; which they were stands in the records before.
    case lost
  }

  package var act: Act
  package var id: String?
  package var host: String?
  /// The hosts below it are meant as well.
  package var isDomain = false
  package var app: String?
  package var account: String?
  package var subjects: [String] = []
  /// In milliseconds since 1970.
  package var until: UInt64?
  package var endsWithDaemon = false
  /// Who granted it, in words.
  package var grantor: String?
  /// Why, in the grantor's words; of what was lost, how.
  package var cause: String?
  /// Who acts now; nil when nobody does.
  package var peer: LoggedPeer?
  /// The name of that user.
  package var user: String?
  /// The policy in force from then on.
  package var generation = Generation()

  package init(_ act: Act) { self.act = act }
}

extension LogEncoder {
  /// Appends what happened to a timed exception.
  package mutating func encode(_ entry: ExceptionEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.exception, at: time, into: &bytes) { record, encoder in
      record.text("act", entry.act.rawValue)
      record.text("id", entry.id)
      if entry.isDomain { record.text("domain", entry.host) } else { record.text("host", entry.host) }
      record.text("app", entry.app)
      encoder.writeAccount("account", entry.account, &record)
      if !entry.subjects.isEmpty { record.texts("subjects", entry.subjects) }
      if let until = entry.until { encoder.writeTime("until", until, &record) }
      record.flag("untilRestart", entry.endsWithDaemon)
      record.text("grantedBy", entry.grantor)
      record.text("reason", entry.cause)
      encoder.writePeer(entry.peer, &record)
      record.text("user", entry.user)
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
