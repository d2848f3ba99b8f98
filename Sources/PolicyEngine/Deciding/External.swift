internal import GuardModel
internal import URLRules
internal import URLStandard

/// Step 9 of navigation: the rules said external.
extension GuardState {
  func external(_ event: borrowing Event, _ question: Question, _ rules: AskedRules) -> Decision {
    let action = question.action(of: rules)
    if action == .block { return question.answer(.block, .blockedByRule) }
    if let link = question.snapshot.links.exempt.entry(for: input, runner) {
      return question.answer(.handOff, .exemptLink).to(.exemptLink(link))
    }
    if let link = question.snapshot.links.managed.entry(for: input, runner) {
      return question.answer(.handOff, .managedLink).to(.managedLink(link))
    }
    if let refusal = question.refusalOfLocalPage(event, input.url) { return refusal }
    let transfer = question.snapshot.strictest(of: question.inForce) { $0.webTransfer }
    let deciding = transfer?.protection
    switch transfer?.value ?? .any {
    case .any where action == .redirect: return question.redirectToManagedBrowser(event, by: nil)
    case .any: return question.answer(.allow, .externalInPlace, by: deciding)
    case .block: return question.answer(.block, .externalBlocked, by: deciding)
    case .managedBrowser: return question.redirectToManagedBrowser(event, by: deciding)
    case .unmanagedBrowser: return question.redirectToUnmanagedBrowser(event, by: deciding)
    }
  }
}

extension LinkList {
  /// The entry that takes the input's URL; nil when no entry does, or when that is not known.
  fileprivate func entry(for input: borrowing MatchInput, _ runner: RegexRunner) -> Int32? {
    guard input.url.kind == .url, !rules.rules.isEmpty else { return nil }
    return rules.verdict(on: input, runner).rule
  }
}

extension Question {
  /// The action that the rule demands, unless nothing may restrict.
  func action(of rules: AskedRules) -> RuleAction { snapshot.lifting == .everything ? .none : rules.verdict.then }

  /// Uploads into the viewer are blocked, unless nothing may restrict.
  var blocksUploads: Bool {
    viewer.policy == .currentIdentityBlockUpload && !isInBackground && snapshot.lifting != .everything
  }

  /// Ends a procedure that brings data into such a viewer.
  var uploadGate: Decision? { isManaged && blocksUploads ? answer(.block, .uploadBlockedViewer) : nil }

  /// A local page is unmanaged data that comes in (ledger DT-17): the receiver's settings decide whether it may.
  fileprivate func refusalOfLocalPage(_ event: borrowing Event, _ url: borrowing URLSubject) -> Decision? {
    guard url.judged.scheme == .file, !event.isResource else { return nil }
    let nobody = Transfer.Side(party: .unmanaged)
    return Transfer(question: self).refusal(of: party, from: nobody, event).map { answer($0) }
  }

  /// - Parameter deciding: the protection that redirects; nil where a rule's `then: redirect` raised `any`.
  fileprivate func redirectToManagedBrowser(_ event: borrowing Event, by deciding: Int32?) -> Decision {
    guard let browsers = snapshot.browsers.managed else {
      return answer(.block, .managedBrowserUnavailable, by: deciding)
    }
    if browsers.isApp(app.name) { return answer(.allow, .isManagedBrowser, by: deciding) }
    guard browsers.serves(app.name) else { return answer(.block, .managedBrowserUnavailable, by: deciding) }
    return answer(.redirect, .external, by: deciding).to(.managedBrowser).droppingBody(of: event)
  }

  fileprivate func redirectToUnmanagedBrowser(_ event: borrowing Event, by deciding: Int32?) -> Decision {
    guard snapshot.browsers.unmanaged != nil else { return answer(.block, .managedBrowserUnavailable, by: deciding) }
    return answer(.redirect, .external, by: deciding).to(.unmanagedBrowser).droppingBody(of: event)
  }
}

extension Decision {
  func to(_ target: Target) -> Decision {
    var decision = self
    decision.target = target
    return decision
  }

  /// Only the URL travels to another browser (ledger WT-17).
  fileprivate func droppingBody(of event: borrowing Event) -> Decision {
    guard let method = event.method, !equal(event.bytes(method), "GET") else { return self }
    var decision = self
    decision.bodyDropped = true
    return decision
  }
}
