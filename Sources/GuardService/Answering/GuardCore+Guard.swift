internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// The calls of `org.webviewguard.Guard` that are no events.
extension GuardCore {
  func answer(_ call: GuardCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .decide: try decideEvent(request, on: connection)
    case .whoAmI: answerWhoAmI(on: connection, isOneway: request.isOneway)
    case .ownPrograms: reply(ownPrograms(of: connection), to: connection, request)
    case .attach(let call): reply(try attach(call, connection), to: connection, request)
    case .state(let call): reply(try perform(call, connection), to: connection, request)
    case .identities(let call): reply(try identities(call, connection), to: connection, request)
    case .decideMany(let call): try decideMany(call, request, on: connection)
    case .decideLocations(let call): reply(try decideLocations(call, connection), to: connection, request)
    case .decidePeers(let call): try decidePeers(call, request, on: connection)
    case .acknowledge(let call): reply(try acknowledge(call, connection), to: connection, request)
    case .subscribe(let call): try subscribe(call, on: connection)
    }
  }

  /// - Parameter groups: the names of the peer's groups.
  func whoAmI(_ peer: Peer, groups: [String]) -> WhoAmIReply {
    let apps = apps(of: peer)
    return WhoAmIReply(
      uid: peer.uid, groups: groups, unit: peer.unit, label: peer.label, app: apps.count == 1 ? apps[0].name : nil,
      socket: peer.socket)
  }

  /// The apps whose `peers` speak of this peer.
  private func apps(of peer: Peer) -> [App] {
    snapshot.apps.filter { app in app.peers.contains { $0.speaks(of: peer) } }
  }

  // MARK: Attach

  private func attach(_ call: AttachCall, _ connection: Connection) throws(Refusal) -> AttachReply {
    guard connection.session == nil else { throw .alreadyAttached }
    guard snapshot.hasPolicy else { throw .noPolicy }
    let app = try app(call.app, for: connection.peer)
    let session = try session(call, of: app, connection)
    if let languages = call.languages { state.setLanguages(languages, of: session.instance) }
    return AttachReply(
      instance: session.token, app: app, features: features(of: session, among: call.features),
      contract: policy.settings.contract, generation: snapshot.generation)
  }

  /// The features that both sides have. A program states its abilities when its instance starts.
  private func features(of session: Session, among words: [String]) -> [String] {
    let instance = state.instance(session.instance)?.features ?? []
    return words.filter { word in
      if let feature = ClientFeatures.names.first(where: { $0.name == word })?.feature {
        return instance.contains(feature)
      }
      return Self.features.contains(word)
    }
  }

  /// Features that need nothing of the instance: `actions` groups the questions of one click, `clips` gives copies a
  /// number.
  private static let features: Set<String> = ["actions", "clips"]

  private func app(_ wanted: String?, for peer: Peer) throws(Refusal) -> String {
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
  ) throws(Refusal) -> Session {
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
  ) throws(Refusal) -> Session {
    guard snapshot.app(named: app) != nil else { throw .noApp }
    let peer = connection.peer
    let features = ClientFeatures(words: call.features)
    try serving.checkMemory(GuardState.emptyBytes, of: connection.memory)
    let instance = try engine.attach(app: app, peer: peer, features: features, at: journal.now())
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
    journal.keep(session)
  }

  /// The identities whose data the caller's program shows.
  func identities(_ call: IdentitiesCall, _ connection: Connection) throws(Refusal) -> ShownIdentities {
    try engine.identities(call.account, for: try caller(connection))
  }

  // MARK: Parts

  /// The connection's program and scope, as the engine knows them.
  func caller(_ connection: Connection) throws(Refusal) -> Caller {
    Caller(try attached(connection).instance, connection: connection.number)
  }

  func attached(_ connection: Connection) throws(Refusal) -> Session {
    guard let session = connection.session else { throw .notAttached }
    return session
  }
}
