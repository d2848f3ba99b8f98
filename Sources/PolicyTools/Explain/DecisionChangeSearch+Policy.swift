internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

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
    let name = state.instance(seat)?.appName
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
    if let index = named ?? snapshot.strictest(key, of: snapshot.allProtections).map(Int.init) {
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
