package import GuardModel
package import JSONText

/// The reply to `Status`.
package struct StatusReply: Reply, Sendable, Hashable {
  package var version = ""
  package var pid: Int32 = 0
  /// The start of the service, in milliseconds since 1970.
  package var since: UInt64 = 0
  package var state = ServiceState.noPolicy
  package var generation = Generation()
  /// In milliseconds since 1970; nil before any policy loaded.
  package var loadedAt: UInt64?
  /// The error of the last load; nil when it succeeded.
  package var lastError: String?
  /// The next expiry of a rule, in milliseconds since 1970; nil when none will expire.
  package var nextExpiry: UInt64?
  package var lists: [RuleListStatus] = []
  package var apps = 0
  package var instances = 0
  package var viewers = 0
  package var connections = 0
  package var decisions = DecisionCounters()
  package var logHead: ReportedLogHead?
  package var logFile: String?
  /// The file that keeps the state across restarts; nil without one.
  package var stateFile: String?
  /// The error that lost the state at the start, or that prevents writing it; nil when all is well.
  package var stateError: String?
  /// The reason for a socket not being where apps look for it; nil when all are in place.
  package var socketError: String?
  /// The state of the decision log; nil when nothing is logged.
  package var log: LogStatus?
  /// Number of timed exceptions in force; nil when there are none.
  package var exceptions: Int?
  /// The next end of an exception, in milliseconds since 1970.
  package var nextExceptionEnd: UInt64?
  /// The origin of the policy, and the result of the last load.
  package var policy = PolicyStatus()
  /// The health of the service and its problems; nil from a service that does not say.
  package var health: HealthReply?

  package init() {}

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("version", version)
    writer.member("pid", Int(pid))
    writer.member("since", since)
    writer.member("state", state.rawValue)
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("loadedAt", ifPresent: loadedAt)
    writer.member("lastError", ifPresent: lastError)
    writer.member("nextExpiry", ifPresent: nextExpiry)
    writer.key("lists")
    writer.beginArray()
    for list in lists { list.write(to: &writer) }
    writer.endArray()
    writer.member("apps", apps)
    writer.member("instances", instances)
    writer.member("viewers", viewers)
    writer.member("connections", connections)
    decisions.write(to: &writer)
    logHead?.write(to: &writer)
    writer.member("logFile", ifPresent: logFile)
    writer.member("stateFile", ifPresent: stateFile)
    writer.member("stateError", ifPresent: stateError)
    writer.member("socketError", ifPresent: socketError)
    log?.write(to: &writer)
    writer.member("exceptions", ifPresent: exceptions)
    writer.member("nextExceptionEnd", ifPresent: nextExceptionEnd)
    policy.write(to: &writer)
    health?.writeParameters(to: &writer)
  }
}

/// The service's ability to decide.
package enum ServiceState: String, Sendable, Hashable, CaseIterable {
  /// No policy ever loaded.
  case noPolicy
  case ok
}

/// Decisions since the start, by outcome.
package struct DecisionCounters: Sendable, Hashable {
  /// One number for each outcome, in the order of `Outcome.allCases`.
  private let numbers: [UInt64]
  /// Number of all these that repeated an earlier decision.
  package let repeated: UInt64

  /// Counters with the given repeats, and `number(outcome)` for each outcome.
  package init(repeated: UInt64 = 0, of number: (Outcome) -> UInt64 = { _ in 0 }) {
    numbers = Outcome.allCases.map(number)
    self.repeated = repeated
  }

  package subscript(outcome: Outcome) -> UInt64 { numbers[Int(outcome.rawValue)] }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key("decisions")
    writer.beginObject()
    writer.member("block", self[.block])
    writer.member("allow", self[.allow])
    writer.member("warn", self[.warn])
    writer.member("redirect", self[.redirect])
    writer.member("handOff", self[.handOff])
    writer.member("redact", self[.redact])
    writer.member("switchIdentity", self[.switchIdentity])
    writer.member("repeated", repeated)
    writer.endObject()
  }
}

/// A file of names or filters that rules refer to, with its size and age.
package struct RuleListStatus: Sendable, Hashable {
  package var file: String
  package var format: String
  package var entries: Int
  package var badLines: Int
  /// In milliseconds since 1970; nil when the file system does not say.
  package var modified: UInt64?

  package init(file: String, format: String, entries: Int, badLines: Int, modified: UInt64?) {
    self.file = file
    self.format = format
    self.entries = entries
    self.badLines = badLines
    self.modified = modified
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", file)
    writer.member("format", format)
    writer.member("entries", entries)
    writer.member("badLines", badLines)
    writer.member("modified", ifPresent: modified)
    writer.endObject()
  }
}

/// The last record of the decision log, for an outsider to attest.
package struct ReportedLogHead: Sendable, Hashable {
  package var sequence: UInt64
  /// In lower-case hexadecimal.
  package var hash: String

  package init(sequence: UInt64, hash: String) {
    self.sequence = sequence
    self.hash = hash
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key("logHead")
    writer.beginObject()
    writer.member("sequence", sequence)
    writer.member("hash", hash)
    writer.endObject()
  }
}

/// The state of the decision log in `Status`.
package struct LogStatus: Sendable, Hashable {
  /// The state of a record before its answer may leave: `written` or `synced`.
  package var durability = ""
  /// Number of files.
  package var files = 0
  /// Size of all files together.
  package var bytes = 0
  /// Number of the newest record that the kernel has.
  package var written: UInt64 = 0
  /// Number of the newest record on the disk; nil when no answer waits for the disk.
  package var synced: UInt64?
  /// The error that prevents writing the log; nil without one.
  package var failure: String?
  /// The loss that the daemon found at its start, in words; nil without one.
  package var lost: String?
  /// The last time that files had to go early, in milliseconds since 1970; nil when none did.
  package var prunedEarly: UInt64?
  /// Users whose records fill their share.
  package var fullShares: [UInt32] = []

  package init() {}

  func write(to writer: inout JSONWriter) {
    writer.key("log")
    writer.beginObject()
    writer.member("durability", durability)
    writer.member("files", files)
    writer.member("bytes", bytes)
    writer.member("written", written)
    writer.member("synced", ifPresent: synced)
    writer.member("failure", ifPresent: failure)
    writer.member("lost", ifPresent: lost)
    writer.member("prunedEarly", ifPresent: prunedEarly)
    writer.key("fullShares")
    writer.beginArray()
    for uid in fullShares { writer.value(UInt64(uid)) }
    writer.endArray()
    writer.endObject()
  }
}
