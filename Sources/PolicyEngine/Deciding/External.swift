internal import GuardModel
internal import URLRules

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
    switch question.webTransfer(atLeast: action) {
    case .any: return question.answer(.allow, .externalInPlace)
    case .block: return question.answer(.block, .externalBlocked)
    case .managedBrowser: return question.redirectToManagedBrowser(event)
    case .unmanagedBrowser: return question.redirectToUnmanagedBrowser(event)
    }
  }
}

extension LinkList {
  /// The entry that takes the input's URL; nil when none does, or when that is not known.
  fileprivate func entry(for input: borrowing MatchInput, _ runner: RegexRunner) -> Int32? {
    guard input.url.kind == .url, !rules.rules.isEmpty else { return nil }
    return rules.verdict(on: input, runner).rule
  }
}

extension Question {
  /// What the rule demands, unless nothing may restrict.
  func action(of rules: AskedRules) -> RuleAction { snapshot.lifting == .everything ? .none : rules.verdict.then }

  /// Nothing may come into the viewer, unless nothing may restrict.
  var blocksUploads: Bool { viewer.policy == .currentIdentityBlockUpload && snapshot.lifting != .everything }

  /// The protection's web transfer; a rule's `then: redirect` raises `any` to the managed browser.
  fileprivate func webTransfer(atLeast action: RuleAction) -> WebTransfer {
    let transfer = settings?.webTransfer ?? .any
    return action == .redirect && transfer == .any ? .managedBrowser : transfer
  }

  fileprivate func redirectToManagedBrowser(_ event: borrowing Event) -> Decision {
    guard let browser = snapshot.browsers.managed else { return answer(.block, .managedBrowserUnavailable) }
    if browser.app == app.name { return answer(.allow, .isManagedBrowser) }
    return answer(.redirect, .external).to(.managedBrowser).droppingBody(of: event)
  }

  fileprivate func redirectToUnmanagedBrowser(_ event: borrowing Event) -> Decision {
    guard snapshot.browsers.unmanaged != nil else { return answer(.block, .managedBrowserUnavailable) }
    return answer(.redirect, .external).to(.unmanagedBrowser).droppingBody(of: event)
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
