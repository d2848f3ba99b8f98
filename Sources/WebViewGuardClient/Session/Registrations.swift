internal import GuardModel

/// What the app said so far, to be said again when the daemon lost it.
///
/// What was forgotten stays as a ghost while others inherit from it, as at the daemon, so that forgetting an opener never
/// loosens its popup: a ghost is registered again, and forgotten again.
struct Registrations: Sendable {
  /// A viewer, by a number of its own: a name may be used anew while others still inherit from its former owner.
  struct Viewer: Sendable {
    let id: Int
    var description: ViewerDescription
    var parent: Int?
    var opener: Int?
    /// The app said that the document is not known, after one was.
    var documentIsUnknown = false
    var policy: WebViewPolicy?
    /// Nil when nothing was said; `.some(nil)` takes the rule set away.
    var rules: String??
  }

  private(set) var viewers: [Viewer] = []
  private(set) var live: [String: Int] = [:]
  /// Forgotten without an answer: a daemon that was only out of reach may still have them.
  private(set) var forgotten: [String] = []
  private(set) var identities: [(level: GuardClient.IdentityTarget, shown: ShownAccounts)] = []
  private var count = 0

  /// As many viewers as the daemon takes of an instance. What is registered or forgotten beyond that while nobody answers
  /// is not said again, and so no page that opens windows fills the app's memory.
  static let capacity = 4_096

  /// Remembers what was said and not refused.
  ///
  /// - Parameter isDelivered: whether the daemon is known to have heard it.
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

  /// A switch that nobody answered did not come about for the app, and may have for the daemon: what the app knows is said
  /// again, if only that the level has no identity.
  mutating func takeBack(_ level: GuardClient.IdentityTarget) {
    if !identities.contains(where: { $0.level == level }) { identities.append((level, .inherited)) }
  }

  /// The daemon heard one of `statements`: what was only kept until then may go.
  mutating func replayed(_ statement: Statement) {
    switch statement {
    case .forget(let viewer): forgotten.removeAll { $0 == viewer }
    case .identity(let level, .inherited, _): identities.removeAll { $0.level == level && $0.shown == .inherited }
    default: break
    }
  }

  /// The daemon knows nothing any more: what is only said to take something back need not be said.
  mutating func startAnew() {
    forgotten = []
    identities.removeAll { $0.shown == .inherited }
  }

  /// The window that a viewer is shown in: its own, or that of what it lies in or was opened by.
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
    // What sets nothing need only be said again when the daemon may not have heard it.
    if shown != .inherited || !isDelivered { identities.append((level, shown)) }
  }
}
