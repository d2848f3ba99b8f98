package import GuardModel
package import GuardProtocol
package import PolicyEngine

/// What the calls about identity do to a state: one piece of code for the daemon and for `decide`, which have to agree.
extension GuardState {
  /// Carries out `SetIdentity`.
  ///
  /// - Parameters:
  ///   - identity: what `account` of the call stands for.
  ///   - scope: the identity of the calling connection's scope.
  ///   - connection: the number of that connection.
  package mutating func set(
    _ identity: Identity, as call: SetIdentityCall, scope: inout Identity, ofConnection connection: UInt64,
    in id: InstanceID, _ snapshot: Snapshot
  ) throws(GuardError) -> SetIdentityReply {
    if let accounts = call.accounts {
      let previous = try showTogether(accounts, call, in: id, snapshot)
      return try describe(previous, call, scope, in: id)
    }
    if let gates = call.gates { return try switchIdentity(to: identity, gates, call, scope, in: id, snapshot) }
    let previous = try set(identity, call, &scope, connection, in: id, snapshot)
    return try describe(previous, call, scope, in: id)
  }

  /// Carries out `Answer`: ends a switch that was asked for.
  package mutating func end(
    _ call: AnswerCall, in id: InstanceID, at time: UInt64, _ snapshot: Snapshot
  ) throws(GuardError) {
    guard let request = SwitchRequestID(call.request) else { throw .unknownRequest(call.shortenedRequest) }
    do throws(SwitchError) { try answer(request, call.result, in: id, at: time, snapshot) } catch {
      throw GuardError(error, call.shortenedRequest)
    }
  }

  /// A window that shows several accounts together.
  private mutating func showTogether(
    _ accounts: [String], _ call: SetIdentityCall, in id: InstanceID, _ snapshot: Snapshot
  ) throws(GuardError) -> Identity {
    try translated { () throws(StateError) in
      var identities: [Identity] = []
      for account in accounts { identities.append(try identity(account, in: id, snapshot)) }
      return try setIdentities(identities, ofWindow: call.window ?? "", in: id, snapshot)
    }
  }

  private mutating func set(
    _ identity: Identity, _ call: SetIdentityCall, _ scope: inout Identity, _ connection: UInt64, in id: InstanceID,
    _ snapshot: Snapshot
  ) throws(GuardError) -> Identity {
    try translated { () throws(StateError) in
      switch call.level {
      case .process: return try setProcessIdentity(identity, in: id, snapshot)
      case .window: return try setIdentity(identity, ofWindow: call.window ?? "", in: id, snapshot)
      case .scope:
        try requireMultiMode(id, snapshot)
        try requireOneManaged(identity, in: id, snapshot)
        setScope(identity, ofConnection: connection, in: id)
        defer { scope = identity }
        return scope
      }
    }
  }

  /// A switch that may not come about (ledger E.5): until success the previous identity stays in force.
  private mutating func switchIdentity(
    to identity: Identity, _ gates: SwitchResult, _ call: SetIdentityCall, _ scope: Identity, in id: InstanceID,
    _ snapshot: Snapshot
  ) throws(GuardError) -> SetIdentityReply {
    let window = Array((call.window ?? "").utf8)
    let instance = instance(id)
    let previous = window.isEmpty ? instance?.process : instance?.identity(ofWindow: window.span)
    let result = try translated { () throws(StateError) in
      try switchIdentity(to: identity, ofWindow: call.window, scope: scope, gates: gates, in: id, snapshot)
    }
    var reply = try describe(previous ?? .absent, call, scope, in: id)
    reply.result = result
    return reply
  }

  private func describe(
    _ previous: Identity, _ call: SetIdentityCall, _ scope: Identity, in id: InstanceID
  ) throws(GuardError) -> SetIdentityReply {
    guard let instance = instance(id) else { throw .noApp }
    let window = Array((call.window ?? "").utf8)
    let interface = instance.effectiveUI(window: window.isEmpty ? nil : window.span, scope: scope)
    let files = instance.effectiveFile(scope: scope)
    return SetIdentityReply(
      previous: name(of: previous), effectiveUI: name(of: interface.identity), effectiveFile: name(of: files.identity),
      level: interface.level)
  }
}

extension AnswerCall {
  /// Without a limit a call of half a megabyte would be answered with one as long.
  fileprivate var shortenedRequest: String { String(request.prefix(64)) }
}
