package import GuardModel
internal import PolicyEngine
internal import URLRules

/// What a viewer shows, in plain words. Source: amendments, documents.
package struct ModelPage: Sendable {
  /// The document that was accepted last, and whether the app took it back since.
  package var document: String?
  package var isUnknown = false
  package var showsExternal = false
  /// The page of the last main-frame navigation that was answered internal since.
  package var awaited: String?
  /// Which page it is; each navigation begins another.
  var visit = ModelVisit()

  package init() {}

  /// A page is loaded that is external, or that nobody judged.
  mutating func loadExternal() { (showsExternal, awaited) = (true, nil) }

  /// The app says that a page is shown.
  mutating func report(_ url: String?) {
    guard let awaited, awaited == url else { return }
    (showsExternal, self.awaited) = (false, nil)
  }
}

extension ModelInstance {
  /// What `same` compares with, when a viewer is asked about.
  ///
  /// - Parameters:
  ///   - isMainFrame: the viewer's own page goes elsewhere.
  ///   - from: what the app says that the viewer shows; nil where it says nothing of that.
  func document(_ viewer: String?, isMainFrame: Bool, from: String?) -> String? {
    guard var page = viewer.flatMap({ viewers[$0]?.page }), !page.isUnknown else { return nil }
    page.report(ReferenceURL(from).parts?.href)
    return page.showsExternal && !isMainFrame ? nil : page.document
  }

  /// A new viewer shows what one of its name showed, and what the window shows that it is.
  package mutating func begin(_ viewer: inout ModelViewer, _ name: String, openedBy opener: String?) {
    if let left = left.removeValue(forKey: name) {
      (viewer.page, viewer.opened) = (left.page, left.opened)
      viewer.page.awaited = nil
      viewer.page.visit = ModelVisit()
    }
    guard let opening = opener.flatMap({ viewers[$0] }) else { return }
    if opening.opened.showsExternal {
      (viewer.page.showsExternal, viewer.page.awaited) = (true, opening.opened.awaited)
    } else if opening.page.showsExternal, !viewer.page.showsExternal {
      viewer.page.loadExternal()
    }
  }

  /// The app says what a viewer shows, and is believed.
  package mutating func show(_ document: String?, in viewer: String, wasRegistered: Bool) {
    let read = ReferenceURL(document).parts
    guard let read, !read.hadCredentials else {
      viewers[viewer]?.page.isUnknown = true
      return
    }
    let isRepeated = ReferenceURL(viewers[viewer]?.page.document).parts?.href == read.href
    viewers[viewer]?.isAdvised = false
    if !isRepeated { viewers[viewer]?.page.visit = ModelVisit() }
    viewers[viewer]?.page.document = document
    viewers[viewer]?.page.isUnknown = false
    if !wasRegistered || !isRepeated { viewers[viewer]?.page.report(read.href) }
  }

  /// What comes of an answer.
  package mutating func note(_ event: Event, _ decision: ModelDecision) {
    guard decision.reason != .noPolicy, decision.reason != .unknownApp, let name = event.string(event.viewer),
      viewers[name] != nil
    else { return }
    let from = ReferenceURL(event.string(event.from))
    if event.hop != .yes, event.kind != .navigate || event.frame == .main {
      viewers[name]?.page.report(from.parts?.href)
    }
    guard event.kind == .navigate, [.allow, .warn].contains(decision.outcome) else { return }
    let unjudged = [Reason.noIdentity, .noManagedIdentity, .unmanaged].contains(decision.reason)
    let isExternal = unjudged ? decision.verdict == nil : decision.verdict == .external && decision.exception == nil
    let isInternal = decision.verdict == .internal || decision.exception != nil || decision.reason == .noRules
    let url = ReferenceURL(event.string(event.url)).judged(as: from).parts?.href
    let isMain = !event.opensWindow && (event.frame == .main || event.frame == .unknown)
    if isMain, decision.reason != .sameDocument { viewers[name]?.page.visit = ModelVisit() }
    if event.opensWindow {
      let startsExternal = viewers[name]?.page.showsExternal == true && viewers[name]?.opened.showsExternal == false
      if isExternal || startsExternal { viewers[name]?.opened.loadExternal() }
      if isInternal, url != nil, viewers[name]?.opened.showsExternal == true { viewers[name]?.opened.awaited = url }
    } else if isExternal, event.frame == .main || event.frame == .unknown {
      viewers[name]?.page.loadExternal()
    } else if isInternal, event.frame == .main, viewers[name]?.page.showsExternal == true, url != nil {
      viewers[name]?.page.awaited = url
    }
  }
}

/// Whether a page may be the document. Source: amendments, documents.
package struct DocumentModel {
  private let world: ModelWorld

  package init(_ world: ModelWorld) { self.world = world }

  /// Accepted, unless a rule says external, or an external page is shown and no rule says internal. What was accepted last
  /// is accepted again.
  package func accepts(_ url: String?, in viewer: String, of instance: Int) -> Bool {
    let instance = world.instances[instance]
    guard let app = world.app(instance), let page = instance.viewers[viewer]?.page else { return false }
    if case .invalid = ReferenceURL(url) { return false }
    guard let parts = ReferenceURL(url).parts, !parts.hadCredentials else { return true }
    if ReferenceURL(page.document).parts?.href == parts.href { return true }
    let said = rules(of: viewer, in: instance, app).map { verdict(ReferenceURL(url), $0) }
    if said.contains(.external) { return false }
    return !page.showsExternal || !said.isEmpty && said.allSatisfy { $0 == .internal }
  }

  /// The rule sets that judge it: of what lies below an unknown viewer all that the app has.
  private func rules(of viewer: String, in instance: ModelInstance, _ app: App) -> [RuleSet] {
    let above = [instance.viewers[viewer]?.parent, instance.viewers[viewer]?.opener].compactMap(\.self)
    let isLost = above.contains { world.resolve($0, in: instance, app).isUnknown }
    switch isLost ? .strictest : world.resolve(viewer, in: instance, app).rules {
    case .none: return []
    case .named(let name): return world.policy.ruleSets.filter { $0.name == name }
    case .strictest: return Set(app.classes.compactMap(\.ruleSet)).map { world.policy.ruleSets[Int($0.place)] }
    }
  }

  /// What a rule says that does not compare with the document; nil where only the default would answer.
  private func verdict(_ url: ReferenceURL, _ ruleSet: RuleSet) -> Verdict? {
    let rules = ruleSet.rules.filter { !asksDocument($0.condition) }
    let others = RuleSet(name: ruleSet.name, default: ruleSet.default, rules: rules, lists: ruleSet.lists)
    let answer = ReferenceMatcher(others, withMonitored: false).answer(to: ReferenceQuestion(url: url))
    return answer.rule == nil ? nil : answer.verdict
  }

  private func asksDocument(_ condition: Condition) -> Bool {
    switch condition {
    case .same, .sameSite: true
    case .all(let parts), .any(let parts): parts.contains(where: asksDocument)
    case .not(let part), .from(let part): asksDocument(part)
    default: false
    }
  }
}
