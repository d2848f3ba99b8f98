internal import GuardModel

/// What of a clip is for programs that do not ask: any program of the display may read a selection, and most are not
/// guarded.
///
/// A clip that may go to managed places only is wrapped: as its text others read a notice, and the content lies beside it
/// under a private type, for those who ask (ledger CB-17). A text that is short enough may be read by everybody, as text
/// and as nothing else. With a budget a minute, nobody would count what such programs take, so nothing is short enough.
extension Question {
  /// - Parameter owner: what binds the clip's owner; none for an owner whom nobody knows.
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

  /// The answer to a copy or a change whose clip must be wrapped, or stripped to its text, by an app that can do neither:
  /// it would lie open to every program, so it is blocked. A change that is blocked has happened; the app empties the
  /// selection.
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

  /// Up to how many scalars any program may have this clip, by the smallest exception of the protections that keep it
  /// among managed programs; all that there are where none does.
  private func shutExceptions(of owner: ProtectionSet, _ event: borrowing Event) -> Int {
    var smallest = owner.isEmpty ? 0 : Int.max
    owner.forEach { index in
      let settings = snapshot.protections[Int(index)].clipboard
      guard !snapshot.protections[Int(index)].isMonitored, !settings.level.allows(false, inward: false) else { return }
      smallest = min(smallest, settings.excepts(event) ? settings.exceptionLength : 0)
    }
    return smallest
  }

  /// What would shut the clip in is only watched; of an owner whom nobody knows, all protections are.
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
