internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// Instances, as the state file and the log have them.
extension Journal {
  /// Notes a session, so that its program is recognised after a restart.
  mutating func keep(_ session: Session) {
    let instance = kept(session)
    state.note(session.token, instance)
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
    state.note(token, nil)
    var change = StateChange(.instanceEnd)
    change.app = instance.app
    change.instance = String(token.prefix(Session.logNameLength))
    record { $0.encode(change, at: $1, into: &$2) }
  }
}
