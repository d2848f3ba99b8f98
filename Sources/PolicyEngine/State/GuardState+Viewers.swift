package import GuardModel
internal import URLRules
internal import URLStandard

/// The calls by which an app describes its viewers. Each either does all it says or throws and changes nothing.
extension GuardState {
  /// Registers a viewer, or changes what is known of a registered one.
  package mutating func register(_ call: ViewerCall, in id: InstanceID, _ snapshot: Snapshot) throws(StateError) {
    let app = try app(of: id, snapshot)
    try checkLengths(call)
    let existing = instances[Int(id.index)]?.viewers.index(of: call.name)
    var viewer = existing.flatMap { instances[Int(id.index)]?.viewers[$0] } ?? Viewer(name: Array(call.name.utf8))
    let parent = try related(call.parent, in: id, below: existing, orThrow: StateError.unknownParent)
    let opener = try related(call.opener, in: id, below: existing, orThrow: StateError.unknownOpener)
    // A popup was asked about under its opener's name: what was external there is external here.
    if existing == nil, let opener, let instance = instances[Int(id.index)] {
      viewer.externals = instance.viewers[opener].externals
      viewer.isAdvised = instance.viewers[opener].opensAdvised || instance.showsAdvised(opener)
    }
    try apply(call, to: &viewer, app, snapshot)
    guard let existing else {
      try insert(viewer, parent: parent, opener: opener, in: id)
      return
    }
    instances[Int(id.index)]?.viewers.replace(existing, with: viewer)
    if let parent { instances[Int(id.index)]?.viewers.setParent(parent, of: existing) }
    if let opener { instances[Int(id.index)]?.viewers.setOpener(opener, of: existing) }
  }

  package mutating func forget(viewer name: String, in id: InstanceID) throws(StateError) {
    let index = try viewerIndex(name, in: id)
    instances[Int(id.index)]?.viewers.forget(index)
  }

  /// Tags a viewer. What the configuration states for its class cannot be contradicted, only raised from
  /// `currentIdentity` to `currentIdentityBlockUpload`.
  package mutating func setWebViewPolicy(
    _ policy: WebViewPolicy, of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(StateError) {
    let index = try viewerIndex(name, in: id)
    if let stated = viewerClass(of: index, in: id, snapshot)?.policy, stated != .unset, stated != policy {
      guard stated == .currentIdentity, policy == .currentIdentityBlockUpload else {
        throw .policyLocked(viewer: name, policy: stated)
      }
    }
    instances[Int(id.index)]?.viewers[index].tag = policy
  }

  /// Gives a viewer a rule set by name, or takes the app's own choice away.
  package mutating func setExternalURLRules(
    _ ruleSet: String?, of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(StateError) {
    let index = try viewerIndex(name, in: id)
    guard let viewer = instances[Int(id.index)]?.viewers[index], !viewer.holdsOnly else {
      throw .rulesOnContainer(name)
    }
    if let stated = viewerClass(of: index, in: id, snapshot)?.ruleSet {
      let statedName = snapshot.ruleSets[Int(stated)].name
      guard statedName == ruleSet else { throw .rulesLocked(viewer: name, ruleSet: statedName) }
    }
    var choice = Choice.none
    if let ruleSet {
      guard let found = snapshot.ruleSet(named: ruleSet) else { throw .unknownRuleSet(ruleSet) }
      choice = .index(found)
    }
    instances[Int(id.index)]?.viewers[index].ruleSetName = ruleSet
    instances[Int(id.index)]?.viewers[index].ruleSet = choice
  }

  /// Says what a viewer shows now; nil for nothing known.
  package mutating func setDocument(_ url: String?, of name: String, in id: InstanceID) throws(StateError) {
    let index = try viewerIndex(name, in: id)
    guard var viewer = instances[Int(id.index)]?.viewers[index] else { return }
    try setDocument(url, of: &viewer)
    instances[Int(id.index)]?.viewers.replace(index, with: viewer)
  }

  /// How a viewer resolves now; nil when the instance or its app is gone.
  package func resolution(of name: String, in id: InstanceID, _ snapshot: Snapshot) -> ResolvedViewer? {
    guard let instance = instance(id), let app = instance.app else { return nil }
    let bytes = Array(name.utf8)
    return instance.resolve(bytes.span, in: snapshot.apps[Int(app)])
  }

  // MARK: Parts

  func viewerIndex(_ name: String, in id: InstanceID) throws(StateError) -> Int32 {
    guard let index = instance(id)?.viewers.index(of: name) else { throw .unknownViewer(name) }
    return index
  }

  private func viewerClass(of index: Int32, in id: InstanceID, _ snapshot: Snapshot) -> ViewerClass? {
    guard let instance = instance(id), let app = instance.app else { return nil }
    guard case .index(let number) = instance.viewers[index].viewerClass else { return nil }
    return snapshot.apps[Int(app)].classes[Int(number)]
  }

  private func app(of id: InstanceID, _ snapshot: Snapshot) throws(StateError) -> App {
    guard let app = instance(id)?.app else { throw .unknownApp }
    return snapshot.apps[Int(app)]
  }

  private func checkLengths(_ call: ViewerCall) throws(StateError) {
    let texts = [call.name, call.window ?? "-", call.className ?? "-"]
    for text in texts where !(1...limits.nameBytes).contains(text.utf8.count) {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
  }

  private func apply(
    _ call: ViewerCall, to viewer: inout Viewer, _ app: App, _ snapshot: Snapshot
  ) throws(StateError) {
    if let kind = call.kind { viewer.kind = kind }
    if let window = call.window { viewer.window = Array(window.utf8) }
    if let name = call.className {
      guard let index = app.viewerClass(named: name) else { throw .unknownClass(name) }
      if let old = viewer.className, old != name { throw .classLocked(viewer: call.name) }
      viewer.className = name
      viewer.viewerClass = .index(index)
    }
    if viewer.holdsOnly {
      guard viewer.ruleSet == .none, !statesRules(viewer, app) else { throw .rulesOnContainer(call.name) }
    }
    if let document = call.document { try setDocument(document, of: &viewer) }
  }

  private func statesRules(_ viewer: Viewer, _ app: App) -> Bool {
    guard case .index(let number) = viewer.viewerClass else { return false }
    return app.classes[Int(number)].ruleSet != nil
  }

  /// A page must not make itself the document: a URL that was answered external here is refused.
  private func setDocument(_ url: String?, of viewer: inout Viewer) throws(StateError) {
    guard let url else {
      viewer.document = nil
      return
    }
    var subject = URLSubject()
    subject.read(url)
    guard subject.kind != .invalid else { throw .invalidDocument }
    guard subject.kind == .url, !subject.hadCredentials else {
      viewer.document = nil
      return
    }
    guard !viewer.externals.contains(subject.judged) else {
      throw .documentIsExternal(String(decoding: viewer.name, as: UTF8.self))
    }
    viewer.document = subject.judged
    viewer.isAdvised = false
  }

  /// The viewer called `name`, which must be registered and must not lie below `viewer`.
  private func related(
    _ name: String?, in id: InstanceID, below viewer: Int32?, orThrow unknown: (String) -> StateError
  ) throws(StateError) -> Int32? {
    guard let name else { return nil }
    guard let viewers = instance(id)?.viewers, let index = viewers.index(of: name) else { throw unknown(name) }
    if let viewer, viewers.reaches(viewer, from: index) {
      throw .viewerCycle(String(decoding: viewers[viewer].name, as: UTF8.self))
    }
    let below = viewer.map { viewers.height(of: $0) } ?? 0
    guard viewers.depth(of: index) + below < limits.nesting else {
      throw .limitReached(.nesting, maximum: limits.nesting)
    }
    return index
  }

  private mutating func insert(
    _ viewer: Viewer, parent: Int32?, opener: Int32?, in id: InstanceID
  ) throws(StateError) {
    guard let viewers = instances[Int(id.index)]?.viewers, viewers.occupied < limits.viewersPerInstance else {
      throw .limitReached(.viewers, maximum: limits.viewersPerInstance)
    }
    var viewer = viewer
    viewer.parent = parent
    viewer.opener = opener
    _ = instances[Int(id.index)]?.viewers.insert(viewer)
  }
}
