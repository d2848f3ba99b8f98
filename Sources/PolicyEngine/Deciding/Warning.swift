internal import GuardModel

/// Where a protection warns: what its own settings would block, the user may do after a justification.
extension GuardState {
  /// The procedure's answer; `warn` in place of a block by the settings of a protection that warns of such events, when
  /// nothing else blocks it. What is to be done beside it is what an allowed action would bring along.
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
    // Another side may block what this one only warns of.
    var warned = judge(event, again, of: id)
    guard !warned.isRestricting else { return warned }
    (warned.outcome, warned.reason) = (.warn, decision.reason)
    (warned.protection, warned.decider) = (decision.protection, decision.decider)
    warned.limit = warned.limit ?? decision.limit
    return warned
  }
}

extension Decision {
  /// It is kept from happening as it was asked for. A hand-off is no restriction: it is how such a URL opens, also where
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
    return question.snapshot.protections[Int(deciding)].warn.contains(event.kind)
  }
}

extension Reason {
  /// A protection's own setting blocks, and it is known whose the data is.
  ///
  /// What a scanner found is no setting; neither is an account or a clip that nobody knows, a rule that blocks, a browser
  /// that is missing, or what the app's own settings forbid.
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
