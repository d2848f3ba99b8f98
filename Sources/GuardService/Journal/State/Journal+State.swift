internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform
internal import PolicyEngine

/// The state file: taken up at the start, written down as the state changes.
extension Journal {
  /// Takes the state file up, or notes why there is none; false when nothing can be kept.
  ///
  /// - Parameter tell: hears of the file's progress, on its thread.
  mutating func take(
    _ opened: OpenedState, at file: String, tell: @escaping @Sendable (StateWriter.Progress) -> Void
  ) -> Bool {
    stateError = opened.loss
    if let loss = opened.loss {
      logger.critical(
        "the state is lost: until the next copy or change every clip has an unknown managed owner, and no exception holds",
        metadata: ["file": "\(file)", "cause": "\(loss)"])
    }
    guard let writer = opened.writer else { return false }
    writer.tell(tell)
    stateFile = file
    let keeper = StateKeeper(writer: writer, latest: opened.records.latest ?? 0)
    stateError = opened.loss ?? keeper.progress.failure
    self.keeper = keeper
    if let failure = keeper.progress.failure { tellOfFailure(failure) }
    return true
  }

  /// Takes note of the state file's progress.
  mutating func update(_ progress: StateWriter.Progress) {
    let before = stateFailure
    if let failure = progress.failure, before == nil {
      tellOfFailure(failure)
    } else if progress.failure == nil, before != nil {
      logger.notice("the state can be written again", metadata: ["file": "\(stateFile ?? "")"])
    }
    stateError = progress.failure ?? (before == nil ? stateError : nil)
    keeper?.update(progress)
  }

  private mutating func tellOfFailure(_ failure: String) {
    stateFailures += 1
    logger.critical(
      "the state cannot be written; a restart would take every clip for an unknown managed owner's",
      metadata: ["file": "\(stateFile ?? "")", "cause": "\(failure)"])
  }

  // MARK: Asking

  /// Why the state file cannot be written; nil when it can, and when there is none.
  var stateFailure: String? { keeper?.progress.failure }

  /// There is a state file.
  var hasState: Bool { keeper != nil }

  /// Number of the newest set of changes that a killed daemon would not lose.
  var settledChange: UInt64 { keeper?.progress.settled ?? .max }

  /// Number of the set that will hold the changes up to now.
  mutating func newestChange(_ state: inout GuardState) -> UInt64 { keeper?.newest(&state) ?? 0 }

  /// Changes were handed over that the state file's thread has not told of.
  var hasUnwrittenChanges: Bool { keeper?.waits ?? false }

  // MARK: Notes

  /// An answer rests on this time, in milliseconds since 1970.
  mutating func note(time: UInt64) { keeper?.note(time: time) }

  /// Notes a timed exception; nil for one that is to be forgotten.
  mutating func note(exception: KeptException?, _ id: String) { keeper?.note(exception: exception, id) }

  /// Notes that an instance ended.
  mutating func forget(_ token: String) { keeper?.note(token, nil) }

  /// Notes a session, so that its program is recognised after a restart.
  mutating func keep(_ session: Session) {
    let instance = kept(session)
    keeper?.note(session.token, instance)
  }

  /// A session as the state file has it.
  func kept(_ session: Session) -> KeptInstance {
    KeptInstance(
      uid: session.peer.uid, app: session.app, serial: session.instance.serial, hasIdentity: session.hasIdentity,
      windows: session.windows, record: newest)
  }

  /// The next daemon must know that a program shows an account's data, until it has said so again.
  mutating func noteIdentity(_ change: StateChange, _ session: Session) {
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

  /// A crash between the state's commit and the log's write: the log says so, rather than nothing.
  mutating func recordRecovered(_ instance: KeptInstance, _ token: String) {
    guard let recorder, instance.record > recorder.progress.written else { return }
    var change = StateChange(.attach)
    change.app = instance.app
    change.instance = String(token.prefix(Session.logNameLength))
    record { $0.encode(change, at: $1, isRecovered: true, into: &$2) }
  }

  /// Records and notes that a program of an earlier daemon did not come back.
  mutating func recordMissing(_ instance: KeptInstance, _ token: String) {
    forget(token)
    var change = StateChange(.instanceEnd)
    change.app = instance.app
    change.instance = String(token.prefix(Session.logNameLength))
    record { $0.encode(change, at: $1, into: &$2) }
  }
}
