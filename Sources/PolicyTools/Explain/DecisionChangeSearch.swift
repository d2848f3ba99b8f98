internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Looks for the nearest changes that give a decision another outcome. Each is tried: one thing is changed in a copy,
/// and the copy decides.
///
/// Nearest means, in this order: another URL or way to it, the frame, the viewer's class, whose data it is, the
/// settings of the policy.
struct DecisionChangeSearch: ~Copyable {
  /// As it was before the decision.
  let engine: Guard
  let event: Event
  let caller: Caller
  let report: DecisionReport
  /// The question that the rules were asked; nil when they were not.
  let question: RuleQuestion?

  /// Maximum changes of event, viewer and identity that are told, and of the policy.
  private static let maximumTold = 2
  private static let maximumOfPolicy = 1

  /// The changes in words, each with the outcome that it gives.
  var nearest: [String] { first(Self.maximumTold, ofEvent + ofViewer) + first(Self.maximumOfPolicy, ofPolicy) }

  private func first(_ count: Int, _ changes: [Change]) -> [String] {
    var told: [String] = []
    for change in changes where told.count < count {
      if let outcome = attempt(change) { told.append("\(change.words) the outcome would be \(outcome)") }
    }
    return told
  }

  private var snapshot: Snapshot { engine.snapshot }

  /// One thing to change.
  struct Change {
    let words: String
    var event: Event?
    var snapshot: Snapshot?
    /// A viewer to register first.
    var viewer: ViewerDescription?
    /// The account whose data it is to be.
    var account: String?
  }

  /// The outcome of a change, in words; nil when it stays the same.
  private func attempt(_ change: Change) -> String? {
    var trial = engine.fork(under: change.snapshot)
    var event = change.event ?? self.event
    do throws(Refusal) {
      if let viewer = change.viewer { try trial.perform(.registerViewer(viewer), for: caller, at: event.time) }
      if let account = change.account {
        event.scope = try trial.state.identity(account, in: caller.instance, trial.snapshot)
      }
    } catch { return nil }
    var ruling = Ruling()
    trial.decideAgain(event, of: caller.instance, into: &ruling)
    guard ruling.decision.outcome != report.outcome else { return nil }
    return "`\(ruling.decision.outcome.name)`: \(ruling.decision.reason.sentence)"
  }

  // MARK: The event

  private var ofEvent: [Change] {
    guard event.kind == .navigate else { return [] }
    var changes = ofURL
    if event.frame != .main, report.offered != nil {
      changes.append(change("in a main frame") { $0.frame = .main })
    }
    return changes
  }

  /// Changes that flip the rules' answer; when no small one does, a URL with the other verdict.
  private var ofURL: [Change] {
    guard let question, let name = report.ruleSet, let index = snapshot.ruleSet(named: name) else { return [] }
    let ruleSet = snapshot[index]
    let explanation = RuleExplainer(ruleSet).explain(question)
    let near = explanation.changes.filter { $0.question.document == question.document }.map { near in
      let rule = near.verdict.rule.map { "rule \(ruleSet[$0].id.quoted)" } ?? "the default"
      return change("\(near.words), which is \(near.verdict.verdict.name) by \(rule),") { event in
        event.url = event.append(near.question.url)
        event.from = near.question.from.map { event.append($0) }
        event.hop = Ternary(near.question.hop)
      }
    }
    return near.isEmpty ? [otherVerdict] : near
  }

  /// Every URL gets the other verdict.
  private var otherVerdict: Change {
    let other: Verdict = report.verdict == .external ? .internal : .external
    let ruleSets = snapshot.ruleSets.map { RuleSet(name: $0.name, default: other, rules: []) }
    return Change(words: "with an \(other.name) URL", snapshot: snapshot.with(ruleSets: ruleSets))
  }

  private func change(_ words: String, _ body: (inout Event) -> Void) -> Change {
    var changed = event
    body(&changed)
    return Change(words: words, event: changed)
  }

  // MARK: The viewer and whose data it is

  private var ofViewer: [Change] { ofRegistration + ofIdentity }

  /// The viewer, registered with each class of the app.
  private var ofRegistration: [Change] {
    guard report.flags[.viewerIsUnknown], let viewer = event.string(event.viewer), let app else { return [] }
    return app.classes.map { viewerClass in
      Change(
        words: "with the viewer registered with class \(viewerClass.name.quoted)",
        viewer: ViewerDescription(viewer, class: viewerClass.name))
    }
  }

  /// Only an app with several identities can show anybody's data at will.
  private var ofIdentity: [Change] {
    guard app?.identityMode == .multi, report.identityLevel != .viewer else { return [] }
    if report.protection != nil { return [change("with no managed identity") { $0.scope = .nobody }] }
    return firstKnownAccount.map { [Change(words: "with the identity \($0.quoted)", account: $0)] } ?? []
  }

  /// The first account of the policy that the app may name.
  private var firstKnownAccount: String? {
    var trial = engine.fork()
    for account in snapshot.accounts.entries {
      let name = account.displayName
      if (try? trial.state.identity(name, in: caller.instance, snapshot)) != nil { return name }
    }
    return nil
  }

  private var app: App? {
    engine.state.instance(caller.instance)?.app.map { snapshot[$0] }
  }
}

/// Changes of the policy: each of one value, the one that ended the procedure.
extension DecisionChangeSearch {
  var ofPolicy: [Change] {
    switch report.reason {
    case .external, .externalInPlace, .externalBlocked, .isManagedBrowser: webTransfer
    case .managedBrowserUnavailable: [browser] + webTransfer
    case .sendAny, .handOffBlocked: send
    case .schemeClassBlocked, .schemeClassAllowed: classes
    case .clipboardAllowed, .withinLimit, .orgData, .orgDataOverLimit, .incomingRestricted,
      .personalDataOverLimit:
      clipboard
    case .noIdentity: [ofApp("untilIdentity", UntilIdentity.allow.rawValue) { $0.untilIdentity = .allow }]
    case .popupBlocked: [ofApp("popups", Popups.inherit.rawValue) { $0.popups = .inherit }]
    case .subFrame: [ofClass("subFrames", "true") { $0.subFrames = true }]
    case .uploadBlockedViewer, .noManagedIdentity: ofViewerPolicy
    case .accountBlocked, .accountNotCompliant, .accountWiped: [activeAccount]
    default: []
    }
  }

  private var webTransfer: [Change] {
    WebTransfer.allCases.map { value in ofProtection("webTransfer", value.name) { $0.webTransfer = value } }
  }

  private var send: [Change] {
    let levels = [SendLevel.any, .none].map { value in ofProtection("send", value.rawValue) { $0.send = value } }
    guard let scheme = event.string(event.url)?.prefix(while: { $0 != ":" }).lowercased() else { return levels }
    let exempt = ofProtection("exemptSchemes", scheme) { $0.exemptSchemes.append(Array(scheme.utf8)) }
    return [exempt] + levels
  }

  private var classes: [Change] {
    [SchemeClassSetting.any, .none].flatMap { value in
      [
        ofProtection("telecommunication", value.written) { $0.telecommunication = value },
        ofProtection("messaging", value.written) { $0.messaging = value },
      ]
    }
  }

  private var clipboard: [Change] {
    let levels = ClipboardLevel.allCases.map { value in
      ofProtection("clipboard.level", value.rawValue) { $0.clipboard.level = value }
    }
    guard let length = event.length, length > 0 else { return levels }
    let exception = ofProtection("clipboard.exceptionLength", String(length)) { $0.clipboard.exceptionLength = length }
    return levels + [exception]
  }

  private var browser: Change {
    var browsers = snapshot.browsers
    browsers.managed = browsers.managed ?? ManagedBrowser(program: Program())
    browsers.unmanaged = browsers.unmanaged ?? UnmanagedBrowser(program: Program())
    return Change(words: "with the browser configured", snapshot: snapshot.with(browsers: browsers))
  }

  private var activeAccount: Change {
    var accounts = snapshot.accounts
    let name = AccountName.fold(report.identity ?? "")
    if let entry = accounts.entry(named: name) { accounts.entries[entry].state = .active }
    return Change(words: "with `state` `active`", snapshot: snapshot.with(accounts: accounts))
  }

  /// Another policy of the viewer, where the configuration states it.
  private var ofViewerPolicy: [Change] {
    switch report.policySource {
    case .flag:
      [ofApp("treatAllWebViewsAsUnmanaged", "false") { $0.treatAllWebViewsAsUnmanaged = false }]
    case .viewerClass:
      [WebViewPolicy.currentIdentity, .unmanaged].map { policy in ofClass("policy", policy.name) { $0.policy = policy }
      }
    default: []
    }
  }

  private func ofClass(_ key: String, _ value: String, _ body: (inout ViewerClass) -> Void) -> Change {
    ofApp(key, value) { app in
      if let index = app.classes.firstIndex(where: { $0.name == report.viewerClass }) { body(&app.classes[index]) }
    }
  }

  private func ofApp(_ key: String, _ value: String, _ body: (inout App) -> Void) -> Change {
    let name = engine.state.instance(caller.instance)?.appName
    let apps = snapshot.apps.map { app in
      var app = app
      if app.name == name { body(&app) }
      return app
    }
    return Change(words: "with `\(key)` `\(value)`", snapshot: snapshot.with(apps: apps))
  }

  /// Changes the protection in force: the one that was asked, or the strictest.
  private func ofProtection(_ key: String, _ value: String, _ body: (inout Protection) -> Void) -> Change {
    var protections = snapshot.protections
    let named = protections.firstIndex { $0.name == report.protection }
    if let index = named ?? snapshot.strictest(key, of: snapshot.allProtections).map({ Int($0.place) }) {
      body(&protections[index])
    }
    return Change(words: "with `\(key)` `\(value)`", snapshot: snapshot.with(protections: protections))
  }
}

extension Snapshot {
  /// The same policy with one part in the place of its own.
  func with(
    apps: [App]? = nil, accounts: AccountDirectory? = nil, protections: [Protection]? = nil, ruleSets: [RuleSet]? = nil,
    browsers: Browsers? = nil
  ) -> Snapshot {
    Snapshot(
      generation: generation, policyRequired: policyRequired, apps: apps ?? self.apps,
      accounts: accounts ?? self.accounts, protections: protections ?? self.protections,
      ruleSets: ruleSets ?? self.ruleSets, browsers: browsers ?? self.browsers, links: links, texts: texts)
  }
}
