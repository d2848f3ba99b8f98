package import GuardModel
package import PolicyEngine
internal import URLRules

/// How a viewer resolves. Source: amendments, navigation, steps 2 and 3.
extension ModelWorld {
  /// What resolving a viewer gives.
  package struct Resolved: Sendable {
    package var policy = WebViewPolicy.currentIdentityBlockUpload
    package var source = PolicySource.unknownViewer
    package var viewerClass: ViewerClass?
    package var rules = Rules.strictest

    /// HS-02: a view for signing in, of which the policy says so.
    package var isUnprotected = false

    package var isUnknown: Bool { source == .unknownViewer }
  }

  package enum Rules: Hashable, Sendable {
    case none
    case named(String)
    /// All rule sets of the app's classes.
    case strictest
  }

  package func app(_ instance: ModelInstance) -> App? { policy.apps.first { $0.name == instance.app } }

  /// Step 2. Nobody registered it: unknown. Else its class, its tag, its ancestors, the flag, `currentIdentity`.
  package func resolve(_ name: String?, in instance: ModelInstance, _ app: App) -> Resolved {
    var resolved = Resolved()
    guard let name, let viewer = instance.viewers[name], !hasLostClass(viewer, app) else { return resolved }
    resolved.viewerClass = viewerClass(viewer, app)
    resolved.rules = rules(name, in: instance, app)
    resolved.policy = app.treatAllWebViewsAsUnmanaged ? .unmanaged : .currentIdentity
    resolved.source = app.treatAllWebViewsAsUnmanaged ? .flag : .default
    // From the farthest ancestor to the viewer itself: the nearest that states something wins.
    let way = way(up: name, in: instance)
    for (step, above) in way.enumerated().reversed() {
      guard let viewer = instance.viewers[above.name] else { continue }
      if hasLostClass(viewer, app) {
        (resolved.policy, resolved.source) = (.currentIdentityBlockUpload, .unknownViewer)
      } else if let stated = statedPolicy(viewer, app) {
        resolved.policy = stated.policy
        resolved.source = step == 0 ? stated.source : above.throughOpener ? .opener : .ancestor
      }
    }
    // SE-03: the view alone, unless something is stated on it.
    if app.authViewersUnprotected, viewer.kind == .auth, statedPolicy(viewer, app) == nil {
      (resolved.policy, resolved.source, resolved.isUnprotected) = (.unmanaged, .kind, true)
    }
    if resolved.isUnknown { resolved.rules = .strictest }
    return resolved
  }

  /// The viewer and all above it; an opener counts as the parent of what has none.
  private func way(up name: String, in instance: ModelInstance) -> [(name: String, throughOpener: Bool)] {
    var way = [(name: name, throughOpener: false)]
    while let last = way.last, let viewer = instance.viewers[last.name] {
      if let parent = viewer.parent {
        way.append((parent, last.throughOpener))
      } else if let opener = viewer.opener {
        way.append((opener, true))
      } else {
        break
      }
    }
    return way
  }

  /// Nobody's for what is ephemeral; else the class's policy, which a tag may only raise from `currentIdentity`; else
  /// the tag.
  private func statedPolicy(_ viewer: ModelViewer, _ app: App) -> (policy: WebViewPolicy, source: PolicySource)? {
    if viewer.kind == .ephemeral { return (.unmanaged, .kind) }
    let ofClass = viewerClass(viewer, app)?.policy ?? .unset
    if ofClass == .currentIdentity, viewer.tag == .currentIdentityBlockUpload { return (viewer.tag, .ownTag) }
    if ofClass != .unset { return (ofClass, .viewerClass) }
    return viewer.tag == .unset ? nil : (viewer.tag, .ownTag)
  }

  /// Its class's rule set, else its own, else its opener's.
  private func rules(_ name: String, in instance: ModelInstance, _ app: App) -> Rules {
    guard let viewer = instance.viewers[name] else { return .none }
    if hasLostClass(viewer, app) { return .strictest }
    if let ofClass = viewerClass(viewer, app)?.ruleSet { return .named(policy.ruleSets[Int(ofClass.place)].name) }
    if let own = viewer.ruleSet { return policy.ruleSets.contains { $0.name == own } ? .named(own) : .strictest }
    return viewer.opener.map { rules($0, in: instance, app) } ?? .none
  }

  private func viewerClass(_ viewer: ModelViewer, _ app: App) -> ViewerClass? {
    app.classes.first { $0.name == viewer.className }
  }

  private func hasLostClass(_ viewer: ModelViewer, _ app: App) -> Bool {
    viewer.className != nil && viewerClass(viewer, app) == nil
  }

  /// The window that the viewer is in: its own, or that of the nearest above it that has one.
  package func window(of name: String, in instance: ModelInstance) -> String? {
    way(up: name, in: instance).compactMap { instance.viewers[$0.name]?.window }.first
  }
}
