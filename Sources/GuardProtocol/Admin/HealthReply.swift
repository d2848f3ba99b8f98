package import JSONText

/// The reply to `Health`, and a part of the one to `Status`: the health of the service, and its problems.
///
///     HealthReply([HealthProblem(.loadFailed, "a.yaml:3:1: error: …")]).level    // degraded
package struct HealthReply: Reply, Sendable, Hashable {
  /// The gravest first.
  package let problems: [HealthProblem]

  /// The health of a service with these problems, or with none.
  package init(_ problems: [HealthProblem] = []) {
    self.problems = problems.filter(\.isFailure) + problems.filter { !$0.isFailure }
  }

  /// The level of the gravest problem.
  package var level: HealthLevel {
    guard let gravest = problems.first else { return .ok }
    return gravest.isFailure ? .failed : .degraded
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("health", level.rawValue)
    writer.key("problems")
    writer.beginArray()
    for problem in problems { problem.write(to: &writer) }
    writer.endArray()
  }
}

/// The health of the service. The place in the list is the exit status of `webviewguard health`.
package enum HealthLevel: String, Sendable, Hashable, CaseIterable {
  case ok
  /// It decides, but an administrator should look after it.
  case degraded
  /// It has no policy to decide by.
  case failed

  /// 0, 1 or 2.
  package var number: Int {
    switch self {
    case .ok: 0
    case .degraded: 1
    case .failed: 2
    }
  }
}

/// A problem that an administrator should look after.
package struct HealthProblem: Sendable, Hashable {
  package var code: HealthProblemCode
  /// One line for people.
  package var text: String

  package init(_ code: HealthProblemCode, _ text: String) {
    self.code = code
    self.text = text
  }

  /// The service cannot do its work at all.
  fileprivate var isFailure: Bool { code == .noPolicy }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("code", code.rawValue)
    writer.member("text", text)
    writer.endObject()
  }
}

/// The kinds of problem. Alerts may rely on these words.
package enum HealthProblemCode: String, Sendable, Hashable, CaseIterable {
  /// No policy ever loaded.
  case noPolicy
  /// The last load failed; an older policy is in force.
  case loadFailed
  /// The configuration on disk could not be loaded at the start: the last good policy is in force.
  case lastGood
  /// An administrator rolled back: the configuration on disk is not in force.
  case rolledBack
  /// The last attempt to check in failed: the policy could not be fetched, or was not accepted.
  case checkInFailed
  /// The last check-in was too long ago.
  case checkInLate
  /// The policy in force could not be kept for the next start.
  case policyNotKept
  /// A socket is not at the path where apps look for it.
  case socketGone
  /// A posture file is not believed: what it says is unknown to conditions.
  case postureUnread
  /// The decision log cannot be written.
  case logFailing
  /// Records wait for the disk longer than they should.
  case logBehind
  /// The records of a user fill their share of the log: he is allowed nothing.
  case logShareFull
  /// The records of a user fill most of their share of the log.
  case logShareFilling
  /// The service had to delete log files before their time.
  case logTooSmall
  /// Written records were gone when the daemon started.
  case logCut
  /// The service records nothing (`--without-decision-log`).
  case logOff
  /// The state file cannot be written.
  case stateFailing
  /// Wipes and ends of access may be forgotten: neither the state file nor its copy of them could be used.
  case locksLost
  /// The keys of sealed data cannot be used: nobody seals or unseals data.
  case keysUnusable
  /// A wipe is to destroy keys, and could not yet.
  case keysNotDestroyed
  /// Keys have no copy for the organisation, as the policy wants it, and seal nothing.
  case keysNotCopied
  /// The system's clock is behind the latest time on record.
  case clockBehind
  /// The system's clock jumped ahead and is not believed.
  case clockAhead
  /// The service takes no further connection.
  case connectionsFull
}
