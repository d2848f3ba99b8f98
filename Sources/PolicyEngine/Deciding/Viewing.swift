internal import GuardModel

/// What an app does with what it shows: printing, recording, notifying, indexing. Judged by the viewer's identity alone.
extension GuardState {
  /// Printing into a file also saves there (ledger PR-03).
  mutating func print(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let allowed = question.permitted(question.protectionSettings?.printing, .printAllowed, .printBlocked)
    guard allowed.outcome == .allow, event.path != nil else { return allowed }
    let saved = save(event, question, of: id)
    return saved.outcome == .allow ? allowed.keeping(dutiesOf: saved) : saved
  }

  func capture(_ event: borrowing Event, _ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    if event.capture == .ownImage, question.isManaged { return question.answer(.allow, .captureOwnImage) }
    return question.permitted(question.protectionSettings?.screenCapture, .captureAllowed, .captureBlocked)
      .noting(event.capture == .unknown ? .unknownCapture : [])
  }

  /// An app that cannot show a neutral text shows nothing (D-20).
  func notify(_ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    switch question.protectionSettings?.notifications {
    case nil: return question.answer(.allow, question.unrestrictedReason)
    case .allow: return question.answer(.allow, .notificationAllowed)
    case .block: return question.answer(.block, .notificationBlocked)
    case .blockOrgData:
      if question.features.contains(.redact) { return question.answer(.redact, .notificationRedacted) }
      return question.answer(.block, .notificationBlocked).noting(.cannotRedact)
    }
  }

  func index(_ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    return question.permitted(question.effective?.indexing, .indexAllowed, .indexBlocked)
  }
}

extension Question {
  /// The settings of the identity's own protection; nil when nothing binds it.
  var protectionSettings: Protection? { protection.map { snapshot.protections[Int($0)] } }

  var effective: EffectiveSettings? { protection.map { snapshot.effective[Int($0)] } }

  /// The answer of a setting that allows or blocks; nil restricts nothing.
  func permitted(_ permission: Permission?, _ allowed: Reason, _ blocked: Reason) -> Decision {
    switch permission {
    case nil: answer(.allow, unrestrictedReason)
    case .allow: answer(.allow, allowed)
    case .block: answer(.block, blocked)
    }
  }
}

extension Decision {
  /// The same answer with what another one says is to be done.
  fileprivate func keeping(dutiesOf other: Decision) -> Decision {
    var decision = self
    (decision.setOwner, decision.tagAs, decision.mustEncrypt) = (other.setOwner, other.tagAs, other.mustEncrypt)
    (decision.location, decision.notes) = (other.location, other.notes)
    return decision
  }
}
