package import GuardModel
internal import URLRules

/// The identities that an app shows: its statements, and the answers to its questions.
extension Guard {
  mutating func setIdentity(
    _ statement: IdentityStatement, _ caller: Caller
  ) throws(Refusal) -> IdentityReply {
    do throws(Refusal) {
      for name in [statement.window].compactMap(\.self) + statement.names where name.utf8.count > state.limits.nameBytes
      {
        throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
      }
      let identity = try state.identity(statement.account, in: caller.instance, snapshot)
      var identities = [identity]
      for account in statement.accounts ?? [] {
        identities.append(try state.identity(account, in: caller.instance, snapshot))
      }
      var reply = try set(identity, as: statement, caller)
      reply.stated = state.name(of: identity)
      // A scope is set, and blocked all the same.
      let isScope = statement.level == .scope && statement.accounts == nil && statement.gates == nil
      if reply.isRefused || isScope, let (account, reason) = state.blockReason(of: identities, in: caller.instance) {
        (reply.refused, reply.reason) = (account, reason)
      }
      return reply
    } catch {
      refuseIdentity(of: caller.instance)
      throw error
    }
  }

  /// A statement about identities was refused. In single mode the identity is then unknown: everything is blocked until
  /// a statement is accepted (amendments, defaults).
  package mutating func refuseIdentity(of id: InstanceID) { state.refuseIdentity(in: id, snapshot) }

  private mutating func set(
    _ identity: Identity, as statement: IdentityStatement, _ caller: Caller
  ) throws(Refusal) -> IdentityReply {
    let id = caller.instance
    if let accounts = statement.accounts {
      var identities: [Identity] = []
      for account in accounts { identities.append(try state.identity(account, in: id, snapshot)) }
      let answer = try state.state(identities, ofWindow: statement.window ?? "", in: id, snapshot)
      return try reply(answer.previous, answer.refusal, statement, caller)
    }
    if let gates = statement.gates { return try switchIdentity(to: identity, gates, statement, caller) }
    switch statement.level {
    case .process, .window:
      let window = statement.level == .process ? nil : statement.window ?? ""
      let answer = try state.state(identity, ofWindow: window, in: id, snapshot)
      return try reply(answer.previous, answer.refusal, statement, caller)
    case .scope:
      try state.requireMultiMode(id, snapshot)
      try state.requireOneManaged(identity, in: id, snapshot)
      let previous = state.scope(of: caller)
      state.setScope(identity, ofConnection: caller.connection, in: id)
      return try reply(previous, nil, statement, caller)
    }
  }

  /// A switch that may not come about (ledger E.5): until success the previous identity stays in force.
  private mutating func switchIdentity(
    to identity: Identity, _ gates: SwitchResult, _ statement: IdentityStatement, _ caller: Caller
  ) throws(Refusal) -> IdentityReply {
    let window = Array((statement.window ?? "").utf8)
    let instance = state.instance(caller.instance)
    let previous = window.isEmpty ? instance?.process : instance?.identity(ofWindow: window.span)
    let result = try state.switchIdentity(
      to: identity, ofWindow: statement.window, scope: state.scope(of: caller), gates: gates, in: caller.instance,
      snapshot)
    return try reply(previous ?? .absent, result, statement, caller)
  }

  private func reply(
    _ previous: Identity, _ result: SwitchResult?, _ statement: IdentityStatement, _ caller: Caller
  ) throws(Refusal) -> IdentityReply {
    guard let instance = state.instance(caller.instance) else { throw .noApp }
    let scope = state.scope(of: caller)
    let window = Array((statement.window ?? "").utf8)
    let interface = instance.effectiveUI(window: window.isEmpty ? nil : window.span, scope: scope)
    return IdentityReply(
      previous: state.name(of: previous), effectiveUI: state.name(of: interface.identity),
      effectiveFile: state.name(of: instance.effectiveFile(scope: scope).identity), level: interface.level,
      result: result)
  }

  /// The identities that the caller's instance shows. Changes nothing, and stores no name from the question.
  ///
  /// - Parameter account: an additional account to describe.
  package func identities(_ account: String?, for caller: Caller) throws(Refusal) -> ShownIdentities {
    let id = caller.instance
    guard let instance = state.instance(id) else { throw .noApp }
    if let account, account.utf8.count > state.limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    let scope = state.scope(of: caller)
    var shown = ShownIdentities()
    shown.process = state.name(of: instance.process)
    shown.scope = state.name(of: scope)
    shown.effectiveFile = state.name(of: instance.effectiveFile(scope: scope).identity)
    shown.windows = state.windows(of: id).map { window in
      ShownIdentities.Window(name: window.name, accounts: window.identities.compactMap { state.name(of: $0) })
    }
    shown.mustState = instance.mustState || instance.owesIdentity
    var names = state.shownAccounts(of: id).keys.map { state.accounts.displayName($0) }.sorted()
    if case .account(let own) = scope, !names.contains(state.accounts.displayName(own)) {
      names.append(state.accounts.displayName(own))
    }
    shown.managedAccount = names.first { state.standing(of: $0, in: id, snapshot).isManaged }
    shown.managementEnabled = state.mayManage(id, snapshot)
    if let account, !account.isEmpty, !names.contains(account) { names.append(account) }
    shown.accounts = names.map { name in
      let standing = state.standing(of: name, in: id, snapshot)
      return ShownIdentities.Standing(
        account: standing.name, isKnown: standing.isKnown, isManaged: standing.isManaged, state: standing.state)
    }
    return shown
  }
}
