internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// `SetIdentity`: whose data is shown, at one of three levels.
extension GuardCore {
  func setIdentity(_ call: SetIdentityCall, _ connection: Connection) throws(GuardError) -> SetIdentityReply {
    let session = try attached(connection)
    for name in [call.account, call.window] {
      guard let name, name.utf8.count > state.limits.nameBytes else { continue }
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    let identity = try translated { () throws(StateError) in
      try state.identity(call.account, in: session.instance, snapshot)
    }
    let previous = try set(identity, call, connection, session)
    noteIdentity(identity, session)
    var change = StateChange(.setIdentity)
    change.identityLevel = call.level.identityLevel
    change.window = call.window
    change.account = state.name(of: identity)
    record(change, of: session, by: connection.peer)
    return try describe(previous, call, connection, session)
  }

  private func set(
    _ identity: Identity, _ call: SetIdentityCall, _ connection: Connection, _ session: Session
  ) throws(GuardError) -> Identity {
    let instance = session.instance
    switch call.level {
    case .process:
      return try translated { () throws(StateError) in
        try state.setProcessIdentity(identity, in: instance, snapshot)
      }
    case .window:
      return try translated { () throws(StateError) in
        try state.setIdentity(identity, ofWindow: call.window ?? "", in: instance, snapshot)
      }
    case .scope:
      try translated { () throws(StateError) in try state.requireMultiMode(instance, snapshot) }
      let previous = connection.scope
      connection.scope = identity
      state.setScope(identity, ofConnection: connection.number, in: instance)
      return previous
    }
  }

  /// The next daemon must know that this program shows an account's data, until it has said so again.
  private func noteIdentity(_ identity: Identity, _ session: Session) {
    guard case .account = identity, !session.hasIdentity else { return }
    session.hasIdentity = true
    keep(session)
  }

  private func describe(
    _ previous: Identity, _ call: SetIdentityCall, _ connection: Connection, _ session: Session
  ) throws(GuardError) -> SetIdentityReply {
    guard let instance = state.instance(session.instance) else { throw .noApp }
    let window = call.window.map { Array($0.utf8) } ?? []
    let interface = instance.effectiveUI(window: window.isEmpty ? nil : window.span, scope: connection.scope)
    let files = instance.effectiveFile(scope: connection.scope)
    return SetIdentityReply(
      previous: state.name(of: previous), effectiveUI: state.name(of: interface.identity),
      effectiveFile: state.name(of: files.identity), level: interface.level)
  }
}

extension IdentityTarget {
  fileprivate var identityLevel: IdentityLevel {
    switch self {
    case .process: .process
    case .window: .window
    case .scope: .scope
    }
  }
}
