package import GuardModel
package import JSONText

/// The reply to `Status`.
package struct StatusReply: Reply, Sendable, Hashable {
  package var version = ""
  package var pid: Int32 = 0
  /// When the service started, in milliseconds since 1970.
  package var since: UInt64 = 0
  package var state = ServiceState.noPolicy
  package var generation = Generation()
  /// In milliseconds since 1970; nil before any policy loaded.
  package var loadedAt: UInt64?
  /// Why the last load failed; nil when it did not.
  package var lastError: String?
  /// When the next rule expires, in milliseconds since 1970; nil when none will.
  package var nextExpiry: UInt64?
  package var lists: [RuleListStatus] = []
  package var apps = 0
  package var instances = 0
  package var viewers = 0
  package var connections = 0
  package var decisions = DecisionCounters()
  package var logHead: LogHead?
  package var logFile: String?
  /// The file that outlives the service; nil when nothing does.
  package var stateFile: String?
  /// Why the state was lost at the start, or cannot be written; nil when all is well.
  package var stateError: String?
  /// Why a socket is not where apps look for it; nil when all are in their places.
  package var socketError: String?
  /// How the decision log is; nil when nothing is logged.
  package var log: LogStatus?
  /// How many timed exceptions are in force; nil when none is.
  package var exceptions: Int?
  /// When the next of them ends, in milliseconds since 1970.
  package var nextExceptionEnd: UInt64?
  /// Where the policy comes from, and how the last load ended.
  package var policy = PolicyStatus()
  /// How the service is, and why; nil from a service that does not say.
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

/// Whether the service can decide.
package enum ServiceState: String, Sendable, Hashable, CaseIterable {
  /// No policy ever loaded.
  case noPolicy
  case ok
}

/// Decisions since the start, by outcome.
package struct DecisionCounters: Sendable, Hashable {
  /// One number for each outcome, in the order of `Outcome.allCases`.
  private let numbers: [UInt64]
  /// Of all these, how many repeated an earlier decision.
  package let repeated: UInt64

  /// So many repeated, and of each outcome what `number` says.
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

/// A file of names or filters that rules refer to: how large and how old it is.
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
package struct LogHead: Sendable, Hashable {
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

/// How the decision log is, as `Status` tells.
package struct LogStatus: Sendable, Hashable {
  /// When an answer may leave: `written` or `synced`.
  package var durability = ""
  /// How many files there are.
  package var files = 0
  /// What they hold together.
  package var bytes = 0
  /// Number of the newest record that the kernel has.
  package var written: UInt64 = 0
  /// Number of the newest record on the disk; nil where no answer waits for that.
  package var synced: UInt64?
  /// Why the log cannot be written; nil when it can.
  package var failure: String?
  /// What was gone from it when the daemon started, in words; nil when nothing was.
  package var lost: String?
  /// When files last had to go before their time, in milliseconds since 1970; nil when none did.
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
