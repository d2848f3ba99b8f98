internal import GuardModel

/// The app's statements so far, for repeating them to a daemon that lost them.
///
/// A forgotten viewer stays as a ghost while others inherit from it, as at the daemon, so forgetting an opener never
/// loosens its popup. A ghost is registered again and forgotten again.
struct Registrations: Sendable {
  /// A viewer with a number of its own: a new viewer may take a name while others inherit from its former owner.
  struct Viewer: Sendable {
    let id: Int
    var description: ViewerDescription
    var parent: Int?
    var opener: Int?
    /// The app made a known document unknown.
    var documentIsUnknown = false
    var policy: WebViewPolicy?
    /// Nil when the app did not say; `.some(nil)` takes the rule set away.
    var rules: String??
  }

  private(set) var viewers: [Viewer] = []
  private(set) var live: [String: Int] = [:]
  /// Viewers forgotten without an answer: a daemon that was only out of reach may still have them.
  private(set) var forgotten: [String] = []
  private(set) var identities: [(level: GuardClient.IdentityTarget, shown: ShownAccounts)] = []
  private var count = 0

  /// Maximum viewers, as many as the daemon takes per instance. The client does not repeat further registrations made
  /// while the daemon is away, so a page that opens windows cannot fill the app's memory.
  static let capacity = 4_096

  /// Remembers a statement that was not refused.
  ///
  /// - Parameter isDelivered: the daemon has certainly heard it.
  mutating func remember(_ statement: Statement, isDelivered: Bool) {
    switch statement {
    case .viewer(let viewer): register(viewer)
    case .document(let viewer, let url):
      change(viewer) { ($0.description.document, $0.documentIsUnknown) = (url, url == nil) }
    case .forget(let viewer): forget(viewer, isDelivered: isDelivered)
    case .policy(let viewer, let policy): change(viewer) { $0.policy = policy }
    case .rules(let viewer, let ruleSet): change(viewer) { $0.rules = .some(ruleSet) }
    case .identity(let level, let shown, _): setIdentity(level, shown, isDelivered: isDelivered)
    }
  }

  /// A switch without an answer failed for the app, but may have succeeded at the daemon. The client repeats the app's
  /// view of the level, even if it is only that the level has no identity.
  mutating func takeBack(_ level: GuardClient.IdentityTarget) {
    if !identities.contains(where: { $0.level == level }) { identities.append((level, .inherited)) }
  }

  /// The daemon heard one of `statements`: entries kept only for it may go.
  mutating func replayed(_ statement: Statement) {
    switch statement {
    case .forget(let viewer): forgotten.removeAll { $0 == viewer }
    case .identity(let level, .inherited, _): identities.removeAll { $0.level == level && $0.shown == .inherited }
    default: break
    }
  }

  /// The daemon has lost everything, so statements that only take something back are not needed.
  mutating func startAnew() {
    forgotten = []
    identities.removeAll { $0.shown == .inherited }
  }

  /// The window that shows a viewer: its own, or that of its container or opener.
  func window(of name: String) -> String? {
    var next = live[name]
    for _ in viewers.indices {
      guard let found = viewer(next) else { return nil }
      if let window = found.description.window { return window }
      next = found.parent ?? found.opener
    }
    return nil
  }

  func viewer(_ id: Int?) -> Viewer? { id.flatMap { id in viewers.first { $0.id == id } } }

  private mutating func change(_ name: String, _ change: (inout Viewer) -> Void) {
    guard let id = live[name], let index = viewers.firstIndex(where: { $0.id == id }) else { return }
    change(&viewers[index])
  }

  private mutating func register(_ description: ViewerDescription) {
    if live[description.name] == nil {
      guard viewers.count < Self.capacity else { return }
      count += 1
      live[description.name] = count
      viewers.append(Viewer(id: count, description: ViewerDescription(description.name)))
    }
    let (parent, opener) = (description.parent.flatMap { live[$0] }, description.opener.flatMap { live[$0] })
    change(description.name) { viewer in
      viewer.description.merge(description)
      viewer.policy = description.policy ?? viewer.policy
      if let ruleSet = description.ruleSet { viewer.rules = .some(ruleSet) }
      viewer.parent = parent ?? viewer.parent
      viewer.opener = opener ?? viewer.opener
      if description.document != nil { viewer.documentIsUnknown = false }
    }
  }

  private mutating func forget(_ name: String, isDelivered: Bool) {
    if live.removeValue(forKey: name) != nil, !isDelivered, !forgotten.contains(name) {
      if forgotten.count >= Self.capacity { forgotten.removeFirst() }
      forgotten.append(name)
    }
    while true {
      let needed = Set(viewers.flatMap { [$0.parent, $0.opener] })
      let count = viewers.count
      viewers.removeAll { live[$0.description.name] != $0.id && !needed.contains($0.id) }
      if viewers.count == count { return }
    }
  }

  private mutating func setIdentity(_ level: GuardClient.IdentityTarget, _ shown: ShownAccounts, isDelivered: Bool) {
    identities.removeAll { $0.level == level }
    // A statement that sets nothing is repeated only when the daemon may not have heard it.
    if shown != .inherited || !isDelivered { identities.append((level, shown)) }
  }
}
