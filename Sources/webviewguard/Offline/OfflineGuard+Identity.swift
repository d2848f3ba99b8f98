internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import PolicyEngine

/// Whose data a seat shows, as the daemon takes it.
extension OfflineGuard {
  mutating func setIdentity(_ call: SetIdentityCall, _ seat: InstanceID) throws(GuardError) -> SetIdentityReply {
    guard let accounts = call.accounts else {
      let identity = try translated { () throws(StateError) in
        try state.identity(call.account, in: seat, snapshot)
      }
      if let gates = call.gates { return try switchIdentity(to: identity, gates, call, seat) }
      return try describe(try set(identity, call, seat), call, seat)
    }
    let previous = try translated { () throws(StateError) in
      var identities: [Identity] = []
      for account in accounts { identities.append(try state.identity(account, in: seat, snapshot)) }
      return try state.setIdentities(identities, ofWindow: call.window ?? "", in: seat, snapshot)
    }
    return try describe(previous, call, seat)
  }

  private mutating func set(
    _ identity: Identity, _ call: SetIdentityCall, _ seat: InstanceID
  ) throws(GuardError) -> Identity {
    try translated { () throws(StateError) in
      switch call.level {
      case .process: return try state.setProcessIdentity(identity, in: seat, snapshot)
      case .window: return try state.setIdentity(identity, ofWindow: call.window ?? "", in: seat, snapshot)
      case .scope:
        try state.requireMultiMode(seat, snapshot)
        try state.requireOneManaged(identity, in: seat, snapshot)
        let previous = scopes[seat] ?? .absent
        scopes[seat] = identity
        state.setScope(identity, ofConnection: Self.connection, in: seat)
        return previous
      }
    }
  }

  /// A seat has one connection.
  private static var connection: UInt64 { 1 }

  private mutating func switchIdentity(
    to identity: Identity, _ gates: SwitchResult, _ call: SetIdentityCall, _ seat: InstanceID
  ) throws(GuardError) -> SetIdentityReply {
    let window = Array((call.window ?? "").utf8)
    let instance = state.instance(seat)
    let previous = window.isEmpty ? instance?.process : instance?.identity(ofWindow: window.span)
    let result = try translated { () throws(StateError) in
      try state.switchIdentity(
        to: identity, ofWindow: call.window, scope: scopes[seat] ?? .absent, gates: gates, in: seat, snapshot)
    }
    var reply = try describe(previous ?? .absent, call, seat)
    reply.result = result
    return reply
  }

  private func describe(
    _ previous: Identity, _ call: SetIdentityCall, _ seat: InstanceID
  ) throws(GuardError) -> SetIdentityReply {
    guard let instance = state.instance(seat) else { throw .noApp }
    let window = Array((call.window ?? "").utf8)
    let shown = instance.effectiveUI(window: window.isEmpty ? nil : window.span, scope: scopes[seat] ?? .absent)
    let files = instance.effectiveFile(scope: scopes[seat] ?? .absent)
    return SetIdentityReply(
      previous: state.name(of: previous), effectiveUI: state.name(of: shown.identity),
      effectiveFile: state.name(of: files.identity), level: shown.level)
  }

  mutating func answerSwitch(_ call: AnswerCall, _ seat: InstanceID, at time: UInt64) throws(GuardError) {
    let name = String(call.request.prefix(64))
    guard let request = SwitchRequestID(call.request) else { throw .unknownRequest(name) }
    do throws(SwitchError) { try state.answer(request, call.result, in: seat, at: time, snapshot) } catch {
      throw GuardError(error, name)
    }
  }
}
