package import GuardModel
internal import PolicyEngine
internal import URLRules

/// One question of an app about a navigation, in plain words.
package struct ModelNavigation: Sendable {
  package var instance = 0
  package var viewer: String?
  package var url: String?
  package var from: String?
  package var method: String?
  package var frame = Frame.unknown
  package var hop: Bool?
  package var isSameDocument = false
  package var opensWindow = false
  package var scope = ModelIdentity.absent

  package init() {}
}

/// Navigation, straight from the amendments: read it beside `amendments.md`, step by step.
package struct NavigationModel {
  package let world: ModelWorld

  package init(_ world: ModelWorld) { self.world = world }

  package func decide(_ event: ModelNavigation) -> ModelDecision {
    let policy = world.policy
    let instance = world.instances[event.instance]

    // 1. No policy ever loaded.
    guard policy.generation.number > 0 else { return ModelDecision(policy.policyRequired ? .block : .allow, .noPolicy) }
    guard let app = world.app(instance), !instance.hasEnded else { return ModelDecision(.block, .unknownApp) }
    var event = event
    if app.identityMode == .single { event.scope = .absent }

    // 2, 3. The viewer's policy, and whose data it is.
    let case2 = ModelCase(world, event.viewer, event.scope, instance, app)
    // 3, 4. Nobody has said yet; or the account may not work.
    if let end = case2.gate { return end }

    // 5. Nobody or unmanaged: allow, unless the class says always.
    let always =
      case2.resolved.isUnknown
      ? app.classes.contains { $0.rulesApply == .always } : case2.resolved.viewerClass?.rulesApply == .always
    guard case2.isManaged || always else { return case2.answer(.allow, case2.freeReason) }
    if event.opensWindow, app.popups == .block { return case2.answer(.block, .popupBlocked) }

    // 6. Read the URL.
    let from = ReferenceURL(event.from)
    var url = ReferenceURL(event.url)
    switch url {
    case .absent, .invalid: return case2.answer(.block, .invalidURL)
    case .script: return case2.answer(.allow, .sameDocument)
    case .madeByPage, .url: break
    }
    if event.isSameDocument, let here = from.parts, let there = url.parts, there.isWeb, there.hasOrigin(of: here) {
      return case2.answer(.allow, .sameDocument)
    }
    let isResource = event.frame == .resource && !event.opensWindow
    if !isResource { url = url.judged(as: from) }

    // 7. Schemes handled in the viewer; schemes of other programs; `file:` goes on to the rules.
    if let parts = url.parts, !parts.isWeb {
      if app.handledSchemes.contains(Array(parts.scheme.utf8)) { return case2.answer(.allow, .handledInViewer) }
      if parts.scheme != "file", !isResource { return offeredUnlessMain(handOff(parts, case2), event) }
    }
    if isResource { return resource(event, url, from, case2, instance, app) }
    let judgesSubFrames = case2.resolved.isUnknown || case2.resolved.viewerClass?.subFrames == true
    if event.frame == .sub, !event.opensWindow, !judgesSubFrames { return case2.answer(.allow, .subFrame) }

    // 8. The rules.
    let document = document(for: event, instance)
    let question = ReferenceQuestion(
      url: url, from: from, document: ReferenceURL(document), hop: event.hop, purposes: purposes(of: event))
    guard let said = ask(question, case2, app).map({ excepted($0, question, case2, app) }) else {
      return case2.answer(.allow, .noRules)
    }
    var decision = case2.answer(.allow, said.exception == nil ? .internal : .exception)
    if said.standing == .external { decision = external(said, question, case2, event, app) }
    decision.verdict = said.verdict
    decision.ruleSet = said.ruleSet
    decision.rule = said.rule
    decision.exception = said.exception
    return offeredUnlessMain(decision, event)
  }

  /// What `same` compares with. Only of what happens in the page itself it is said which page that is.
  private func document(for event: ModelNavigation, _ instance: ModelInstance) -> String? {
    let tells = event.frame == .main && event.hop != true
    return instance.document(event.viewer, isMainFrame: event.frame == .main, from: tells ? event.from : nil)
  }

  // MARK: Parts of a page

  /// The defaults of rule sets do not speak of them, and what the page makes itself goes nowhere.
  private func resource(
    _ event: ModelNavigation, _ url: ReferenceURL, _ from: ReferenceURL, _ asked: ModelCase,
    _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    let unnamed = asked.answer(.allow, .resource)
    guard url.parts != nil else { return unnamed }
    let document = document(for: event, instance)
    let question = ReferenceQuestion(
      url: url, from: from, document: ReferenceURL(document), hop: event.hop, purposes: [.resource])
    let named = asks(question, asked, app).filter { $0.rule != nil }
    guard let said = strictest(named).map({ excepted($0, question, asked, app) }) else { return unnamed }
    var decision = asked.answer(.allow, said.exception == nil ? .internal : .exception)
    if said.standing == .external { decision = external(said, question, asked, event, app) }
    (decision.verdict, decision.ruleSet, decision.rule) = (said.verdict, said.ruleSet, said.rule)
    decision.exception = said.exception
    return offeredUnlessMain(decision, event)
  }

  // MARK: Step 8

  struct Said {
    var ruleSet: String?
    var verdict = Verdict.external
    var rule: Int?
    var then = "none"
    var exception: String?
  }

  /// What the viewer's rules say; nil without rules, but for files.
  func ask(_ question: ReferenceQuestion, _ asked: ModelCase, _ app: App) -> Said? {
    switch asked.resolved.rules {
    case .none: return question.url.parts?.scheme == "file" ? Said() : nil
    case .named(let name): return ask(question, name)
    case .strictest: return strictest(asks(question, asked, app)) ?? Said()
    }
  }

  /// What each rule set says that is asked for the viewer: of one that nobody registered, every one of the app's classes.
  func asks(_ question: ReferenceQuestion, _ asked: ModelCase, _ app: App) -> [Said] {
    var names: [String] = []
    switch asked.resolved.rules {
    case .none: break
    case .named(let name): names = [name]
    case .strictest:
      for index in app.classes.compactMap(\.ruleSet) where !names.contains(world.policy.ruleSets[Int(index.place)].name)
      {
        names.append(world.policy.ruleSets[Int(index.place)].name)
      }
    }
    return names.compactMap { ask(question, $0) }
  }

  /// The strictest answer wins, the first of equals.
  private func strictest(_ answers: [Said]) -> Said? {
    let strictness: (Said) -> Int = {
      $0.verdict == .internal ? 0 : ["none": 1, "redirect": 2, "block": 3][$0.then] ?? 3
    }
    let most = answers.map(strictness).max()
    return answers.first { strictness($0) == most }
  }

  private func ask(_ question: ReferenceQuestion, _ name: String) -> Said? {
    guard let ruleSet = world.policy.ruleSets.first(where: { $0.name == name }) else { return nil }
    let answer = ReferenceMatcher(ruleSet, withMonitored: world.taken == .nothing).answer(to: question)
    return Said(ruleSet: name, verdict: answer.verdict, rule: answer.rule, then: answer.then.rawValue)
  }

  private func purposes(of event: ModelNavigation) -> [Purposes] {
    // A new window shows a page, whichever frame opens it.
    if event.opensWindow { return [.page] }
    switch event.frame {
    case .main: return [.page]
    case .sub: return [.frame]
    case .resource: return [.resource]
    case .unknown: return [.page, .frame]
    }
  }

  // MARK: Step 9

  func external(
    _ said: Said, _ question: ReferenceQuestion, _ asked: ModelCase, _ event: ModelNavigation, _ app: App
  ) -> ModelDecision {
    let then = world.taken == .everything ? "none" : said.then
    if then == "block" { return asked.answer(.block, .blockedByRule) }
    // No other program takes a part of a page.
    let links = event.frame == .resource && !event.opensWindow ? Links() : world.policy.links
    if let entry = link(in: links.exempt, question) { return asked.answer(.handOff, .exemptLink, .exemptLink(entry)) }
    if let entry = link(in: links.managed, question) {
      return asked.answer(.handOff, .managedLink, .managedLink(entry))
    }
    // DT-17: a local page is nobody's data that comes in.
    let isPage = event.frame != .resource || event.opensWindow
    if question.url.parts?.scheme == "file", isPage,
      let receive = asked.protections.strictest(Protection.receives, \.receive),
      receive.value == .none || receive.value == .managed
    {
      let reason = receive.value == .none ? Reason.incomingDisallowed : .incomingRestricted
      return asked.answer(.block, reason, by: receive.protection)
    }
    let strictest = inForce(asked).strictest(Protection.transfers, \.webTransfer)
    var (transfer, deciding) = (strictest?.value ?? .any, strictest?.protection)
    if then == "redirect", transfer == .any { (transfer, deciding) = (.managedBrowser, nil) }
    var redirect = asked.answer(.redirect, .external, by: deciding)
    redirect.flags[.bodyDropped] = event.method != nil && event.method != "GET"
    switch transfer {
    case .any: return asked.answer(.allow, .externalInPlace, by: deciding)
    case .block: return asked.answer(.block, .externalBlocked, by: deciding)
    case .managedBrowser:
      guard let browser = world.policy.browsers.managed else {
        return asked.answer(.block, .managedBrowserUnavailable, by: deciding)
      }
      let all = [browser] + browser.alternatives
      if all.contains(where: { $0.app == app.name }) { return asked.answer(.allow, .isManagedBrowser, by: deciding) }
      if all.allSatisfy({ !$0.apps.isEmpty && !$0.apps.contains(app.name) }) {
        return asked.answer(.block, .managedBrowserUnavailable, by: deciding)
      }
      redirect.target = .managedBrowser
    case .unmanagedBrowser:
      guard world.policy.browsers.unmanaged != nil else {
        return asked.answer(.block, .managedBrowserUnavailable, by: deciding)
      }
      redirect.target = .unmanagedBrowser
    }
    return redirect
  }

  /// The first link that certainly takes the URL, in whatever frame.
  private func link(in list: LinkList, _ question: ReferenceQuestion) -> RuleNumber? {
    guard let url = question.url.parts, !url.hadCredentials else { return nil }
    return list.rules.rules.firstIndex { question.truth(of: $0.condition, of: url) == .true }.map { RuleNumber($0) }
  }

  /// What decides of URLs: what binds the identity; where rules apply always, all there is.
  private func inForce(_ asked: ModelCase) -> [Protection] {
    asked.isManaged ? asked.protections : world.policy.protections
  }

  // MARK: Step 10

  private func offeredUnlessMain(_ decision: ModelDecision, _ event: ModelNavigation) -> ModelDecision {
    guard event.frame != .main, decision.outcome == .redirect || decision.outcome == .handOff else { return decision }
    var blocked = decision
    blocked.outcome = .block
    blocked.offered = decision.outcome
    return blocked
  }

  // MARK: Ledger E.4

  func handOff(_ url: ReferenceParts, _ asked: ModelCase) -> ModelDecision {
    let scheme = url.scheme
    func leave(_ reason: Reason, _ deciding: Protection?) -> ModelDecision {
      asked.answer(.handOff, reason, .schemeHandler, by: deciding)
    }
    // Source identity unmanaged: allow, and where rules apply always, as all protections say. Send any: allow.
    let all = inForce(asked)
    guard let send = all.strictest(Protection.sends, \.send) else { return leave(asked.freeReason, nil) }
    if send.value == .any { return leave(.sendAny, send.protection) }
    // The classes have their own setting, where not everything may be sent.
    let telecommunication = ["tel", "telprompt", "callto", "sip", "sips"].contains(scheme)
    let messaging = ["sms", "smsto", "mailto", "xmpp", "im"].contains(scheme)
    if telecommunication || messaging { return classed(telecommunication, url, asked) }
    // The lists hold when send is a managed variant; every protection has to list the scheme.
    let stores = ["appstream", "apt", "snap", "flatpak", "flatpak+https"]
    let blocked: Reason = stores.contains(scheme) ? .storeLinkBlocked : .handOffBlocked
    if send.value == .none { return asked.answer(.block, blocked, by: send.protection) }
    let asking = all.filter { $0.send != .any }
    let name = Array(scheme.utf8)
    let refusing = asking.one { !$0.exemptSchemes.contains(name) && !$0.managedSchemes.contains(name) }
    if let refusing { return asked.answer(.block, blocked, by: refusing) }
    if let managing = asking.one(where: { !$0.exemptSchemes.contains(name) }) { return leave(.managedScheme, managing) }
    return leave(.exemptScheme, send.protection)
  }

  /// US-08: what a message says already is shared with the program that opens it; nil when it may be. To a protection that
  /// names no program that is a program which nobody knows, whatever another one names.
  private func refusedContent(_ url: ReferenceParts, _ program: String?, _ asked: ModelCase) -> ModelDecision? {
    guard saysSomething(url) else { return nil }
    let all = inForce(asked)
    if let shut = all.one(where: { $0.send == .none }) { return asked.answer(.block, .outgoingDisallowed, by: shut) }
    let scheme = Array(url.scheme.utf8)
    let isApp = world.policy.apps.contains { $0.name == program }
    let keeping = all.one { protection in
      if protection.send == .any || (protection.exemptSchemes + protection.managedSchemes).contains(scheme) {
        return false
      }
      guard let program, protection.messaging != .any else { return true }
      return !isApp && !protection.managedApps.contains(Array(program.utf8))
    }
    return keeping.map { asked.answer(.block, $0.messaging == .any ? .shareBlocked : .outgoingRestricted, by: $0) }
  }

  private func saysSomething(_ url: ReferenceParts) -> Bool {
    let text = url.href.dropFirst(url.scheme.count + 1)
    if url.hasFragment || text.lowercased().contains("%0a") || text.lowercased().contains("%0d") { return true }
    var parts = text.split(omittingEmptySubsequences: false) { "?&;".contains($0) }
    let first = parts.removeFirst()
    let ofWay = ["to", "cc", "bcc", "phone-context", "ext", "type", "node", "request"]
    let isSpoken = parts.contains { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return pair.count == 2 && !pair[1].isEmpty && !ofWay.contains(pair[0].lowercased())
    }
    return isSpoken || url.scheme == "smsto" && first.split(separator: ":", maxSplits: 1).count == 2
  }

  private func classed(_ telecommunication: Bool, _ url: ReferenceParts, _ asked: ModelCase) -> ModelDecision {
    let schemeClass: SchemeClass = telecommunication ? .telecommunication : .messaging
    let all = inForce(asked)
    func setting(_ protection: Protection) -> SchemeClassSetting {
      protection.send == .any ? .any : telecommunication ? protection.telecommunication : protection.messaging
    }
    if let shut = all.one(where: { setting($0) == .none }) {
      return asked.answer(.block, .schemeClassBlocked, by: shut)
    }
    guard let naming = all.one(where: { setting($0) != .any }) else {
      let refused = telecommunication ? nil : refusedContent(url, nil, asked)
      return refused ?? asked.answer(.handOff, .schemeClassAllowed, .schemeHandler, by: all.speaker)
    }
    // The first two that differ, in the order of the policy.
    let named = all.filter { setting($0) != .any }
    if let first = named.first, let other = named.first(where: { setting($0) != setting(first) }) {
      return asked.answer(.block, .schemeClassBlocked, by: other)
    }
    if !telecommunication, case .program(let program) = setting(naming),
      let refused = refusedContent(url, program.desktopID ?? "", asked)
    {
      return refused
    }
    return asked.answer(.handOff, .schemeClassAllowed, .schemeClassProgram(schemeClass), by: naming)
  }
}
