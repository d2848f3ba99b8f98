internal import GuardModel

/// What of a clip is for programs that do not ask: any program of the display may read a selection, and most are not
/// guarded.
///
/// A clip that may go to managed places only is wrapped: as its text others read a notice, and the content lies beside it
/// under a private type, for those who ask (ledger CB-17). A text that is short enough may be read by everybody, as text
/// and as nothing else. With a budget a minute, nobody would count what such programs take, so nothing is short enough.
extension Question {
  /// - Parameter protection: that of the clip's owner; nil for an owner whom nobody knows.
  func wrap(_ decision: Decision, ofProtection protection: Int32?, _ event: borrowing Event) -> Decision {
    guard !isMonitored(protection) else { return decision }
    let settings = protection.map { snapshot.protections[Int($0)].clipboard }
    if let settings, settings.level.allows(false, inward: false) { return decision }
    var decision = decision
    if let settings, settings.excepts(event) {
      (decision.limit, decision.onlyPlainText) = (settings.exceptionLength, true)
    } else {
      decision.mimeWrap = true
    }
    return decision
  }

  /// The protection is only watched; of an owner whom nobody knows, all are.
  private func isMonitored(_ protection: Int32?) -> Bool {
    if app.isMonitored { return true }
    return protection.map { snapshot.protections[Int($0)].isMonitored }
      ?? snapshot.protections.allSatisfy(\.isMonitored)
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
