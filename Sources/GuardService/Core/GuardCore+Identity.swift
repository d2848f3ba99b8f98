internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// `SetIdentity`: whose data is shown, at one of three levels.
extension GuardCore {
  func setIdentity(_ call: SetIdentityCall, _ connection: Connection) throws(GuardError) -> SetIdentityReply {
    let session = try attached(connection)
    for name in [call.account, call.window] + (call.accounts ?? []) {
      guard let name, name.utf8.count > state.limits.nameBytes else { continue }
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    if let accounts = call.accounts { return try setIdentities(accounts, call, connection, session) }
    let identity = try translated { () throws(StateError) in
      try state.identity(call.account, in: session.instance, snapshot)
    }
    if let gates = call.gates { return try switchIdentity(to: identity, gates, call, connection, session) }
    let previous = try set(identity, call, connection, session)
    record(identity, call, connection, session)
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
      try translated { () throws(StateError) in
        try state.requireMultiMode(instance, snapshot)
        try state.requireOneManaged(identity, in: instance, snapshot)
      }
      let previous = connection.scope
      connection.scope = identity
      state.setScope(identity, ofConnection: connection.number, in: instance)
      return previous
    }
  }

  /// A window that shows several accounts together.
  private func setIdentities(
    _ accounts: [String], _ call: SetIdentityCall, _ connection: Connection, _ session: Session
  ) throws(GuardError) -> SetIdentityReply {
    let previous = try translated { () throws(StateError) in
      var identities: [Identity] = []
      for account in accounts { identities.append(try state.identity(account, in: session.instance, snapshot)) }
      return try state.setIdentities(identities, ofWindow: call.window ?? "", in: session.instance, snapshot)
    }
    var change = StateChange(.setIdentity)
    change.identityLevel = .window
    change.window = call.window
    change.accounts = accounts
    record(change, of: session, by: connection.peer)
    return try describe(previous, call, connection, session)
  }

  /// A switch that may not come about (ledger E.5): until success the previous identity stays in force.
  private func switchIdentity(
    to identity: Identity, _ gates: SwitchResult, _ call: SetIdentityCall, _ connection: Connection, _ session: Session
  ) throws(GuardError) -> SetIdentityReply {
    let window = Array((call.window ?? "").utf8)
    let instance = state.instance(session.instance)
    let previous = window.isEmpty ? instance?.process : instance?.identity(ofWindow: window.span)
    let result = try translated { () throws(StateError) in
      try state.switchIdentity(
        to: identity, ofWindow: call.window, scope: connection.scope, gates: gates, in: session.instance, snapshot)
    }
    if result == .success { record(identity, call, connection, session) }
    var reply = try describe(previous ?? .absent, call, connection, session)
    reply.result = result
    return reply
  }

  private func record(
    _ identity: Identity, _ call: SetIdentityCall, _ connection: Connection, _ session: Session
  ) {
    var change = StateChange(.setIdentity)
    change.identityLevel = call.level.identityLevel
    change.window = call.window
    change.account = state.name(of: identity)
    record(change, of: session, by: connection.peer)
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
