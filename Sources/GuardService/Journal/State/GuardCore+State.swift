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
    if opened.loss != nil { state.losePages() }
    state.keepsPages = journal.state.take(opened, at: place.file) { progress in
      bound.eventLoop.execute { bound.value.stateDidProgress(progress) }
    }
    tellOfExceptions(of: opened)
    if state.keepsPages { takeUp(opened.records, bound) }
  }

  /// Takes up the clips, and the instances whose programs may come back.
  func takeUp(_ records: StateRecords, _ bound: NIOLoopBound<GuardCore>) {
    for (token, instance) in records.instances {
      guard let instance else { continue }
      returning[token] = instance
      journal.recordRecovered(instance, token)
    }
    let living = Set(returning.values.map(\.serial))
    state.restore(records.clips, living: living, snapshot)
    loop.scheduleTask(in: .seconds(Int64(policy.settings.graceSeconds))) { bound.value.endMissing() }
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
    for (token, kept) in returning {
      state.endMissing(kept.serial)
      journal.recordMissing(kept, token)
    }
    returning = [:]
    state.endReturning()
    submit()
  }

  private func stateDidProgress(_ progress: StateWriter.Progress) {
    vitals.supervision.stateReported()
    journal.state.update(progress)
    settleExceptions()
    release()
  }
}
