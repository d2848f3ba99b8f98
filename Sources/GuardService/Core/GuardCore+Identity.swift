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
    let identity = try translated { () throws(StateError) in
      try state.identity(call.account, in: session.instance, snapshot)
    }
    let reply = try state.set(
      identity, as: call, scope: &connection.scope, ofConnection: connection.number, in: session.instance, snapshot)
    if reply.result ?? .success == .success { record(identity, call, session, by: connection.peer) }
    return reply
  }

  private func record(_ identity: Identity, _ call: SetIdentityCall, _ session: Session, by peer: PolicyEngine.Peer) {
    var change = StateChange(.setIdentity)
    change.identityLevel = call.level.identityLevel
    change.window = call.window
    change.account = state.name(of: identity)
    change.accounts = call.accounts ?? []
    record(change, of: session, by: peer)
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
