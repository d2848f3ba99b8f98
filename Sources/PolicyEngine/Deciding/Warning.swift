internal import GuardModel

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
    return question.snapshot.protections[Int(deciding)].warn.contains(event.kind)
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
