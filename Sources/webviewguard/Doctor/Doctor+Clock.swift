internal import GuardModel
internal import GuardService
internal import Platform

/// The clock: rules expire by it, and the log tells time by it.
extension Doctor {
  var clockFindings: [Finding] { [recordFinding, synchronisationFinding].compactMap(\.self) }

  /// Milliseconds by which clocks are set every day.
  private static let tolerance: UInt64 = 60_000

  private var recordFinding: Finding? {
    guard let latest = latestRecordTime else { return nil }
    guard latest > now + Self.tolerance else {
      return .ok("clock", "it is behind no time on record (\(RFC3339.text(latest)))")
    }
    return .problem(
      "clock",
      "it says \(RFC3339.text(now)), and the log has a record of \(RFC3339.text(latest)), which holds until then",
      "set the clock right; when the record was written by a clock that was wrong, rules that expired stay so meanwhile"
    )
  }

  private var synchronisationFinding: Finding? {
    switch SystemClock.isSynchronised {
    case true: .ok("clock", "it is kept right from outside")
    case false:
      .warning(
        "clock", "nobody keeps it right: rules expire, and records are dated, by what it happens to say",
        "enable a time service: `timedatectl set-ntp true`")
    case nil: nil
    }
  }
}
