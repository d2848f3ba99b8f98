package import GuardModel
internal import PolicyEngine

/// Scopes of connections, and switches.
extension TwinWorld {
  /// The identity of a connection's scope, as the daemon sets it: only where the app may show it.
  package mutating func setScope(_ account: String?, connection: UInt64, in instance: Int) {
    guard let identity = try? state.identity(account, in: ids[instance], snapshot),
      (try? state.requireMultiMode(ids[instance], snapshot)) != nil,
      (try? state.requireOneManaged(identity, in: ids[instance], snapshot)) != nil
    else { return }
    state.setScope(identity, ofConnection: connection, in: ids[instance])
    model.instances[instance].scopes[connection] = account == nil ? nil : modelIdentity(account)
  }

  /// Asks for a switch; the result, and what ledger E.5 says it is: nil where the call is an error.
  package mutating func switchIdentity(
    to account: String?, window: String?, scope: ModelIdentity, gates: SwitchResult, in instance: Int
  ) -> (said: SwitchResult?, expected: SwitchResult?) {
    guard let identity = try? state.identity(account, in: ids[instance], snapshot) else { return (nil, nil) }
    let scopeIdentity = engineIdentity(scope, in: instance)
    let expected = model.switchResult(
      to: modelIdentity(account), window: window, scope: scope, gates: gates, in: model.instances[instance])
    let said = try? state.switchIdentity(
      to: identity, ofWindow: window, scope: scopeIdentity, gates: gates, in: ids[instance], snapshot)
    // Until success the previous identity stays; then it is as if it had been set.
    if expected == .success { setIdentity(account, window: window, in: instance) }
    return (said, expected)
  }
}

extension ModelWorld {
  /// Ledger E.5: a scope of another account, a second managed account where one is allowed, the account's standing, and
  /// then what the gates say. Only a managed account has to pass.
  func switchResult(
    to identity: ModelIdentity, window: String?, scope: ModelIdentity, gates: SwitchResult, in instance: ModelInstance
  ) -> SwitchResult? {
    guard !instance.hasEnded, let app = app(instance) else { return nil }
    if case .account(let name) = identity, state(of: name) != .active, protections(of: name, in: instance).isEmpty {
      return .failed
    }
    if case .account(let name) = identity, !protections(of: name, in: instance).isEmpty {
      if window != nil, scope != .absent, scope != identity { return .notAllowed }
      var others = instance
      if window == nil, instance.isGiven { others.process = .absent }
      if app.managedAccounts == .one, !managed(in: others).subtracting([name]).isEmpty { return .notAllowed }
      guard state(of: name) == .active else { return .failed }
      guard gates == .success else { return gates }
      let locked = protections(of: name, in: instance).contains { $0.unlock == .app }
      if locked, !app.unlocks { return .failed }
    }
    if window != nil { return app.identityMode == .single ? nil : .success }
    let fixed = app.account.map { $0.isEmpty ? ModelIdentity.nobody : .account(canonical($0)) }
    return fixed.map { $0 != identity } ?? false ? nil : .success
  }
}
