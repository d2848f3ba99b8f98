internal import GuardModel

/// Pages that enforcing would not have opened. A pilot must not count events inside them, since enforcing would have
/// prevented those too: they are marked `afterAdvised` (amendments, monitoring).
extension GuardState {
  /// Marks the decision if its viewer shows such a page, and records the navigation's effect on the viewer.
  mutating func markAdvised(
    _ decision: Decision, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> Decision {
    let isFree = decision.advice == nil && !question.mayShowAdvised
    guard !isFree, let viewer = question.viewer.index else { return decision }
    let isAdvised = instances[Int(id.index)]?.showsAdvised(viewer) ?? false
    if event.kind == .navigate, !isTrial { remember(decision, event, viewer, of: id) }
    return isAdvised ? decision.noting(.afterAdvised) : decision
  }

  /// A page that was opened against advice is one. Any other page opened in the main frame ends that state, except
  /// after a hop: the navigation before it would not have led there.
  private mutating func remember(_ decision: Decision, _ event: borrowing Event, _ viewer: Int32, of id: InstanceID) {
    guard decision.outcome == .allow || decision.outcome == .warn else { return }
    guard decision.reason != .sameDocument, decision.reason != .subFrame, event.opensPage else { return }
    if let advice = decision.advice, advice.outcome != .allow, advice.outcome != .warn {
      instances[Int(id.index)]?.mayShowAdvised = true
      setAdvised(true, viewer, event, of: id)
    } else if decision.outcome == .allow, event.frame == .main || event.opensWindow, event.hop != .yes {
      setAdvised(false, viewer, event, of: id)
    }
  }

  private mutating func setAdvised(_ isAdvised: Bool, _ viewer: Int32, _ event: borrowing Event, of id: InstanceID) {
    if event.opensWindow {
      instances[Int(id.index)]?.viewers[viewer].opensAdvised = isAdvised
    } else {
      instances[Int(id.index)]?.viewers[viewer].isAdvised = isAdvised
    }
  }
}

extension Instance {
  /// Whether a viewer, or a viewer around it, shows a page that enforcing would not have opened.
  func showsAdvised(_ viewer: Int32) -> Bool {
    guard mayShowAdvised else { return false }
    var next: Int32? = viewer
    while let current = next {
      if viewers[current].isAdvised { return true }
      next = viewers[current].parent
    }
    return false
  }
}

extension Event {
  /// A viewer may show another page after it: frames inside the page and parts of it do not count.
  fileprivate var opensPage: Bool { opensWindow || frame == .main || frame == .unknown }
}
