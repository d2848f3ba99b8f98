package import GuardModel

/// An event of a timed exception.
package struct ExceptionEntry: Sendable, Hashable {
  package enum Act: String, Sendable, Hashable, CaseIterable {
    case added
    case removed
    /// Its time was over.
    case ended
    /// A daemon that starts has it from the one before.
    case kept
    /// The state was lost, and with it every exception; the earlier records list them.
    case lost
  }

  package var act: Act
  package var id: String?
  package var host: String?
  /// The hosts below it are included.
  package var isDomain = false
  package var app: String?
  package var account: String?
  package var subjects: [String] = []
  /// In milliseconds since 1970.
  package var until: UInt64?
  package var endsWithDaemon = false
  /// The grantor, in words.
  package var grantor: String?
  /// The cause, in the grantor's words; for lost exceptions, the cause of the loss.
  package var cause: String?
  /// The person who acts now; nil when no person does.
  package var peer: LoggedPeer?
  /// The name of that user.
  package var user: String?
  /// The policy in force from then on.
  package var generation = Generation()

  package init(_ act: Act) { self.act = act }
}

extension LogEncoder {
  /// Appends an event of a timed exception.
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
