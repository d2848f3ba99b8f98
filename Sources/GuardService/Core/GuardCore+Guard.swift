internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// The calls of `org.webviewguard.Guard` that are no events.
extension GuardCore {
  func answer(_ call: GuardCall, _ request: borrowing Request, on connection: Connection) throws {
    if case .decide = call {} else { state.time = max(state.time, clock.now()) }
    switch call {
    case .decide: try decideEvent(request, on: connection)
    case .whoAmI: answerWhoAmI(on: connection, isOneway: request.isOneway)
    case .ownPrograms: reply(ownPrograms(of: connection), to: connection, request)
    case .attach(let call): reply(try attach(call, connection), to: connection, request)
    case .registerViewer(let call): reply(try register(call, connection), to: connection, request)
    case .setDocument(let call): reply(try setDocument(call, connection), to: connection, request)
    case .forgetViewer(let call): reply(try forget(call, connection), to: connection, request)
    case .setWebViewPolicy(let call): reply(try setPolicy(call, connection), to: connection, request)
    case .setExternalURLRules(let call): reply(try setRules(call, connection), to: connection, request)
    case .setIdentity(let call): reply(try setIdentity(call, connection), to: connection, request)
    case .identities(let call): reply(try identities(call, connection), to: connection, request)
    case .decideMany(let call): try decideMany(call, request, on: connection)
    case .decideLocations(let call): reply(try decideLocations(call, connection), to: connection, request)
    case .decidePeers(let call): try decidePeers(call, request, on: connection)
    case .answer(let call): reply(try answerSwitch(call, connection), to: connection, request)
    case .acknowledge(let call): reply(try acknowledge(call, connection), to: connection, request)
    case .subscribe(let call): try subscribe(call, on: connection)
    }
  }

  /// - Parameter groups: the names of the peer's groups.
  func whoAmI(_ peer: PolicyEngine.Peer, groups: [String]) -> WhoAmIReply {
    let apps = apps(of: peer)
    return WhoAmIReply(
      uid: peer.uid, groups: groups, unit: peer.unit, label: peer.label, app: apps.count == 1 ? apps[0].name : nil,
      socket: peer.socket)
  }

  /// The apps whose `peers` speak of this peer.
  private func apps(of peer: PolicyEngine.Peer) -> [App] {
    snapshot.apps.filter { app in app.peers.contains { $0.speaks(of: peer) } }
  }

  // MARK: Attach

  private func attach(_ call: AttachCall, _ connection: Connection) throws(GuardError) -> AttachReply {
    guard connection.session == nil else { throw .alreadyAttached }
    guard snapshot.hasPolicy else { throw .noPolicy }
    let app = try app(call.app, for: connection.peer)
    let session = try session(call, of: app, connection)
    if let languages = call.languages { state.setLanguages(languages, of: session.instance) }
    return AttachReply(
      instance: session.token, app: app, features: features(of: session, among: call.features),
      contract: settings.contract, generation: snapshot.generation)
  }

  /// What both sides have. What an instance's program can do is said when it starts.
  private func features(of session: Session, among words: [String]) -> [String] {
    let instance = state.instance(session.instance)?.features ?? []
    return words.filter { word in
      if let feature = ClientFeatures.names.first(where: { $0.name == word })?.feature {
        return instance.contains(feature)
      }
      return Self.features.contains(word)
    }
  }

  /// What needs nothing of the instance: `actions` groups the questions of one click, `clips` gives copies a number.
  private static let features: Set<String> = ["actions", "clips"]

  private func app(_ wanted: String?, for peer: PolicyEngine.Peer) throws(GuardError) -> String {
    let apps = apps(of: peer).map(\.name)
    guard !apps.isEmpty else { throw .noApp }
    if let wanted {
      guard apps.contains(wanted) else { throw .appMismatch(wanted) }
      return wanted
    }
    guard apps.count == 1 else { throw .appAmbiguous(apps) }
    return apps[0]
  }

  private func session(
    _ call: AttachCall, of app: String, _ connection: Connection
  ) throws(GuardError) -> Session {
    guard let token = call.instance else { return try newSession(call, of: app, connection) }
    if let session = try resumedSession(token, call, of: app, connection) { return session }
    guard let session = sessions[token], session.app == app, session.peer.uid == connection.peer.uid else {
      throw .unknownInstance
    }
    join(session, connection)
    return session
  }

  private func newSession(
    _ call: AttachCall, of app: String, _ connection: Connection
  ) throws(GuardError) -> Session {
    guard let index = snapshot.app(named: app) else { throw .noApp }
    let peer = connection.peer
    let features = ClientFeatures(words: call.features)
    try checkMemory(GuardState.emptyBytes, of: connection.memory)
    let instance = try translated { () throws(StateError) in
      try state.attach(app: index, peer: peer, features: features, snapshot)
    }
    let session = Session(
      token: Session.newToken(), instance: instance, app: app, peer: peer, memory: connection.memory)
    begin(session, features, on: connection)
    return session
  }

  /// Makes a session known, in the log and in the state file as well.
  func begin(_ session: Session, _ features: ClientFeatures, on connection: Connection) {
    sessions[session.token] = session
    connection.session = session
    var change = StateChange(.attach)
    change.features = features.words
    record(change, of: session, by: session.peer)
    keep(session)
  }

  // MARK: Viewers

  private func register(_ call: RegisterViewerCall, _ connection: Connection) throws(GuardError) -> RegisterViewerReply
  {
    let session = try attached(connection)
    let viewer = ViewerCall(
      call.viewer, class: call.viewerClass, parent: call.parent, window: call.window, opener: call.opener,
      kind: call.kind, document: call.document, policy: call.policy, ruleSet: call.ruleSet)
    try checkMemory(state.growth(by: viewer, in: session.instance), of: session.memory)
    try translated { () throws(StateError) in try state.register(viewer, in: session.instance, snapshot) }
    var change = StateChange(.registerViewer)
    change.viewer = call.viewer
    change.viewerClass = call.viewerClass
    change.viewerKind = call.kind
    change.parent = call.parent
    change.window = call.window
    change.opener = call.opener
    change.policy = call.policy
    change.ruleSet = call.ruleSet
    change.document = loggedDocument(call.document, of: call.viewer, session, connection)
    record(change, of: session, by: connection.peer)
    let resolved = try resolved(call.viewer, session)
    return RegisterViewerReply(policy: resolved.policy, policySource: resolved.source, ruleSet: ruleSetName(resolved))
  }

  private func setDocument(_ call: SetDocumentCall, _ connection: Connection) throws(GuardError) -> EmptyReply {
    let session = try attached(connection)
    try checkMemory(
      state.growth(bySetting: call.document, of: call.viewer, in: session.instance), of: session.memory)
    try translated { () throws(StateError) in
      try state.setDocument(call.document, of: call.viewer, in: session.instance, snapshot)
    }
    var change = StateChange(.setDocument)
    change.viewer = call.viewer
    change.document = loggedDocument(call.document, of: call.viewer, session, connection)
    // That a private page followed another is nobody's business either.
    let isTold =
      change.document == .withheld && !session.privateViewers.losesDocument(PrivateViewers.key(of: call.viewer))
    record(change, of: session, by: connection.peer, isTold: isTold)
    return EmptyReply()
  }

  private func forget(_ call: ForgetViewerCall, _ connection: Connection) throws(GuardError) -> EmptyReply {
    let session = try attached(connection)
    try translated { () throws(StateError) in try state.forget(viewer: call.viewer, in: session.instance, snapshot) }
    var change = StateChange(.forgetViewer)
    change.viewer = call.viewer
    record(change, of: session, by: connection.peer)
    return EmptyReply()
  }

  private func setPolicy(
    _ call: SetWebViewPolicyCall, _ connection: Connection
  ) throws(GuardError) -> SetWebViewPolicyReply {
    let session = try attached(connection)
    try translated { () throws(StateError) in
      try state.setWebViewPolicy(call.policy, of: call.viewer, in: session.instance, snapshot)
    }
    var change = StateChange(.setWebViewPolicy)
    change.viewer = call.viewer
    change.policy = call.policy
    record(change, of: session, by: connection.peer)
    let resolved = try resolved(call.viewer, session)
    return SetWebViewPolicyReply(policy: resolved.policy, policySource: resolved.source)
  }

  private func setRules(_ call: SetExternalURLRulesCall, _ connection: Connection) throws(GuardError) -> EmptyReply {
    let session = try attached(connection)
    try translated { () throws(StateError) in
      try state.setExternalURLRules(call.ruleSet, of: call.viewer, in: session.instance, snapshot)
    }
    var change = StateChange(.setExternalURLRules)
    change.viewer = call.viewer
    change.ruleSet = call.ruleSet
    record(change, of: session, by: connection.peer)
    return EmptyReply()
  }

  private func resolved(_ viewer: String, _ session: Session) throws(GuardError) -> ResolvedViewer {
    guard let resolved = state.resolution(of: viewer, in: session.instance, snapshot) else { throw .noApp }
    return resolved
  }

  func ruleSetName(_ resolved: ResolvedViewer) -> String? {
    guard case .ruleSet(let index) = resolved.rules else { return nil }
    return snapshot.ruleSets[Int(index)].name
  }

  // MARK: Parts

  func attached(_ connection: Connection) throws(GuardError) -> Session {
    guard let session = connection.session else { throw .notAttached }
    return session
  }

  /// A viewer's document as the log has it: not that of a viewer with nobody's or unmanaged data, nor a page that such a
  /// viewer may have left behind.
  private func loggedDocument(
    _ text: String?, of viewer: String, _ session: Session, _ connection: Connection
  ) -> LoggedURL {
    let key = PrivateViewers.key(of: viewer)
    if state.isPrivate(viewer: viewer, scope: connection.scope, in: session.instance, snapshot) {
      session.privateViewers.note(key)
      return text == nil ? .absent : .withheld
    }
    let url = loggedURL(text)
    if case .valid(let document) = url, !session.privateViewers.mayName(document, in: key) { return .withheld }
    session.privateViewers.hasDocument(key)
    return url
  }

  func loggedURL(_ text: String?) -> LoggedURL {
    guard let text else { return .absent }
    return URLText(reading: text).map(LoggedURL.valid) ?? .invalid(byteCount: text.utf8.count)
  }
}
