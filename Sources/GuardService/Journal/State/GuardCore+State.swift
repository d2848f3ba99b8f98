internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// The state that outlives the daemon: taken up at the start, written down as it changes.
extension GuardCore {
  /// Takes clips and instances up; after the policy loaded, since it says whose they are.
  func take(_ opened: OpenedState, at place: StatePlace, _ bound: NIOLoopBound<GuardCore>) {
    stateError = opened.loss
    if let loss = opened.loss {
      logger.critical(
        "the state is lost: until the next copy or change every clip has an unknown managed owner, and no exception holds",
        metadata: ["file": "\(place.file)", "cause": "\(loss)"])
    }
    if opened.loss != nil { state.losePages() }
    guard let writer = opened.writer else { return tellOfExceptions(of: opened) }
    state.keepsPages = true
    writer.tell { progress in bound.eventLoop.execute { bound.value.stateDidProgress(progress) } }
    stateFile = place.file
    let keeper = StateKeeper(writer: writer, latest: opened.records.latest ?? 0)
    stateError = opened.loss ?? keeper.progress.failure
    self.keeper = keeper
    if let failure = keeper.progress.failure { tellOfFailure(failure) }
    tellOfExceptions(of: opened)
    takeUp(opened.records, bound)
  }

  /// Takes up the clips, and the instances whose programs may come back.
  func takeUp(_ records: StateRecords, _ bound: NIOLoopBound<GuardCore>) {
    for (token, instance) in records.instances {
      guard let instance else { continue }
      returning[token] = instance
      recordRecovered(instance, token)
    }
    let living = Set(returning.values.map(\.serial))
    state.restore(records.clips, living: living, snapshot)
    loop.scheduleTask(in: .seconds(Int64(settings.graceSeconds))) { bound.value.endMissing() }
  }

  /// A crash between the state's commit and the log's write: the log says so, rather than nothing.
  private func recordRecovered(_ instance: KeptInstance, _ token: String) {
    guard let recorder, instance.record > recorder.progress.written else { return }
    var change = StateChange(.attach)
    change.app = instance.app
    change.instance = String(token.prefix(Session.logNameLength))
    self.recorder?.record { $0.encode(change, at: clock.now(), isRecovered: true, into: &$1) }
  }

  /// A session for a program that was attached to a daemon before this one; nil when no such is known.
  func resumedSession(
    _ token: String, _ call: AttachCall, of app: String, _ connection: Connection
  ) throws(Refusal) -> Session? {
    guard let kept = returning[token], kept.app == app, kept.uid == connection.peer.uid else { return nil }
    let peer = connection.peer
    let features = ClientFeatures(words: call.features)
    let instance = try engine.attach(
      app: app, peer: peer, features: features, serial: kept.serial, at: clock.now())
    returning[token] = nil
    state.resume(instance, owesIdentity: kept.hasIdentity, windows: kept.windows)
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(Int64(settings.graceSeconds))) { bound.value.state.forgiveWindows(of: instance) }
    let session = Session(
      token: token, instance: instance, app: app, peer: peer, memory: connection.memory, isResumed: true)
    session.hasIdentity = kept.hasIdentity
    session.windows = kept.windows
    begin(session, features, on: connection)
    return session
  }

  /// The next daemon must know that a program shows an account's data, until it has said so again.
  func noteIdentity(_ change: StateChange, _ session: Session) {
    // A switch that did not come about changed nothing.
    guard change.result ?? .success == .success else { return }
    let names = change.accounts + (change.account.map { [$0] } ?? [])
    let isShown = names.contains { !$0.isEmpty }
    let known = (session.hasIdentity, session.windows)
    if let window = change.window, change.identityLevel == .window {
      let key = WindowKey.key(of: Array(window.utf8).span)
      if isShown { session.windows.insert(key) } else { session.windows.remove(key) }
    } else if isShown {
      session.hasIdentity = true
    }
    if known != (session.hasIdentity, session.windows) { keep(session) }
  }

  /// Writes a session down, so that its program is recognised after a restart.
  func keep(_ session: Session) {
    keeper?.note(session.token, kept(session))
  }

  /// A session as the state file has it.
  func kept(_ session: Session) -> KeptInstance {
    KeptInstance(
      uid: session.peer.uid, app: session.app, serial: session.instance.serial, hasIdentity: session.hasIdentity,
      windows: session.windows, record: recorder?.newest ?? 0)
  }

  /// Programs that did not come back in their grace time have ended.
  private func endMissing() {
    for (token, kept) in returning {
      state.endMissing(kept.serial)
      keeper?.note(token, nil)
      guard recorder?.hasRoom() ?? false else { continue }
      var change = StateChange(.instanceEnd)
      change.app = kept.app
      change.instance = String(token.prefix(Session.logNameLength))
      recorder?.record { $0.encode(change, at: clock.now(), into: &$1) }
    }
    returning = [:]
    state.endReturning()
    submit()
  }

  private func stateDidProgress(_ progress: StateWriter.Progress) {
    supervision.stateReported()
    let before = keeper?.progress.failure
    if let failure = progress.failure, before == nil {
      tellOfFailure(failure)
    } else if progress.failure == nil, before != nil {
      logger.notice("the state can be written again", metadata: ["file": "\(stateFile ?? "")"])
    }
    stateError = progress.failure ?? (before == nil ? stateError : nil)
    keeper?.update(progress)
    settleExceptions()
    release()
  }

  private func tellOfFailure(_ failure: String) {
    metrics.stateFailures += 1
    logger.critical(
      "the state cannot be written; a restart would take every clip for an unknown managed owner's",
      metadata: ["file": "\(stateFile ?? "")", "cause": "\(failure)"])
  }
}
