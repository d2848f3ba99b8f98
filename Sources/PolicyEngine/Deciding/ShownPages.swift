internal import GuardModel
internal import URLRules
internal import URLStandard

/// The page that a viewer shows after a navigation was answered (amendments, documents).
///
///     navigate https://news.example/      allow externalInPlace    an external page is shown
///     navigate https://docs.contoso.com/  allow internal           it may still be: the answer may end in a download
///     SetDocument https://docs.contoso.com/                        the page of the organisation is shown
extension GuardState {
  /// Notes the page that a navigation brings into its viewer, or into the window that it opens.
  ///
  /// A page that is loaded in place counts as external unless rules, or an exception, made it internal: a page that was
  /// not judged may be anyone's. A redirect, a block, a sub-frame and a part of a page change nothing. An unnamed frame
  /// may be the main one, and may not.
  mutating func noteShown(by decision: Decision, _ event: borrowing Event, _ question: Question, of id: InstanceID) {
    guard event.kind == .navigate, !isTrial, let viewer = question.viewer.index else { return }
    guard decision.outcome == .allow || decision.outcome == .warn else { return }
    if event.opensWindow { return noteOpened(by: decision, viewer, question, of: id) }
    if event.frame == .main || event.frame == .unknown, decision.reason != .sameDocument {
      instances[id.place]?.viewers[viewer].pages.shown.number = 0
    }
    if decision.loadsExternal, event.frame == .main || event.frame == .unknown {
      instances[id.place]?.viewers[viewer].pages.shown.loadExternal()
      if !question.showsExternal { keepPages(of: viewer, in: id, question.snapshot) }
    } else if decision.loadsInternal, question.showsExternal, event.frame == .main, input.url.kind == .url {
      instances[id.place]?.viewers[viewer].pages.shown.await(input.url.judged)
    }
  }

  /// A new window is asked about under its opener's name, and registered later. The future name of each window is
  /// unknown: one window that shows an external page is enough.
  private mutating func noteOpened(
    by decision: Decision, _ viewer: ViewerIndex, _ question: Question, of id: InstanceID
  ) {
    guard var opened = instances[id.place]?.viewers[viewer].pages.opened else { return }
    let showedExternal = opened.showsExternal
    if decision.loadsExternal || question.showsExternal && !showedExternal { opened.loadExternal() }
    if decision.loadsInternal, input.url.kind == .url { opened.await(input.url.judged) }
    instances[id.place]?.viewers[viewer].pages.opened = opened
    if opened.showsExternal != showedExternal { keepPages(of: viewer, in: id, question.snapshot) }
  }

  /// Whether the event says that the page is shown which the last navigation led to: it happens in that page. Then the
  /// viewer no longer shows an external page.
  mutating func takesReport(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Bool {
    guard question.showsExternal, !isTrial, let viewer = question.viewer.index, let from = event.from,
      event.isInMainFrame,
      instances[id.place]?.viewers[viewer].pages.shown.awaitsSomething ?? false
    else { return false }
    readsPage = true
    input.from.read(event.bytes(from))
    defer { input.from.clear() }
    guard input.from.kind == .url,
      instances[id.place]?.viewers[viewer].pages.shown.awaits(input.from.judged) ?? false
    else { return false }
    instances[id.place]?.viewers[viewer].pages.shown.endExternal()
    keepPages(of: viewer, in: id, question.snapshot)
    return true
  }
}

extension Decision {
  /// A page is loaded in place that no rule and no exception called internal. A viewer without rules has no page more
  /// internal than that.
  fileprivate var loadsExternal: Bool {
    switch reason {
    case .noIdentity, .noManagedIdentity, .unmanaged: verdict == nil
    default: verdict == .external && exception == nil
    }
  }

  fileprivate var loadsInternal: Bool { verdict == .internal || exception != nil || reason == .noRules }
}

extension Event {
  /// The viewer's own page goes elsewhere, in the viewer or in a window of its own.
  var isMainFrameNavigation: Bool { kind == .navigate && frame == .main }

  /// `from` is the page that the viewer shows: no frame in it, and no hop on the way to it.
  fileprivate var isInMainFrame: Bool { hop != .yes && (kind != .navigate || frame == .main) }
}

/// Pages that enforcing would not have opened. A pilot must not count events inside them, since enforcing would have
/// prevented those too: they are marked `afterAdvised` (amendments, monitoring).
extension GuardState {
  /// Marks the decision if its viewer shows such a page, and records the navigation's effect on the viewer.
  mutating func markAdvised(
    _ decision: inout Decision, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) {
    let isFree = decision.advice == nil && !question.mayShowAdvised
    guard !isFree, let viewer = question.viewer.index else { return }
    let isAdvised = instances[id.place]?.showsAdvised(viewer) ?? false
    if event.kind == .navigate, !isTrial { remember(decision, event, viewer, of: id) }
    if isAdvised { decision.notes.insert(.afterAdvised) }
  }

  /// A page that was opened against advice is one. Any other page opened in the main frame ends that state, except
  /// after a hop: the navigation before it would not have led there.
  private mutating func remember(
    _ decision: Decision, _ event: borrowing Event, _ viewer: ViewerIndex, of id: InstanceID
  ) {
    guard decision.outcome == .allow || decision.outcome == .warn else { return }
    guard decision.reason != .sameDocument, decision.reason != .subFrame, event.opensPage else { return }
    if let advice = decision.advice, advice.outcome != .allow, advice.outcome != .warn {
      instances[id.place]?.mayShowAdvised = true
      setAdvised(true, viewer, event, of: id)
    } else if decision.outcome == .allow, event.frame == .main || event.opensWindow, event.hop != .yes {
      setAdvised(false, viewer, event, of: id)
    }
  }

  private mutating func setAdvised(
    _ isAdvised: Bool, _ viewer: ViewerIndex, _ event: borrowing Event, of id: InstanceID
  ) {
    if event.opensWindow {
      instances[id.place]?.viewers[viewer].opensAdvised = isAdvised
    } else {
      instances[id.place]?.viewers[viewer].isAdvised = isAdvised
    }
  }
}

extension Instance {
  /// Whether a viewer, or a viewer around it, shows a page that enforcing would not have opened.
  func showsAdvised(_ viewer: ViewerIndex) -> Bool {
    guard mayShowAdvised else { return false }
    var next: ViewerIndex? = viewer
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
