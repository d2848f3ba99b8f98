package import GuardModel
package import GuardProtocol
package import PolicyEngine

/// What the calls about identity do to a state: one piece of code for the daemon and for `decide`, which have to agree.
extension GuardState {
  /// Carries out `SetIdentity`.
  ///
  /// In single mode a call that is refused leaves nobody's knowledge of whose data is shown: everything is blocked until
  /// another one is not (amendments, defaults).
  ///
  /// - Parameters:
  ///   - scope: the identity of the calling connection's scope.
  ///   - connection: the number of that connection.
  /// - Returns: the reply, and what `account` of the call stands for.
  package mutating func set(
    _ call: SetIdentityCall, scope: inout Identity, ofConnection connection: UInt64, in id: InstanceID,
    _ snapshot: Snapshot
  ) throws(GuardError) -> (reply: SetIdentityReply, identity: Identity) {
    do throws(GuardError) {
      for name in [call.account, call.window] + (call.accounts ?? []) {
        guard let name, name.utf8.count > limits.nameBytes else { continue }
        throw .limitReached(.nameBytes, maximum: limits.nameBytes)
      }
      let identity = try translated { () throws(StateError) -> Identity in
        try self.identity(call.account, in: id, snapshot)
      }
      let reply = try set(identity, as: call, scope: &scope, ofConnection: connection, in: id, snapshot)
      return (reply, identity)
    } catch {
      refuseIdentity(in: id, snapshot)
      throw error
    }
  }

  private mutating func set(
    _ identity: Identity, as call: SetIdentityCall, scope: inout Identity, ofConnection connection: UInt64,
    in id: InstanceID, _ snapshot: Snapshot
  ) throws(GuardError) -> SetIdentityReply {
    if let accounts = call.accounts {
      let answer = try showTogether(accounts, call, in: id, snapshot)
      return try describe(answer, call, scope, in: id)
    }
    if let gates = call.gates { return try switchIdentity(to: identity, gates, call, scope, in: id, snapshot) }
    // In one expression `describe` would be asked of the state before.
    let answer = try set(identity, call, &scope, connection, in: id, snapshot)
    return try describe(answer, call, scope, in: id)
  }

  /// Carries out `Identities`: changes nothing, and keeps no name that it is asked about.
  package func identities(
    _ call: IdentitiesCall, scope: Identity, in id: InstanceID, _ snapshot: Snapshot
  ) throws(GuardError) -> IdentitiesReply {
    guard let instance = instance(id) else { throw .noApp }
    if let account = call.account, account.utf8.count > limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
    var reply = IdentitiesReply()
    reply.process = name(of: instance.process)
    reply.scope = name(of: scope)
    reply.effectiveFile = name(of: instance.effectiveFile(scope: scope).identity)
    reply.windows = windows(of: id).map { window in
      IdentitiesReply.Window(name: window.name, accounts: window.identities.compactMap { name(of: $0) })
    }
    reply.mustState = instance.mustState || instance.owesIdentity
    var names = shownAccounts(of: id).keys.map { accounts.displayName($0) }.sorted()
    if case .account(let own) = scope, !names.contains(accounts.displayName(own)) {
      names.append(accounts.displayName(own))
    }
    reply.managedAccount = names.first { standing(of: $0, in: id, snapshot).isManaged }
    reply.managementEnabled = mayManage(id, snapshot)
    if let asked = call.account, !asked.isEmpty, !names.contains(asked) { names.append(asked) }
    reply.accounts = names.map { name in
      let standing = standing(of: name, in: id, snapshot)
      return IdentitiesReply.Standing(
        account: standing.name, isKnown: standing.isKnown, isManaged: standing.isManaged, state: standing.state)
    }
    return reply
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
  ) throws(GuardError) -> (previous: Identity, refusal: SwitchResult?) {
    try translated { () throws(StateError) in
      var identities: [Identity] = []
      for account in accounts { identities.append(try identity(account, in: id, snapshot)) }
      return try state(identities, ofWindow: call.window ?? "", in: id, snapshot)
    }
  }

  private mutating func set(
    _ identity: Identity, _ call: SetIdentityCall, _ scope: inout Identity, _ connection: UInt64, in id: InstanceID,
    _ snapshot: Snapshot
  ) throws(GuardError) -> (previous: Identity, refusal: SwitchResult?) {
    try translated { () throws(StateError) in
      switch call.level {
      case .process: return try state(identity, ofWindow: nil, in: id, snapshot)
      case .window: return try state(identity, ofWindow: call.window ?? "", in: id, snapshot)
      case .scope:
        try requireMultiMode(id, snapshot)
        try requireOneManaged(identity, in: id, snapshot)
        setScope(identity, ofConnection: connection, in: id)
        defer { scope = identity }
        return (scope, nil)
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
    _ answer: (previous: Identity, refusal: SwitchResult?), _ call: SetIdentityCall, _ scope: Identity,
    in id: InstanceID
  ) throws(GuardError) -> SetIdentityReply {
    var reply = try describe(answer.previous, call, scope, in: id)
    reply.result = answer.refusal
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
