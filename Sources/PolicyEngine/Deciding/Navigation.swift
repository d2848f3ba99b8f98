internal import Bytes
internal import GuardModel
internal import URLRules
internal import URLStandard

/// May this viewer go to this URL? The amendments' navigation, step by step.
extension GuardState {
  mutating func navigate(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    // 3, 4. The data's account, and whether that account may work.
    if let end = question.gate { return end }

    // 5. 5. Unmanaged data is free, with or without an account.
    guard question.isManaged || question.rulesAlwaysApply else {
      return question.answer(.allow, question.unrestrictedReason)
    }
    if event.opensWindow, question.app.popups == .block { return question.answer(.block, .popupBlocked) }

    // 6. Read the URL as a browser reads it.
    readInput(event, question, of: id)
    switch input.url.kind {
    case .absent, .invalid: return question.answer(.block, .invalidURL)
    case .script: return question.answer(.allow, .sameDocument)
    case .madeByPage, .url: break
    }
    if movesInsideDocument(event) { return question.answer(.allow, .sameDocument) }
    if case .madeByPage = input.url.kind, !event.isResource { input.url.judgeAs(input.from) }

    // 7. Schemes of the app, and schemes of other programs.
    if case .url = input.url.kind, !input.url.judged.isWeb {
      if question.handlesScheme(of: input.url) { return question.answer(.allow, .handledInViewer) }
      let staysHere = input.url.judged.scheme == .file || event.isResource
      if !staysHere { return question.handOff(input.url).asOffer(unlessMain: event) }
    }
    if event.isResource { return resource(event, question) }
    if event.frame == .sub, !event.opensWindow, !question.judgesSubFrames { return question.answer(.allow, .subFrame) }

    // 8. Ask the rules.
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let rules = verdictOrException(question) else { return question.answer(.allow, .noRules) }
    guard rules.standing == .external else { return question.answer(.allow, rules.internalReason).decided(by: rules) }

    // 9, 10. External: the protection decides the consequence, and only main frames leave.
    return external(event, question, rules).decided(by: rules).asOffer(unlessMain: event)
  }

  /// Fills the matcher's input from the event; the viewer's document comes from the state.
  mutating func readInput(_ event: borrowing Event, _ question: Question, of id: InstanceID) {
    if let url = event.url { input.url.read(event.bytes(url)) } else { input.url.clear() }
    if let from = event.from { input.from.read(event.bytes(from)) } else { input.from.clear() }
    input.hop = event.hop
    input.purposes = question.purposes(of: event)
    input.document = question.document
  }

  /// The engine's word that nothing is loaded holds only within the page's own origin; an opaque origin equals no
  /// other.
  @inline(__always)
  private func movesInsideDocument(_ event: borrowing Event) -> Bool {
    guard event.isSameDocument, input.url.kind == .url, input.from.kind == .url else { return false }
    return input.url.judged.isWeb && input.url.judged.hasOrigin(of: input.from.judged)
  }

  /// The answer of the viewer's rules; nil when it has none. A `file:` URL and a URL of an unknown page are external
  /// without rules, too, unless the viewer has no rules and the URL is of the web.
  mutating func verdict(_ question: Question) -> AskedRules? {
    let external = RuleVerdict(verdict: .external, rule: nil, then: .none)
    switch question.viewer.rules {
    case .none:
      let isFile = input.url.kind == .url && input.url.judged.scheme == .file
      return isFile ? AskedRules(ruleSet: nil, verdict: external) : nil
    case .ruleSet(let index):
      return AskedRules(ruleSet: index, verdict: question.snapshot.asked(index).verdict(on: input, runner))
    case .strictest:
      var strictest: AskedRules?
      for index in question.app.strictestRuleSets {
        let verdict = question.snapshot.asked(index).verdict(on: input, runner)
        let asked = AskedRules(ruleSet: index, verdict: verdict)
        if strictest.map({ asked.isStricter(than: $0) }) ?? true { strictest = asked }
      }
      return strictest ?? AskedRules(ruleSet: nil, verdict: external)
    }
  }
}

/// The answer of a rule set, with the rule set.
struct AskedRules {
  var ruleSet: RuleSetIndex?
  var verdict: RuleVerdict
  /// The exception that makes the URL count as internal.
  var exception: ExceptionIndex?

  func isStricter(than other: AskedRules) -> Bool { verdict.strictness > other.verdict.strictness }
}

extension Question {
  fileprivate var viewerClass: ViewerClass? { viewer.viewerClass.map { app[$0] } }

  var rulesAlwaysApply: Bool {
    viewer.isUnknown ? app.unknownViewersAreAlwaysJudged : viewerClass?.rulesApply == .always
  }

  fileprivate var judgesSubFrames: Bool { viewer.isUnknown || viewerClass?.subFrames ?? false }

  func handlesScheme(of subject: borrowing URLSubject) -> Bool {
    subject.hasScheme(in: app.handledSchemes)
  }

  fileprivate func purposes(of event: borrowing Event) -> Purposes {
    switch event.kind {
    case .download: return .download
    case .upload: return .upload
    case .openURL: return .page
    default: break
    }
    if event.opensWindow { return .page }
    switch event.frame {
    case .main: return .page
    case .sub: return .frame
    case .resource: return .resource
    case .unknown: return [.page, .frame]
    }
  }
}

extension Decision {
  func decided(by rules: AskedRules) -> Decision {
    var decision = self
    decision.verdict = rules.verdict.verdict
    decision.ruleSet = rules.ruleSet
    decision.rule = rules.verdict.rule
    decision.exception = rules.exception
    return decision
  }

  /// Step 10: only a main frame can open elsewhere; anything else is blocked, with the same offer.
  func asOffer(unlessMain event: borrowing Event) -> Decision {
    guard event.frame != .main, outcome == .redirect || outcome == .handOff else { return self }
    var decision = self
    decision.offered = outcome
    decision.outcome = .block
    return decision
  }
}

/// Step 9 of navigation: the rules said external.
extension GuardState {
  /// It changes nothing, and is `mutating` since the whole state would be copied for it otherwise.
  mutating func external(_ event: borrowing Event, _ question: Question, _ rules: AskedRules) -> Decision {
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
  fileprivate func entry(for input: borrowing MatchInput, _ runner: RegexRunner) -> RuleNumber? {
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
  fileprivate func redirectToManagedBrowser(_ event: borrowing Event, by deciding: ProtectionIndex?) -> Decision {
    guard let browsers = snapshot.browsers.managed else {
      return answer(.block, .managedBrowserUnavailable, by: deciding)
    }
    if browsers.isApp(app.name) { return answer(.allow, .isManagedBrowser, by: deciding) }
    guard browsers.serves(app.name) else { return answer(.block, .managedBrowserUnavailable, by: deciding) }
    return answer(.redirect, .external, by: deciding).to(.managedBrowser).droppingBody(of: event)
  }

  fileprivate func redirectToUnmanagedBrowser(_ event: borrowing Event, by deciding: ProtectionIndex?) -> Decision {
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
    guard let method = event.method, !event.bytes(method).matches("GET") else { return self }
    var decision = self
    decision.flags[.bodyDropped] = true
    return decision
  }
}

/// May the page load this part of itself: an image, a script, a fetch, a socket? Only rules that name it are asked. The
/// default speaks of pages: a page of the organisation may show a picture from anywhere.
///
/// Content made by the page itself (`data:`, `blob:`) goes nowhere. No other program takes a part of a page, so schemes
/// of other programs are judged like any URL.
extension GuardState {
  mutating func resource(_ event: borrowing Event, _ question: Question) -> Decision {
    guard input.url.kind == .url else { return question.answer(.allow, .resource) }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let said = namedVerdict(question) else { return question.answer(.allow, .resource) }
    let rules = excepted(said, question)
    guard rules.standing == .external else { return question.answer(.allow, rules.internalReason).decided(by: rules) }
    return external(event, question, rules).decided(by: rules).asOffer(unlessMain: event)
  }

  /// The viewer's rules' answer without their defaults; nil when no rule matches.
  private mutating func namedVerdict(_ question: Question) -> AskedRules? {
    switch question.viewer.rules {
    case .none: return nil
    case .ruleSet(let index): return namedVerdict(of: index, question)
    case .strictest:
      var strictest: AskedRules?
      for index in question.app.strictestRuleSets {
        guard let asked = namedVerdict(of: index, question) else { continue }
        if strictest.map({ asked.isStricter(than: $0) }) ?? true { strictest = asked }
      }
      return strictest
    }
  }

  /// The answer of one rule set without its default; nil when no rule matches.
  mutating func namedVerdict(of index: RuleSetIndex, _ question: Question) -> AskedRules? {
    let verdict = question.snapshot.asked(index).verdict(on: input, runner)
    return verdict.rule == nil ? nil : AskedRules(ruleSet: index, verdict: verdict)
  }
}

extension Event {
  /// No frame navigates. An event that opens a window shows a page, whatever its frame.
  var isResource: Bool { frame == .resource && !opensWindow }
}
