internal import GuardModel

/// An app's use of the data it shows: printing, recording, notifying, indexing. Judged by the viewer's identity alone.
extension GuardState {
  /// Printing into a file also saves there (ledger PR-03).
  mutating func print(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let allowed = question.permitted({ $0.printing }, .printAllowed, .printBlocked)
    guard allowed.outcome == .allow, event.path != nil else { return allowed }
    let saved = save(event, question, of: id)
    return saved.outcome == .allow ? allowed.keeping(dutiesOf: saved) : saved
  }

  func capture(_ event: borrowing Event, _ question: Question) -> Decision {
    question.blurring(judgeCapture(event, question))
  }

  private func judgeCapture(_ event: borrowing Event, _ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    if event.capture == .ownImage, question.isManaged { return question.answer(.allow, .captureOwnImage) }
    return question.permitted({ $0.screenCapture }, .captureAllowed, .captureBlocked)
      .noting(event.capture == .unknown ? .unknownCapture : [])
  }

  /// An app that cannot show a neutral text shows nothing (D-20).
  func notify(_ question: Question) -> Decision { question.blurring(judgeNotice(question)) }

  private func judgeNotice(_ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    guard let level = question.snapshot.strictest(of: question.binding, { $0.notifications }) else {
      return question.answer(.allow, question.unrestrictedReason)
    }
    switch level.value {
    case .allow: return question.answer(.allow, .notificationAllowed, by: level.protection)
    case .block: return question.answer(.block, .notificationBlocked, by: level.protection)
    case .blockOrgData:
      if question.features.contains(.redact) {
        return question.answer(.redact, .notificationRedacted, by: level.protection)
      }
      return question.answer(.block, .notificationBlocked, by: level.protection).noting(.cannotRedact)
    }
  }

  func index(_ question: Question) -> Decision {
    if let end = question.dataGate { return end }
    let indexing = question.snapshot.strictest(ofEffective: question.binding) { $0.indexing }
    return question.permitted(indexing, .indexAllowed, .indexBlocked)
  }
}

extension Question {
  /// The same answer, with blurred previews of the window if pictures of it are blocked, or if nothing passes at all
  /// (ledger SC-04).
  fileprivate func blurring(_ decision: Decision) -> Decision {
    var decision = decision
    decision.flags[.blurPreview] =
      dataGate != nil || snapshot.first(of: binding) { $0.screenCapture == .block } != nil
    return decision
  }

  /// The answer of a setting that allows or blocks; without a protection nothing is restricted.
  func permitted(
    _ permission: (borrowing Protection) -> Permission, _ allowed: Reason, _ blocked: Reason
  ) -> Decision {
    permitted(snapshot.strictest(of: binding, permission), allowed, blocked)
  }

  func permitted(_ permission: Strictest<Permission>?, _ allowed: Reason, _ blocked: Reason) -> Decision {
    switch permission?.value {
    case nil: answer(.allow, unrestrictedReason)
    case .allow: answer(.allow, allowed, by: permission?.protection)
    case .block: answer(.block, blocked, by: permission?.protection)
    }
  }
}

extension Decision {
  /// The same answer with the duties of another one.
  fileprivate func keeping(dutiesOf other: Decision) -> Decision {
    var decision = self
    (decision.setOwner, decision.tagAs) = (other.setOwner, other.tagAs)
    decision.flags[.mustEncrypt] = other.flags[.mustEncrypt]
    (decision.location, decision.notes) = (other.location, other.notes)
    return decision
  }
}
