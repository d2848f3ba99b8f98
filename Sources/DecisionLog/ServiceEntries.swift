package import GuardModel

/// An attempt to load a policy, or the same policy with other parts in force.
package struct PolicyLoad: Sendable, Hashable {
  /// Whether the policy is in force now; if not, the one before it still is.
  package var isLoaded = false
  /// The policy in force after the attempt.
  package var generation = Generation()
  /// The directories that were read, in order.
  package var roots: [String] = []
  package var errors = 0
  /// The rules that expired, each behind its rule set; empty for a load.
  package var expired: [String] = []
  /// The parts that monitored until then, and are enforced from now on; empty for a load.
  package var enforced: [String] = []
  /// Its source, if that is not the configuration on disk: `lastGood` or `rolledBack`.
  package var source: String?
  /// The digest of the policy that was rolled back from.
  package var rolledBackFrom: String?
  /// Why it was loaded; nil where a part of the policy ended at its time.
  package var order: Order?
  /// The administrators who asked for it over the admin socket: all with the same order at the same time.
  package var askers: [Asker] = []
  /// It was ordered despite a reason that would have held it back (`--force`).
  package var isForced = false
  /// The caller had fetched the configuration from its distributor just then (`--checked-in`).
  package var isCheckIn = false
  /// Why a policy that could be loaded did not come into force, or why there was none to go back to.
  package var refusal: String?

  /// The cause of a load.
  package enum Order: String, Sendable, Hashable, CaseIterable {
    /// It started.
    case start
    case reload
    case rollback
    /// SIGHUP, whose sender is unknown.
    case signal
  }

  package init() {}
}

/// The daemon that starts or stops.
package struct ServiceIdentity: Sendable, Hashable {
  package var version: String
  package var pid: Int32
  /// The kernel's id of this boot: a log that spans a reboot shows it.
  package var bootID: String

  package init(version: String, pid: Int32, bootID: String) {
    self.version = version
    self.pid = pid
    self.bootID = bootID
  }
}

/// Decisions that were counted instead of recorded one by one (`record: notAllowed` and `counts`), or because the page
/// of a viewer exceeded the recorded rate.
package struct DecisionCount: Sendable, Hashable {
  package var app: String?
  /// The instance, the viewer and the user, of a page that was too fast.
  package var instance: String?
  package var viewer: String?
  package var uid: UInt32?
  package var outcome: Outcome
  package var reason: Reason
  /// The answer of a policy that only monitors; nil when the outcome is the policy's own.
  package var advised: Outcome?
  package var count: UInt64

  package init(app: String?, outcome: Outcome, reason: Reason, advised: Outcome? = nil, count: UInt64) {
    self.app = app
    self.outcome = outcome
    self.reason = reason
    self.advised = advised
    self.count = count
  }
}

/// Old files that retention removed. Their last record is named, so that the remaining chain has a known start.
package struct PrunedRecords: Sendable, Hashable {
  package var files: Int
  package var firstSeq: UInt64
  package var last: LogHead
  package var cause: Cause?

  /// The reason for their removal.
  package enum Cause: String, Sendable, Hashable, CaseIterable {
    /// They were older than the required time.
    case age
    /// The log had grown too large; they were not old enough yet.
    case size
  }

  package init(files: Int, firstSeq: UInt64, last: LogHead, cause: Cause? = nil) {
    self.files = files
    self.firstSeq = firstSeq
    self.last = last
    self.cause = cause
  }
}

/// A time in which the log could not be written, as on a full disk.
package struct LogFailure: Sendable, Hashable {
  /// The system's error.
  package var cause: String
  /// Its start, in milliseconds since 1970.
  package var since: UInt64
  /// Answers that were given without a record (`onLogFailure: continue`).
  package var lost: UInt64

  package init(cause: String, since: UInt64, lost: UInt64) {
    self.cause = cause
    self.since = since
    self.lost = lost
  }
}

/// Bytes at the end of a file that are no record: a write that a crash cut short.
package struct TornBytes: Sendable, Hashable {
  /// Their number, without the newline behind them.
  package var count: UInt64
  package var hash: LineHash

  package init(count: UInt64, hash: LineHash) {
    self.count = count
    self.hash = hash
  }
}

/// Records that a daemon had written, and that the next one did not find: the end of the log was cut off, or replaced.
package struct LostRecords: Sendable, Hashable {
  /// The newest record that was written.
  package var expected: LogHead
  /// Both daemons ran in one boot, so that no power cut explains it.
  package var isSameBoot: Bool

  package init(expected: LogHead, isSameBoot: Bool) {
    self.expected = expected
    self.isSameBoot = isSameBoot
  }
}

/// An event of the machine's clock.
package struct ClockEntry: Sendable, Hashable {
  package enum Act: String, Sendable, Hashable, CaseIterable {
    /// It jumped ahead of the time since the boot, and is not believed.
    case ahead
    /// It is believed again.
    case right
    /// An administrator said that it is right, against earlier records: times may run back here.
    case repaired
  }

  package var act: Act
  /// The time that it shows, in milliseconds since 1970.
  package var system: UInt64

  package init(_ act: Act, system: UInt64) {
    self.act = act
    self.system = system
  }
}

/// Decisions of one user that got no record of their own, since the user's records fill their share of the log.
package struct LimitedDecisions: Sendable, Hashable {
  package var uid: UInt32
  /// Answers that would have allowed something, and became an error.
  package var refused: UInt64 = 0
  /// Restrictions, which were answered as they were.
  package var restricted: UInt64 = 0
  /// Changes of state and other reports of apps; they took effect.
  package var changes: UInt64 = 0

  package init(uid: UInt32) { self.uid = uid }
}

extension LogEncoder {
  /// Appends how many of a user's decisions got no record, since the user's share of the log is full.
  package mutating func encode(_ limited: LimitedDecisions, at time: UInt64, into bytes: inout [UInt8]) {
    append(.limited, at: time, into: &bytes) { record, _ in
      record.number("uid", UInt64(limited.uid))
      record.number("refused", limited.refused)
      record.number("restricted", limited.restricted)
      record.number("changes", limited.changes)
    }
  }
}

/// A condition of a protection that changed (ledger CD-01 to CD-03).
package struct ConditionEntry: Sendable, Hashable {
  /// The name of the fact.
  package var check: String
  package var protection: String
  /// The effect of the condition now, in the words of `ConditionEvent.Standing`.
  package var standing: String
  /// The fact; nil when it is not known.
  package var value: String?
  /// The policy in force.
  package var generation = Generation()

  package init(_ check: String, in protection: String, _ standing: String) {
    self.check = check
    self.protection = protection
    self.standing = standing
  }
}

extension LogEncoder {
  /// Appends a condition that changed.
  package mutating func encode(_ entry: ConditionEntry, at time: UInt64, into bytes: inout [UInt8]) {
    append(.condition, at: time, into: &bytes) { record, encoder in
      record.text("check", entry.check)
      record.text("protection", entry.protection)
      record.text("standing", entry.standing)
      record.text("value", entry.value)
      encoder.writeGeneration(entry.generation, &record)
    }
  }
}
