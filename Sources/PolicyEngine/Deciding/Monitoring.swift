internal import GuardModel
internal import URLRules

/// Where the policy only monitors: decided in full, recorded as advised, and answered as the rest of the policy answers
/// (amendments, monitoring).
///
/// The procedure runs again without the monitored parts, so that the enforced settings of another side still hold.
/// Nothing else is taken away: a text that is no URL, an account that may not work and a view of several accounts end
/// the procedure as before.
extension GuardState {
  /// Answers a question that the policy, were it enforced, answers with `decision`; changes nothing when no monitored
  /// setting or rule had a part in it.
  mutating func answerMonitored(
    _ decision: inout Decision, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) {
    guard let without = question.snapshotWithoutMonitored else { return }
    guard decision.isRestricting || decision.verdict != nil && question.asksAdvice else { return }
    guard let again = self.question(event, of: id, without) else { return }
    var answer = judgeEach(event, again, of: id)
    guard decision.isRestricting || !answer.isByRule(of: decision) else { return }
    defer { decision = answer }
    guard !answer.isSame(as: decision) else { return }
    let cause = cause(of: decision, question)
    var advice = Advice(decision.outcome, decision.reason, cause)
    (advice.ruleSet, advice.rule) = (decision.ruleSet, decision.rule)
    answer.advice = advice
    // Behind a skipped rule another rule answers for itself, unless its restriction is lifted as well.
    let isLifted = cause != .rule || without.lifting != .nothing && answer.verdict == .external
    if decision.isRestricting, !answer.isRestricting, answer.outcome != .block, isLifted { answer.reason = .monitored }
  }

  private func cause(of decision: Decision, _ question: Question) -> MonitorCause {
    let snapshot = question.snapshot
    if question.app.isMonitored { return .app }
    if let ruleSet = decision.ruleSet, let rule = decision.rule,
      snapshot[ruleSet].monitors(snapshot.rule(rule, of: ruleSet))
    {
      return .rule
    }
    return decision.isRestricting && snapshot.protections.contains(where: \.isMonitored) ? .protection : .rule
  }
}

extension Question {
  /// The policy without the parts that are monitored for the asking app; nil when there are none, or when this is that
  /// policy.
  fileprivate var snapshotWithoutMonitored: Snapshot? {
    app.isMonitored ? snapshot.lifted.withoutAll : snapshot.lifted.withoutMonitored
  }

  /// The rules that judge the viewer include rules that only monitor: their answer is not final yet.
  var asksAdvice: Bool {
    guard snapshot.asksMonitoredRules else { return false }
    if case .ruleSet(let index) = viewer.rules { return snapshot[index].mayMonitor }
    return snapshot.ruleSets.contains(where: \.mayMonitor)
  }

  /// Whether a refusal by a protection is advice only, so that it has no consequence.
  func onlyAdvises(_ refusal: Decision) -> Bool {
    app.isMonitored || refusal.decider.map { snapshot[$0].isMonitored } ?? false
  }
}

extension Decision {
  fileprivate func isSame(as other: Decision) -> Bool {
    outcome == other.outcome && reason == other.reason && isByRule(of: other)
  }

  fileprivate func isByRule(of other: Decision) -> Bool { ruleSet == other.ruleSet && rule == other.rule }
}

/// A protection that warns lets the user do, after a justification, actions that its own settings would block.
extension GuardState {
  /// The procedure's answer; `warn` in place of a block by the settings of a protection that warns of such events, when
  /// nothing else blocks it. Its duties are those of an allowed action.
  mutating func judgeOrWarn(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    let decision = judge(event, question, of: id)
    guard decision.outcome == .block, let without = question.snapshot.lifted.withoutWarning(of: event.kind) else {
      return decision
    }
    guard decision.mayBeWarned(of: event, in: question),
      let again = self.question(event, of: id, as: question.assumed, without)
    else {
      return decision
    }
    guard question.features.contains(.warn) else { return decision.noting(.cannotWarn) }
    // Another side may block an action that this one only warns of.
    var warned = judge(event, again, of: id)
    guard !warned.isRestricting else { return warned }
    (warned.outcome, warned.reason) = (.warn, decision.reason)
    (warned.protection, warned.decider) = (decision.protection, decision.decider)
    warned.limit = warned.limit ?? decision.limit
    return warned
  }
}

extension Decision {
  /// It is kept from happening in the requested form. A hand-off is no restriction: such a URL opens this way also when
  /// nothing restricts, and a frame that cannot hand off is not restricted by it either.
  var isRestricting: Bool {
    switch offered ?? outcome {
    case .allow, .handOff: false
    case .block, .warn, .redirect, .redact, .switchIdentity: true
    }
  }

  /// The settings of a protection that warns of such events blocked it. Only a page can ask its user: a sub-frame that is
  /// blocked stays so.
  fileprivate func mayBeWarned(of event: borrowing Event, in question: Question) -> Bool {
    guard reason.isOfProtectionSetting, event.kind != .navigate || event.frame == .main else { return false }
    guard let deciding = decider ?? protection else { return false }
    return question.snapshot[deciding].warn.contains(event.kind)
  }
}

extension Reason {
  /// A protection's own setting blocks, and the data's owner is known.
  ///
  /// These are no settings: a scanner's finding, an unknown account or clip, a rule that blocks, a missing browser, and
  /// a ban by the app's own settings.
  fileprivate var isOfProtectionSetting: Bool {
    switch self {
    case .externalBlocked, .handOffBlocked, .schemeClassBlocked, .storeLinkBlocked, .orgData, .orgDataOverLimit,
      .incomingRestricted, .personalDataOverLimit, .outgoingRestricted, .outgoingDisallowed, .incomingDisallowed,
      .wrongAccount, .saveLocationNotListed, .openLocationNotListed, .downloadBlocked, .shareBlocked, .printBlocked,
      .captureBlocked, .notificationBlocked, .indexBlocked, .channelBlocked, .scanRequired, .scanTooLarge,
      .scanOffline, .scanCancelled, .identitySwitchFailed:
      true
    default: false
    }
  }
}
