package import GuardModel

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

extension Registrations {
  /// All statements for a daemon that has lost everything, each after those that it depends on: identities of the
  /// process, viewers as they were registered, tags, rule sets, then identities of windows and of the scope.
  var statements: [Statement] {
    var said = identities(at: { $0 == .process })
    said += forgotten.map { .forget(viewer: $0) }
    var replay = Replay(registrations: self)
    said += replay.statements()
    said += identities(at: { $0 != .process && $0 != .scope })
    return said + identities(at: { $0 == .scope })
  }

  private func identities(at isMeant: (GuardClient.IdentityTarget) -> Bool) -> [Statement] {
    identities.filter { isMeant($0.level) }.map { .identity($0.level, $0.shown, gates: nil) }
  }
}

/// The viewers as statements: each after its container and its opener, and ghosts forgotten again.
private struct Replay {
  let registrations: Registrations
  private var placed: Set<Int> = []
  /// The viewers registered so far, by name.
  private var present: [Registrations.Viewer] = []

  init(registrations: Registrations) { self.registrations = registrations }

  mutating func statements() -> [Statement] {
    var said: [Statement] = []
    for viewer in registrations.viewers { register(viewer, &said) }
    said += present.compactMap(tag)
    said += present.compactMap(rules)
    return said + present.filter { !isLive($0) }.map { .forget(viewer: $0.description.name) }
  }

  private mutating func register(_ viewer: Registrations.Viewer, _ said: inout [Statement]) {
    guard placed.insert(viewer.id).inserted else { return }
    let (parent, opener) = (registrations.viewer(viewer.parent), registrations.viewer(viewer.opener))
    for above in [parent, opener].compactMap(\.self) { register(above, &said) }
    let name = viewer.description.name
    if let index = present.firstIndex(where: { $0.description.name == name }) {
      let former = present.remove(at: index)
      said += [tag(former), rules(former), .forget(viewer: name)].compactMap(\.self)
    }
    present.append(viewer)
    var description = viewer.description
    (description.parent, description.opener) = (parent?.description.name, opener?.description.name)
    said.append(.viewer(description))
    if viewer.documentIsUnknown { said.append(.document(viewer: name, url: nil)) }
  }

  private func tag(_ viewer: Registrations.Viewer) -> Statement? {
    viewer.policy.map { .policy(viewer: viewer.description.name, $0) }
  }

  private func rules(_ viewer: Registrations.Viewer) -> Statement? {
    viewer.rules.map { .rules(viewer: viewer.description.name, ruleSet: $0) }
  }

  private func isLive(_ viewer: Registrations.Viewer) -> Bool {
    registrations.live[viewer.description.name] == viewer.id
  }
}

/// One statement of an app about itself. The client repeats it to a daemon that lost it.
package enum Statement: Sendable, Hashable {
  case viewer(ViewerDescription)
  case document(viewer: String, url: String?)
  case forget(viewer: String)
  case policy(viewer: String, WebViewPolicy)
  case rules(viewer: String, ruleSet: String?)
  case identity(GuardClient.IdentityTarget, ShownAccounts, gates: SwitchResult?)

  var method: String {
    switch self {
    case .viewer: "RegisterViewer"
    case .document: "SetDocument"
    case .forget: "ForgetViewer"
    case .policy: "SetWebViewPolicy"
    case .rules: "SetExternalURLRules"
    case .identity: "SetIdentity"
    }
  }

  func write(to writer: inout ValueWriter) {
    writer.object { members in
      switch self {
      case .viewer(let description): description.write(to: &members)
      case .document(let viewer, let url):
        members.member("viewer", viewer)
        members.member("document", url)
      case .forget(let viewer): members.member("viewer", viewer)
      case .policy(let viewer, let policy):
        members.member("viewer", viewer)
        members.member("policy", policy.name)
      case .rules(let viewer, let ruleSet):
        members.member("viewer", viewer)
        members.member("ruleSet", ruleSet)
      case .identity(let level, let shown, let gates):
        level.write(to: &members)
        shown.write(to: &members)
        members.member("gates", gates?.rawValue)
      }
    }
  }
}

// A nil member was left out.
extension ViewerDescription {
  func write(to members: inout ValueWriter) {
    members.member("viewer", name)
    members.member("class", className)
    members.member("parent", parent)
    members.member("window", window)
    members.member("opener", opener)
    members.member("kind", kind?.rawValue)
    members.member("document", document)
    members.member("policy", policy?.name)
    members.member("ruleSet", ruleSet)
  }

  /// Takes over the given members; the others stay.
  mutating func merge(_ newer: ViewerDescription) {
    className = newer.className ?? className
    parent = newer.parent ?? parent
    window = newer.window ?? window
    opener = newer.opener ?? opener
    kind = newer.kind ?? kind
    document = newer.document ?? document
  }
}

extension GuardClient.IdentityTarget {
  func write(to members: inout ValueWriter) {
    switch self {
    case .process: members.member("level", "process")
    case .window(let window):
      members.member("level", "window")
      members.member("window", window)
    case .scope: members.member("level", "scope")
    }
  }
}

/// The accounts whose data a level shows.
package enum ShownAccounts: Sendable, Hashable {
  /// No account is set: the next level counts.
  case inherited
  /// One account; `""` is explicitly no account.
  case one(String)
  /// Several accounts together, in one window.
  case several([String])

  func write(to members: inout ValueWriter) {
    switch self {
    case .inherited: break
    case .one(let account): members.member("account", account)
    case .several(let accounts): members.member("accounts", accounts)
    }
  }
}
