internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// `SetIdentity`: whose data is shown, at one of three levels.
extension GuardCore {
  func setIdentity(_ call: SetIdentityCall, _ connection: Connection) throws(GuardError) -> SetIdentityReply {
    let session = try attached(connection)
    defer { noteRefusal(session) }
    do throws(GuardError) {
      try checkMemory(for: call, session)
      let (reply, identity) = try state.set(
        call, scope: &connection.scope, ofConnection: connection.number, in: session.instance, snapshot)
      if let result = reply.result, result != .success {
        recordRefusal(result, of: call, session, by: connection.peer)
      } else {
        record(identity, call, session, by: connection.peer)
      }
      return reply
    } catch {
      recordRefusal(error, of: call, session, by: connection.peer)
      throw error
    }
  }

  func identities(_ call: IdentitiesCall, _ connection: Connection) throws(GuardError) -> IdentitiesReply {
    let session = try attached(connection)
    return try state.identities(call, scope: connection.scope, in: session.instance, snapshot)
  }

  /// An account that could not be taken up is not shown; in single mode nobody knows then whose data is.
  private func checkMemory(for call: SetIdentityCall, _ session: Session) throws(GuardError) {
    let names = [call.account].compactMap(\.self) + (call.accounts ?? [])
    do throws(GuardError) {
      try checkMemory(state.growth(byNaming: names, in: session.instance, snapshot), of: session.memory)
    } catch {
      state.refuseIdentity(in: session.instance, snapshot)
      throw error
    }
  }

  /// What was refused leaves an app that has to say something else first: what was answered before says nothing of what
  /// comes, and a daemon after this one has to know.
  private func noteRefusal(_ session: Session) {
    if state.hasNewNames { settle(session) }
    guard let instance = state.instance(session.instance), instance.owesIdentity || instance.hasOwedWindows else {
      return
    }
    forgetActions(of: session)
    session.forms.clear()
    guard instance.owesIdentity, !session.hasIdentity else { return }
    session.hasIdentity = true
    keep(session)
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
  var identityLevel: IdentityLevel {
    switch self {
    case .process: .process
    case .window: .window
    case .scope: .scope
    }
  }
}
