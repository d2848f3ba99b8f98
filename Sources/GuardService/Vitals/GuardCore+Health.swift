internal import GuardModel
internal import GuardProtocol
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// `Health`: problems that an administrator should look after, found by looking and not by remembering.
extension GuardCore {
  var health: HealthReply {
    HealthReply(
      [
        policyProblem, originProblem, loadProblem, keepProblem, socketProblem, logProblem, lagProblem, shareProblem,
        fillingProblem, sizeProblem, lossProblem, stateProblem, clockProblem, connectionsProblem,
      ].compactMap(\.self))
  }

  private var policyProblem: HealthProblem? {
    guard !snapshot.hasPolicy else { return nil }
    return HealthProblem(
      .noPolicy, "no policy is loaded: everything is \(snapshot.policyRequired ? "blocked" : "allowed")")
  }

  private var originProblem: HealthProblem? {
    guard snapshot.hasPolicy else { return nil }
    switch loads.origin {
    case .disk: return nil
    case .lastGood:
      return HealthProblem(
        .lastGood, "the last good policy is in force, since the configuration on disk cannot be loaded")
    case .rolledBack:
      return HealthProblem(.rolledBack, "the policy was rolled back: the configuration on disk is not in force")
    }
  }

  private var keepProblem: HealthProblem? {
    guard let error = loads.keepError, loads.store != nil else { return nil }
    return HealthProblem(.policyNotKept, "a bad configuration at the next start could not fall back: \(error)")
  }

  private var socketProblem: HealthProblem? {
    sockets?.failure.map { HealthProblem(.socketGone, "apps do not find the daemon: \($0)") }
  }

  private var loadProblem: HealthProblem? {
    guard let error = loads.lastError else { return nil }
    // Hints stand indented below their findings.
    let findings = error.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    let first = findings.first ?? ""
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    return HealthProblem(.loadFailed, "the last load failed: \(first)\(more)")
  }

  private var logProblem: HealthProblem? {
    guard let recorder else { return HealthProblem(.logOff, "nothing is recorded") }
    guard let failure = recorder.progress.failure else { return nil }
    let answer = settings.log.onLogFailure == .block ? "nothing is allowed" : "answers go unrecorded"
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

  private var lossProblem: HealthProblem? { logLoss.map { HealthProblem(.logCut, $0) } }

  private var stateProblem: HealthProblem? {
    if let failure = keeper?.progress.failure {
      return HealthProblem(.stateFailing, "the state cannot be written: \(failure)")
    }
    guard keeper == nil, let stateError else { return nil }
    return HealthProblem(.stateFailing, "the state cannot be kept: \(stateError)")
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

  private var connectionsProblem: HealthProblem? {
    guard quotas.total >= quotas.maximum else { return nil }
    return HealthProblem(.connectionsFull, "all \(quotas.maximum) connections are taken: no app can connect")
  }
}
