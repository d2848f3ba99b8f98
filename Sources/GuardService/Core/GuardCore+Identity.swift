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

  /// What was refused leaves an app that has to say something else first: what was answered before says nothing of what
  /// comes, and a daemon after this one has to know.
  private func noteRefusal(_ session: Session) {
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
