package import GuardModel
internal import URLRules

/// A name that an app chose from the configuration, and its current index.
enum Choice<Index: Sendable & Hashable>: Sendable, Hashable {
  case none
  case index(Index)
  /// Named once, gone since a reload: judged as strictly as an unregistered viewer.
  case missing
}

/// One web view, or a container of some, as its app registered it.
struct Viewer: Sendable {
  var name: [UInt8]
  var className: String?
  var viewerClass = Choice<ViewerClassIndex>.none
  var kind = ViewerKind.embedded
  var parent: ViewerIndex?
  /// The viewer that opened this one; counts as its parent when there is none.
  var opener: ViewerIndex?
  /// The window it is in; nil takes its parent's.
  var window: [UInt8]?
  var tag = WebViewPolicy.unset
  var ruleSetName: String?
  var ruleSet = Choice<RuleSetIndex>.none
  /// The pages that it shows, and its app's statements about them.
  var pages = ViewerPages()
  /// It shows a page that enforcing would not have opened.
  var isAdvised = false
  /// The window that it opened last does, too.
  var opensAdvised = false
  /// Number of viewers that have it as parent or opener.
  var dependents = 0
  /// Forgotten by its app, kept for those that inherit from it.
  var isGhost = false

  /// No viewer at all: room for the next.
  var isVacant = false

  static let vacant = {
    var viewer = Viewer(name: [])
    viewer.isVacant = true
    return viewer
  }()

  /// Approximate bytes that it takes: never far less than the truth.
  var byteCount: Int { Self.emptyBytes + 2 * name.count + (window?.count ?? 0) + pages.shown.byteCount }

  /// The memory of a viewer without its texts: its place, its name's, the names of the policy.
  static let emptyBytes = 1024

  var holdsOnly: Bool { kind == .container || kind == .window }
}

/// A window's name in eight bytes: the only thing kept of a window that shows an account, however many there are.
package enum WindowKey {
  /// FNV-1a. Two names with one key count as one window, which only ever asks for more.
  package static func key(of name: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in name.indices { hash = (hash ^ UInt64(name[index])) &* 0x100_0000_01B3 }
    return hash
  }
}

/// The calls by which an app describes its viewers. Each either does all it says or throws and changes nothing.
extension GuardState {
  /// Registers a viewer, or changes a registered one.
  package mutating func register(_ call: ViewerDescription, in id: InstanceID, _ snapshot: Snapshot) throws(Refusal) {
    let app = try app(of: id, snapshot)
    try checkLengths(call)
    let existing = instances[id.place]?.viewers.index(of: call.name)
    var viewer = existing.flatMap { instances[id.place]?.viewers[$0] } ?? Viewer(name: Array(call.name.utf8))
    let parent = try related(call.parent, in: id, below: existing, orThrow: Refusal.unknownParent)
    let opener = try related(call.opener, in: id, below: existing, orThrow: Refusal.unknownOpener)
    if existing == nil { begin(&viewer, openedBy: opener, in: id) }
    try apply(call, to: &viewer, app, snapshot)
    if let document = call.document {
      var judged = viewer
      (judged.parent, judged.opener) = (parent ?? viewer.parent, opener ?? viewer.opener)
      try judgeDocument(document, of: &judged, isRegistered: existing != nil, in: id, snapshot)
      (viewer.pages, viewer.isAdvised) = (judged.pages, judged.isAdvised)
    }
    guard let existing else {
      let index = try insert(viewer, parent: parent, opener: opener, in: id)
      instances[id.place]?.left.take(viewer.name)
      return keepPages(of: index, in: id, snapshot)
    }
    leave(existing, in: id, snapshot)
    instances[id.place]?.viewers.replace(existing, with: viewer)
    if let parent { instances[id.place]?.viewers.setParent(parent, of: existing) }
    if let opener { instances[id.place]?.viewers.setOpener(opener, of: existing) }
    keepPages(of: existing, in: id, snapshot)
  }

  package mutating func forget(viewer name: String, in id: InstanceID, _ snapshot: Snapshot) throws(Refusal) {
    let index = try viewerIndex(name, in: id)
    leave(index, in: id, snapshot)
    leavePages(of: index, in: id)
    instances[id.place]?.viewers.forget(index)
  }

  /// Tags a viewer. The policy that the configuration states for its class cannot be contradicted, only raised from
  /// `currentIdentity` to `currentIdentityBlockUpload`.
  package mutating func setWebViewPolicy(
    _ policy: WebViewPolicy, of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    let index = try viewerIndex(name, in: id)
    try check(policy, of: name, viewerClass(of: index, in: id, snapshot))
    leave(index, in: id, snapshot)
    instances[id.place]?.viewers[index].tag = policy
  }

  /// Gives a viewer a rule set by name, or takes the app's own choice away.
  package mutating func setExternalURLRules(
    _ ruleSet: String?, of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    let index = try viewerIndex(name, in: id)
    guard let viewer = instances[id.place]?.viewers[index], !viewer.holdsOnly else {
      throw .rulesOnContainer(viewer: name)
    }
    let choice = try choice(ruleSet, for: name, viewerClass(of: index, in: id, snapshot), snapshot)
    instances[id.place]?.viewers[index].ruleSetName = ruleSet
    instances[id.place]?.viewers[index].ruleSet = choice
  }

  /// The present resolution of a viewer; nil when the instance or its app is gone.
  package func resolution(of name: String, in id: InstanceID, _ snapshot: Snapshot) -> ResolvedViewer? {
    guard let instance = instance(id), let app = instance.app else { return nil }
    let bytes = Array(name.utf8)
    return instance.resolve(bytes.span, in: snapshot.viewerPolicies(of: app))
  }

  // MARK: Parts

  func viewerIndex(_ name: String, in id: InstanceID) throws(Refusal) -> ViewerIndex {
    guard let index = instance(id)?.viewers.index(of: name) else { throw .unknownViewer(name) }
    return index
  }

  private func viewerClass(of index: ViewerIndex, in id: InstanceID, _ snapshot: Snapshot) -> ViewerClass? {
    guard let instance = instance(id), let app = instance.app else { return nil }
    return viewerClass(of: instance.viewers[index], snapshot[app])
  }

  private func viewerClass(of viewer: Viewer, _ app: App) -> ViewerClass? {
    guard case .index(let number) = viewer.viewerClass else { return nil }
    return app[number]
  }

  func app(of id: InstanceID, _ snapshot: Snapshot) throws(Refusal) -> App {
    guard let app = instance(id)?.app else { throw .noApp }
    return snapshot[app]
  }

  private func checkLengths(_ call: ViewerDescription) throws(Refusal) {
    let texts = [call.name, call.window ?? "-", call.className ?? "-"]
    for text in texts where !(1...limits.nameBytes).contains(text.utf8.count) {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
  }

  private func apply(
    _ call: ViewerDescription, to viewer: inout Viewer, _ app: App, _ snapshot: Snapshot
  ) throws(Refusal) {
    if let kind = call.kind { viewer.kind = kind }
    if let window = call.window { viewer.window = Array(window.utf8) }
    if let name = call.className {
      guard let index = app.viewerClass(named: name) else { throw .unknownClass(name) }
      if let old = viewer.className, old != name { throw .classLocked(viewer: call.name) }
      viewer.className = name
      viewer.viewerClass = .index(index)
    }
    let viewerClass = viewerClass(of: viewer, app)
    if let policy = call.policy {
      try check(policy, of: call.name, viewerClass)
      viewer.tag = policy
    }
    if viewer.holdsOnly, viewer.ruleSet != .none || viewerClass?.ruleSet != nil || call.ruleSet != nil {
      throw .rulesOnContainer(viewer: call.name)
    }
    if let ruleSet = call.ruleSet {
      viewer.ruleSet = try choice(ruleSet, for: call.name, viewerClass, snapshot)
      viewer.ruleSetName = ruleSet
    }
  }

  /// The configuration's policy for a class cannot be contradicted, only raised from `currentIdentity` to
  /// `currentIdentityBlockUpload`.
  private func check(
    _ policy: WebViewPolicy, of name: String, _ viewerClass: ViewerClass?
  ) throws(Refusal) {
    guard let stated = viewerClass?.policy, stated != .unset, stated != policy else { return }
    guard stated == .currentIdentity, policy == .currentIdentityBlockUpload else {
      throw .policyLocked(viewer: name, policy: stated)
    }
  }

  /// The rule set that an app names for a viewer; nil takes its choice away.
  private func choice(
    _ ruleSet: String?, for name: String, _ viewerClass: ViewerClass?, _ snapshot: Snapshot
  ) throws(Refusal) -> Choice<RuleSetIndex> {
    if let stated = viewerClass?.ruleSet {
      let statedName = snapshot[stated].name
      guard statedName == ruleSet else { throw .policyLocked(viewer: name, ruleSet: statedName) }
    }
    guard let ruleSet else { return .none }
    guard let found = snapshot.ruleSet(named: ruleSet) else { throw .unknownRuleSet(ruleSet) }
    return .index(found)
  }

  /// The viewer called `name`, which must be registered and must not lie below `viewer`.
  private func related(
    _ name: String?, in id: InstanceID, below viewer: ViewerIndex?, orThrow unknown: (String) -> Refusal
  ) throws(Refusal) -> ViewerIndex? {
    guard let name else { return nil }
    guard let viewers = instance(id)?.viewers, let index = viewers.index(of: name) else { throw unknown(name) }
    if let viewer, viewers.reaches(viewer, from: index) {
      throw .viewerCycle(viewer: String(decoding: viewers[viewer].name, as: UTF8.self))
    }
    let below = viewer.map { viewers.height(of: $0) } ?? 0
    guard viewers.depth(of: index) + below < limits.nesting else {
      throw .limitReached(.nesting, maximum: limits.nesting)
    }
    return index
  }

  private mutating func insert(
    _ viewer: Viewer, parent: ViewerIndex?, opener: ViewerIndex?, in id: InstanceID
  ) throws(Refusal) -> ViewerIndex {
    guard let viewers = instances[id.place]?.viewers, viewers.occupied < limits.viewersPerInstance else {
      throw .limitReached(.viewers, maximum: limits.viewersPerInstance)
    }
    var viewer = viewer
    viewer.parent = parent
    viewer.opener = opener
    guard let index = instances[id.place]?.viewers.insert(viewer) else { throw .noApp }
    return index
  }
}
