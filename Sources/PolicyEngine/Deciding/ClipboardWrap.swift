internal import GuardModel

/// The part of a clip that programs may read without asking: any program of the display may read a selection, and most
/// are not guarded.
///
/// A clip that may go to managed places only is wrapped: other programs read a notice as its text, and the content lies
/// beside it under a private type, for programs that ask (ledger CB-17). Every program may read a text that is short
/// enough, as text and as nothing else. With a budget per minute no text is short enough, since the reads of such
/// programs cannot be counted.
extension Question {
  /// - Parameter owner: the protections of the clip's owner; none for an unknown owner.
  func wrap(_ decision: Decision, ofOwner owner: ProtectionSet, _ event: borrowing Event) -> Decision {
    guard !isMonitored(owner) else { return decision }
    let excepted = shutExceptions(of: owner, event)
    guard excepted != .max else { return decision }
    var decision = decision
    if excepted > 0 {
      (decision.limit, decision.onlyPlainText) = (excepted, true)
    } else {
      decision.mimeWrap = true
    }
    return decision
  }

  /// Blocks a copy or a change whose clip must be wrapped, or stripped to its text, when the app can do neither: the
  /// clip would lie open to every program. A blocked change has happened; the app empties the selection.
  func asFarAsAble(_ decision: Decision, _ kind: EventKind) -> Decision {
    guard kind == .copy || kind == .clipboardChanged else { return decision }
    var missing: DecisionNotes = []
    if decision.mimeWrap, !features.contains(.wrap) { missing = .cannotWrap }
    if decision.onlyPlainText, !features.contains(.plainText) { missing = .cannotStrip }
    guard missing != [] else { return decision }
    var blocked = decision.noting(missing)
    (blocked.outcome, blocked.reason) = (.block, .orgData)
    (blocked.mimeWrap, blocked.onlyPlainText, blocked.limit) = (false, false, nil)
    return blocked
  }

  /// Maximum number of scalars that any program may have of this clip, by the smallest exception of the protections
  /// that keep it among managed programs; unlimited where no protection does.
  private func shutExceptions(of owner: ProtectionSet, _ event: borrowing Event) -> Int {
    var smallest = owner.isEmpty ? 0 : Int.max
    owner.forEach { index in
      let settings = snapshot.protections[Int(index)].clipboard
      guard !snapshot.protections[Int(index)].isMonitored, !settings.level.allows(false, inward: false) else { return }
      smallest = min(smallest, settings.excepts(event) ? settings.exceptionLength : 0)
    }
    return smallest
  }

  /// Every protection that would shut the clip in only monitors; for an unknown owner, all protections do.
  private func isMonitored(_ owner: ProtectionSet) -> Bool {
    if app.isMonitored { return true }
    return snapshot.first(of: owner.isEmpty ? snapshot.allProtections : owner, where: { !$0.isMonitored }) == nil
  }
}

extension ClipboardSettings {
  /// Any program may have a text of this length.
  fileprivate func excepts(_ event: borrowing Event) -> Bool {
    guard exceptionLength > 0, exceptionPerMinute == nil, event.offersPlainText, let length = event.length else {
      return false
    }
    return (1...exceptionLength).contains(length)
  }
}
