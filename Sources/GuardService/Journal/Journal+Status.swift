internal import DecisionLog
internal import GuardModel
package import GuardProtocol
internal import Platform
internal import PolicyFiles

/// The journal's part of `Status`, `Health` and `Metrics`.
extension Journal {
  /// The newest record, and where it is; nil without a log.
  var logHead: ReportedLogHead? {
    (recorder?.progress.head).map { ReportedLogHead(sequence: $0.seq, hash: $0.hash.hex) }
  }

  package var logStatus: LogStatus? {
    guard let recorder else { return nil }
    var status = LogStatus()
    status.durability = settings.durability.rawValue
    status.files = recorder.history.files
    status.bytes = recorder.history.bytes
    status.written = recorder.progress.written
    status.synced = settings.durability == .synced ? recorder.progress.synced : nil
    status.failure = recorder.progress.failure?.description
    status.lost = loss
    status.prunedEarly = recorder.history.prunedEarly
    status.fullShares = recorder.history.shares.full
    return status
  }

  /// The end of a line for the service manager: nothing when all is well.
  var standing: String {
    (isFailing ? "; the decision log cannot be written" : "")
      + (state.failure == nil ? "" : "; the state cannot be written")
  }

  // MARK: Problems

  package var problems: [HealthProblem] {
    [
      logProblem, lagProblem, shareProblem, fillingProblem, sizeProblem,
      loss.map { HealthProblem(.logCut, $0) }, stateProblem,
      state.lockLoss.map { HealthProblem(.locksLost, "locks of accounts may be lost: \($0)") }, clockProblem,
    ].compactMap(\.self)
  }

  private var logProblem: HealthProblem? {
    guard let recorder else { return HealthProblem(.logOff, "nothing is recorded") }
    guard let failure = recorder.progress.failure else { return nil }
    let answer = settings.onLogFailure == .block ? "nothing is allowed" : "answers go unrecorded"
    return HealthProblem(.logFailing, "the decision log cannot be written, so \(answer): \(failure)")
  }

  /// A disk that takes longer than this for a record holds people up.
  private static let tolerableLag: UInt64 = 1000

  private var lagProblem: HealthProblem? {
    guard let recorder, !recorder.isFailing, logLag >= Self.tolerableLag else { return nil }
    return HealthProblem(.logBehind, "records wait for the disk since \(logLag / 1000) s")
  }

  private var shareProblem: HealthProblem? {
    guard let full = recorder?.history.shares.full, !full.isEmpty else { return nil }
    return HealthProblem(
      .logShareFull,
      "records of uid \(shown(full)) fill their share of the decision log, so nothing is allowed to them, for an hour at "
        + "most")
  }

  private var fillingProblem: HealthProblem? {
    guard let filling = recorder?.history.shares.filling, !filling.isEmpty else { return nil }
    return HealthProblem(
      .logShareFilling,
      "records of uid \(shown(filling)) fill most of their share of the decision log: once it is full, nothing is allowed "
        + "to them")
  }

  private func shown(_ users: [UInt32]) -> String {
    users.prefix(8).map { "\($0)" }.joined(separator: ", ") + (users.count > 8 ? " …" : "")
  }

  private static let dayMilliseconds: UInt64 = 86_400_000

  private var sizeProblem: HealthProblem? {
    guard let pruned = recorder?.history.prunedEarly, pruned + Self.dayMilliseconds > SystemClock.milliseconds else {
      return nil
    }
    return HealthProblem(
      .logTooSmall, "records had to go before their time, at \(RFC3339.text(pruned)): raise `log.maximumMegabytes`")
  }

  private var stateProblem: HealthProblem? {
    if let failure = state.failure {
      return HealthProblem(.stateFailing, "the state cannot be written: \(failure)")
    }
    guard !state.isKept, let error = state.error else { return nil }
    return HealthProblem(.stateFailing, "the state cannot be kept: \(error)")
  }

  private var clockProblem: HealthProblem? {
    var clock = clock
    let (now, system) = (clock.now(), SystemClock.milliseconds)
    if clock.isAhead {
      return HealthProblem(
        .clockAhead,
        "the clock jumped \((system - min(system, now)) / 1000) s ahead of the time since the boot, and is not believed"
      )
    }
    if now < SteadyClock.earliest {
      return HealthProblem(
        .clockBehind, "the clock says \(RFC3339.text(system)): nobody has set it, so no rule expires")
    }
    guard now > system + Self.clockTolerance else { return nil }
    return HealthProblem(
      .clockBehind, "the clock is \((now - system) / 1000) s behind the latest time on record, which holds until then")
  }

  // MARK: Metrics

  func describe(_ text: inout MetricsText) {
    text.single(
      "webviewguard_log_failing", .gauge, "Whether the decision log cannot be written.",
      isFailing ? 1 : 0)
    text.single(
      "webviewguard_log_failures_total", .counter, "How often the decision log began to fail.", logFailures)
    text.single(
      "webviewguard_lost_records_total", .counter, "Records that were left out, since the log failed.",
      recorder?.lostInAll ?? 0)
    text.single(
      "webviewguard_log_records", .gauge, "The number of the newest record that is written.",
      recorder?.progress.written ?? 0)
    text.single(
      "webviewguard_log_lag_records", .gauge, "Records that are not written yet, or with `synced` not on the disk.",
      recorder.map { $0.newest - min($0.newest, $0.settled) } ?? 0)
    text.single(
      "webviewguard_log_lag_bytes", .gauge, "Bytes of the log that are not written yet.",
      UInt64(clamping: recorder?.waitingBytes ?? 0))
    text.single("webviewguard_log_files", .gauge, "Files of the log.", UInt64(clamping: recorder?.history.files ?? 0))
    text.single(
      "webviewguard_log_bytes", .gauge, "Bytes of all files of the log.", UInt64(clamping: recorder?.history.bytes ?? 0)
    )
    text.single(
      "webviewguard_log_full_shares", .gauge, "Users whose records fill their share of the log.",
      UInt64(clamping: recorder?.history.shares.full.count ?? 0))
    text.family("webviewguard_log_lag_seconds", .gauge, "How long the oldest record has waited, at least.")
    text.sample("webviewguard_log_lag_seconds", seconds: logLag)
    text.single(
      "webviewguard_state_failing", .gauge, "Whether the state file cannot be written.",
      state.failure == nil ? 0 : 1)
    text.single(
      "webviewguard_state_failures_total", .counter, "How often the state file began to fail.", state.failures)
  }
}

/// Since when the decision log is behind, as the event loop sees it.
///
///     var lag = LogLag()
///     lag.submitted(7, at: 100)    // records up to 7 were handed over
///     lag.milliseconds(at: 130)    // 30
///     lag.written(7, of: 9, at: 140)
///     lag.milliseconds(at: 150)    // 10: 8 and 9 came meanwhile
package struct LogLag {
  /// A record that was not written then, and when it was first known to wait.
  private var waiting: (record: UInt64, since: UInt64)?

  package init() {}

  /// Records up to this one were handed over; times are milliseconds of a clock that cannot be set.
  package mutating func submitted(_ record: UInt64, at now: @autoclosure () -> UInt64) {
    if waiting == nil { waiting = (record, now()) }
  }

  /// The log is written up to `record`, and `newest` is the last that there is.
  package mutating func written(_ record: UInt64, of newest: UInt64, at now: UInt64) {
    guard let waiting, waiting.record <= record else { return }
    self.waiting = record < newest ? (newest, now) : nil
  }

  /// Minimum wait of the oldest record so far; 0 when none waits.
  package func milliseconds(at now: UInt64) -> UInt64 { waiting.map { now - min(now, $0.since) } ?? 0 }
}
