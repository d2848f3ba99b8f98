package import GuardModel
internal import URLRules

/// The result of resolving a viewer: its policy, the source of that, its rules and its window.
package struct ResolvedViewer: Sendable {
  package var policy = WebViewPolicy.currentIdentityBlockUpload
  package var source = PolicySource.unknownViewer
  package var rules = ViewerRules.strictest
  /// Index of its class in the app.
  package var viewerClass: ViewerClassIndex?
  /// The viewer in the tree that has its window's name.
  var windowOwner: ViewerIndex?
  var index: ViewerIndex?
  /// The policy takes the protection from it, because of its kind.
  var isUnprotected = false

  package init() {}

  /// No app registered it, or its class is gone from the policy.
  package var isUnknown: Bool { source == .unknownViewer }
}

/// The rules that judge a viewer.
package enum ViewerRules: Sendable, Hashable {
  /// None: every URL counts as the organisation's own.
  case none
  case ruleSet(RuleSetIndex)
  /// All rule sets of the app's classes; a URL is internal only when every one says so.
  case strictest
}

/// The parts of an app that its viewers are resolved by. Few words: to hand over an app counts a reference for each of its
/// texts.
struct ViewerPolicies: Sendable {
  /// The parts of a class.
  struct Class: Sendable {
    let policy: WebViewPolicy?
    let ruleSet: RuleSetIndex?
  }

  private let classes: [Class]
  let treatAllWebViewsAsUnmanaged: Bool
  let authViewersUnprotected: Bool

  init(_ app: App) {
    classes = app.classes.map { Class(policy: $0.policy, ruleSet: $0.ruleSet) }
    treatAllWebViewsAsUnmanaged = app.treatAllWebViewsAsUnmanaged
    authViewersUnprotected = app.authViewersUnprotected
  }

  subscript(viewerClass: ViewerClassIndex) -> Class { classes[Int(viewerClass.place)] }
}

extension Instance {
  /// Resolves a viewer by the amendments' order: its class's policy, its own tag, the nearest tagged ancestor (an opener
  /// counts as a parent), the app's flag, `currentIdentity`.
  func resolve(_ name: Span<UInt8>, in app: ViewerPolicies) -> ResolvedViewer {
    guard let index = viewers.index(of: name) else { return ResolvedViewer() }
    return resolve(index, in: app)
  }

  func resolve(_ index: ViewerIndex, in app: ViewerPolicies) -> ResolvedViewer {
    var resolved = ResolvedViewer()
    resolved.index = index
    resolved.windowOwner = windowOwner(index)
    guard viewers[index].viewerClass != .missing else { return resolved }
    if case .index(let number) = viewers[index].viewerClass { resolved.viewerClass = number }
    (resolved.policy, resolved.source) = policy(of: index, in: app)
    resolved.isUnprotected = resolved.source == .kind && viewers[index].kind == .auth
    if !resolved.isUnknown { resolved.rules = rules(of: index, in: app) }
    return resolved
  }

  /// The name of a resolved viewer's window; nil when neither it nor a parent names one.
  func windowName(of resolved: ResolvedViewer) -> [UInt8]? {
    resolved.windowOwner.flatMap { viewers[$0].window }
  }

  private func windowOwner(_ index: ViewerIndex) -> ViewerIndex? {
    var next: ViewerIndex? = index
    while let current = next {
      if viewers[current].window != nil { return current }
      next = viewers[current].parent ?? viewers[current].opener
    }
    return nil
  }

  private func policy(of index: ViewerIndex, in app: ViewerPolicies) -> (WebViewPolicy, PolicySource) {
    if let own = stated(index, in: app) ?? unprotected(index, in: app) { return own }
    var source = PolicySource.ancestor
    var next: ViewerIndex? = index
    while let current = next {
      if viewers[current].parent == nil, viewers[current].opener != nil { source = .opener }
      next = viewers[current].parent ?? viewers[current].opener
      if let next {
        guard viewers[next].viewerClass != .missing else { return (.currentIdentityBlockUpload, .unknownViewer) }
        if let above = stated(next, in: app) { return (above.0, source) }
      }
    }
    return app.treatAllWebViewsAsUnmanaged ? (.unmanaged, .flag) : (.currentIdentity, .default)
  }

  /// The viewer's own policy, by its class or by its tag; nil when it has none.
  private func stated(_ index: ViewerIndex, in app: ViewerPolicies) -> (WebViewPolicy, PolicySource)? {
    // A guest's view is unmanaged, whatever its class says (ledger CL-01).
    if viewers[index].kind == .ephemeral { return (.unmanaged, .kind) }
    let tag = viewers[index].tag
    if case .index(let number) = viewers[index].viewerClass,
      let policy = app[number].policy, policy != .unset
    {
      let isRaised = policy == .currentIdentity && tag == .currentIdentityBlockUpload
      return isRaised ? (tag, .ownTag) : (policy, .viewerClass)
    }
    return tag == .unset ? nil : (tag, .ownTag)
  }

  /// A view for signing in, if the policy leaves those unprotected: the view alone, without the views that it opens.
  private func unprotected(_ index: ViewerIndex, in app: ViewerPolicies) -> (WebViewPolicy, PolicySource)? {
    app.authViewersUnprotected && viewers[index].kind == .auth ? (.unmanaged, .kind) : nil
  }

  /// Its class's rule set, its own, or its opener's.
  private func rules(of index: ViewerIndex, in app: ViewerPolicies) -> ViewerRules {
    var next: ViewerIndex? = index
    while let current = next {
      if let own = viewers[current].ownRules(in: app) { return own }
      next = viewers[current].opener
    }
    return .none
  }

  /// The rules that judge a future document of a viewer, which need not be registered yet. All rule sets judge a viewer
  /// below an unknown one.
  func rules(ofDocumentIn viewer: Viewer, below above: [ViewerIndex], in app: ViewerPolicies) -> ViewerRules {
    if above.contains(where: { resolve($0, in: app).isUnknown }) { return .strictest }
    return viewer.ownRules(in: app) ?? viewer.opener.map { rules(of: $0, in: app) } ?? .none
  }
}

extension Viewer {
  /// The rules of its class, or its own; nil when it has none.
  fileprivate func ownRules(in app: ViewerPolicies) -> ViewerRules? {
    if viewerClass == .missing { return .strictest }
    if case .index(let number) = viewerClass, let ruleSet = app[number].ruleSet {
      return .ruleSet(ruleSet)
    }
    switch ruleSet {
    case .index(let ruleSet): return .ruleSet(ruleSet)
    case .missing: return .strictest
    case .none: return nil
    }
  }
}
