internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Instances begin, outlive their connections by a grace period, and may come back to the next daemon.
extension GuardCore {
  func attach(_ call: AttachCall, _ connection: Connection) throws(Refusal) -> AttachReply {
    guard connection.session == nil else { throw .alreadyAttached }
    guard snapshot.hasPolicy else { throw .noPolicy }
    let app = try app(call.app, for: connection.peer)
    takeUser(of: connection)
    let session = try session(call, of: app, connection)
    engine.setVersions(call.version, client: call.clientVersion, of: session.instance)
    engine.setRules(call.rules, of: session.instance, at: journal.now())
    settleAccounts([:], by: connection)
    if let languages = call.languages { state.setLanguages(languages, of: session.instance) }
    askToUnlockShown(session, connection)
    return AttachReply(
      instance: session.token, app: app, features: features(of: session, among: call.features),
      missing: features(of: session).subtracting(connection.lacking).missing,
      contract: policy.settings.contract, organization: organization(for: session), generation: snapshot.generation)
  }

  /// The organisation in the languages of a program's user.
  func organization(for session: Session) -> Organization? {
    snapshot.texts.organization(in: state.instance(session.instance)?.languages ?? [])
  }

  private func features(of session: Session) -> ClientFeatures { state.instance(session.instance)?.features ?? [] }

  /// The features that both sides have. A program states its abilities when its instance starts.
  private func features(of session: Session, among words: [String]) -> [String] {
    let instance = features(of: session)
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
    connection.lacking = features(of: session).subtracting(ClientFeatures(words: call.features))
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
    sessions.add(session)
    connection.session = session
    var change = StateChange(.attach)
    change.features = features.words
    record(change, of: session, by: session.peer)
    journal.keep(session)
    settleAccounts([:], by: connection)
  }

  /// Joins a connection to an instance, which may have been waiting for it.
  func join(_ session: Session, _ connection: Connection) {
    session.connections += 1
    session.ending?.cancel()
    session.ending = nil
    connection.session = session
    record(StateChange(.attach), of: session, by: connection.peer)
  }

  func leave(_ session: Session) {
    session.connections -= 1
    guard session.connections == 0 else { return }
    let token = session.token
    let core = NIOLoopBound(self, eventLoop: loop)
    session.ending = loop.scheduleTask(in: .seconds(Int64(policy.settings.graceSeconds))) { core.value.end(token) }
  }

  private func end(_ token: String) {
    guard let session = sessions.remove(token) else { return }
    forgetActions(of: session)
    journal.recordRefusals(of: session)
    serving.register(state.end(session.instance), of: session.memory)
    carryOutRestarts()
    settle(session)
    vitals.recentEvents.orphan(session.instance, uid: session.peer.person)
    journal.state.note(token, nil)
    var change = StateChange(.instanceEnd)
    change.app = session.app
    record(change, of: session, by: session.peer)
    submit()
  }

  // MARK: Changes

  /// Records a change of state, before the answer that tells of it.
  ///
  /// - Parameter isTold: the log says it already.
  func record(_ change: StateChange, of session: Session, by peer: Peer, isTold: Bool = false) {
    forgetActions(of: session)
    session.forms.clear()
    journal.noteIdentity(change, session)
    settle(session)
    if !isTold { journal.record(change, of: session, by: peer) }
  }

  /// A change of state ends every action: earlier answers say nothing of later ones.
  func forgetActions(of session: Session) { journal.recordRepeats(session.actions.clear()) }

  /// Counts the memory of an instance anew.
  func settle(_ session: Session) {
    state.hasNewNames = false
    let bytes = state.byteCount(of: session.instance)
    serving.register(bytes - session.registeredBytes, of: session.memory)
    session.registeredBytes = bytes
  }

  // MARK: The state of an earlier daemon

  /// Takes clips and instances up; after the policy loaded, since it says whose they are.
  func take(_ opened: OpenedState, at place: StatePlace, _ bound: NIOLoopBound<GuardCore>) {
    if opened.loss != nil {
      state.losePages()
      state.loseConditions()
    }
    state.keepsPages = journal.state.take(opened, at: place.file) { progress in
      bound.eventLoop.execute { bound.value.stateDidProgress(progress) }
    }
    tellOfExceptions(of: opened)
    if state.keepsPages { takeUp(opened.records, bound) }
    sweepOrders()
  }

  /// Takes up the clips, and the instances whose programs may come back.
  func takeUp(_ records: StateRecords, _ bound: NIOLoopBound<GuardCore>) {
    returning = records.instances.compactMapValues(\.self)
    for (token, instance) in returningInOrder { journal.recordRecovered(instance, token) }
    let living = Set(returning.values.map(\.serial))
    // Kept times are compared with the time of this start.
    engine.tick(at: journal.now())
    var clips = records.clips.judged(at: journal.now())
    clips.accounts.forgetFuture(at: journal.now())
    state.restore(clips, living: living, snapshot)
    take(restartsOf: records, living: living)
    engine.takeUpAccounts(at: journal.now())
    settleAccounts([:])
    loop.scheduleTask(in: .seconds(Int64(policy.settings.graceSeconds))) { bound.value.endMissing() }
  }

  /// In the order of their start.
  private var returningInOrder: [(token: String, instance: KeptInstance)] {
    returning.sorted { $0.value.serial < $1.value.serial }.map { ($0.key, $0.value) }
  }

  /// A session for a program that was attached to a daemon before this one; nil when no such is known.
  func resumedSession(
    _ token: String, _ call: AttachCall, of app: String, _ connection: Connection
  ) throws(Refusal) -> Session? {
    guard let kept = returning[token], kept.app == app, kept.uid == connection.peer.uid else { return nil }
    let peer = connection.peer
    let features = ClientFeatures(words: call.features)
    let instance = try engine.attach(
      app: app, peer: peer, features: features, serial: kept.serial, at: journal.now())
    returning[token] = nil
    state.resume(instance, owesIdentity: kept.hasIdentity, windows: kept.windows)
    state.recallWiped(of: instance, snapshot)
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(Int64(policy.settings.graceSeconds))) {
      bound.value.state.forgiveWindows(of: instance)
    }
    let session = Session(
      token: token, instance: instance, app: app, peer: peer, memory: connection.memory, isResumed: true)
    session.hasIdentity = kept.hasIdentity
    session.windows = kept.windows
    begin(session, features, on: connection)
    return session
  }

  /// Programs that did not come back in their grace time have ended.
  private func endMissing() {
    for (token, kept) in returningInOrder {
      state.endMissing(kept.serial)
      journal.recordMissing(kept, token)
    }
    returning = [:]
    state.endReturning()
    carryOutRestarts()
    submit()
  }

  private func stateDidProgress(_ progress: StateWriter.Progress) {
    vitals.supervision.stateReported()
    journal.state.update(progress)
    settleKeptCalls()
    destroyOwedKeys()
    release()
  }
}
