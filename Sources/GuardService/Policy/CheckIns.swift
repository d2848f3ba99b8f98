internal import GuardModel
package import GuardProtocol
internal import PolicyFiles

/// The machine's last word from the distributor of its policy: the last check-in (`Reload` with `checkedIn`), and the
/// failure since then.
///
///     var checkIns = CheckIns()
///     checkIns.succeed(with: digest, at: 1_795_000_000_000)
///     checkIns.age(at: 1_795_003_600_000)    // 3600 seconds
///
/// The attack: a user who keeps the machine from its distributor keeps an old policy in force. Nothing here prevents
/// that; it shows, in `Status`, `Health` and `webviewguard compliance`.
package struct CheckIns: Sendable, Hashable {
  package private(set) var last: CheckInStatus?
  package private(set) var failure: CheckInFailure?

  /// Nothing is on record.
  package init() {}

  /// Three check-ins of the timer, in milliseconds: one that is missed is no news, a day without any is.
  package static let lateAfter: UInt64 = 24 * 3_600_000
  /// Bytes of a cause: one line of a journal.
  package static let maximumCause = 300

  package mutating func succeed(with digest: String, at time: UInt64) {
    last = CheckInStatus(time: time, digest: digest)
    failure = nil
  }

  package mutating func fail(because cause: String, at time: UInt64) {
    failure = CheckInFailure(time: time, cause: Self.line(cause))
  }

  /// Seconds since the last check-in; nil when none is on record, and when its time lies ahead of the clock: a clock that
  /// was wrong must not make a policy look fresh.
  ///
  /// - Parameter now: milliseconds since 1970.
  package func age(at now: UInt64) -> UInt64? {
    guard let last, last.time <= now else { return nil }
    return (now - last.time) / 1000
  }

  /// One line, and not longer than a line: the words are a caller's.
  private static func line(_ words: String) -> String {
    var line = ""
    for character in words.escapedForDisplay {
      guard line.utf8.count + character.utf8.count <= maximumCause else { break }
      line.append(character)
    }
    return line
  }
}

/// Check-ins as texts of the state file. They outlive a restart and a reboot.
extension CheckIns {
  private static let successMark = "checkIn"
  private static let failureMark = "checkInFailure"

  /// Takes up the check-in of the state file. A text of another form counts as none.
  package init(marks: [String: String]) {
    if let (time, digest) = Self.split(marks[Self.successMark]), KeptPolicy.isDigest(digest[...]) {
      last = CheckInStatus(time: time, digest: digest)
    }
    if let (time, cause) = Self.split(marks[Self.failureMark]) {
      failure = CheckInFailure(time: time, cause: Self.line(cause))
    }
  }

  /// The texts by name; an empty one is none.
  package var marks: [String: String] {
    [
      Self.successMark: last.map { "\($0.time) \($0.digest)" } ?? "",
      Self.failureMark: failure.map { "\($0.time) \($0.cause)" } ?? "",
    ]
  }

  private static func split(_ mark: String?) -> (UInt64, String)? {
    guard let mark, let space = mark.firstIndex(of: " "), let time = UInt64(mark[..<space]) else { return nil }
    return (time, String(mark[mark.index(after: space)...]))
  }
}

/// Problems of the distribution, for `Status` and `Health`.
extension CheckIns {
  /// - Parameter now: milliseconds since 1970.
  package func problems(at now: UInt64) -> [HealthProblem] {
    [failureProblem, lateProblem(at: now)].compactMap(\.self)
  }

  private var failureProblem: HealthProblem? {
    guard let failure else { return nil }
    return HealthProblem(.checkInFailed, "the check-in of \(RFC3339.text(failure.time)) failed: \(failure.cause)")
  }

  /// A machine that never checked in gets its policy in another way.
  private func lateProblem(at now: UInt64) -> HealthProblem? {
    guard let last else { return nil }
    let when = "the last check-in was at \(RFC3339.text(last.time))"
    guard last.time <= now else { return HealthProblem(.checkInLate, when + ", which lies ahead of the clock") }
    guard now - last.time > Self.lateAfter else { return nil }
    return HealthProblem(.checkInLate, when + ", \((now - last.time) / 3_600_000) hours ago")
  }
}
