package import GuardModel
internal import URLRules

/// The calls by which an app says whose data it shows.
extension GuardState {
  /// Reads an account's name as an identity of this instance: nil is `absent`, `""` is `nobody`, anything else must be
  /// an account that the policy knows.
  package mutating func identity(
    _ account: String?, in id: InstanceID, _ snapshot: Snapshot
  ) throws(StateError) -> Identity {
    guard let account else { return .absent }
    if account.isEmpty { return .nobody }
    guard let instance = instance(id) else { throw .unknownApp }
    if let number = accounts.number(ofKnown: account) { return .account(number) }
    guard accounts.isKnown(account, snapshot) || instance.groupProtection != nil else { throw .unknownAccount(account) }
    // The policy's own accounts always have room; of those that only a pattern takes, one user may name so many.
    if snapshot.accounts.entry(named: AccountName.fold(account)) == nil {
      guard users[instance.user].namedAccounts < limits.accountsPerUser else {
        throw .limitReached(.accounts, maximum: limits.accountsPerUser)
      }
      users[instance.user].namedAccounts += 1
    }
    return .account(accounts.number(of: account, snapshot))
  }

  /// Sets the identity of the process; returns the previous one. An account that the configuration states stays.
  package mutating func setProcessIdentity(
    _ identity: Identity, in id: InstanceID, _ snapshot: Snapshot
  ) throws(StateError) -> Identity {
    guard let instance = instance(id), let app = instance.app else { throw .unknownApp }
    let previous = instance.process
    if let fixed = snapshot.apps[Int(app)].account, identity != previous { throw .accountLocked(fixed) }
    instances[Int(id.index)]?.process = identity
    instances[Int(id.index)]?.processIsStated = false
    return previous
  }

  /// Notes the identity of a connection's scope: whatever cannot be told apart counts as the strictest of them.
  package mutating func setScope(_ identity: Identity, ofConnection connection: UInt64, in id: InstanceID) {
    guard instance(id) != nil else { return }
    instances[Int(id.index)]?.scopes[connection] = identity == .absent ? nil : identity
  }

  /// Sets the UI identity of a window; returns the previous one. `absent` inherits from the process again.
  package mutating func setIdentity(
    _ identity: Identity, ofWindow window: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(StateError) -> Identity {
    try requireMultiMode(id, snapshot)
    guard (1...limits.nameBytes).contains(window.utf8.count) else {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
    let name = Array(window.utf8)
    let previous = instance(id)?.identity(ofWindow: name.span) ?? .absent
    if identity == .absent {
      instances[Int(id.index)]?.windows.remove(name.span)
      return previous
    }
    let count = instance(id)?.windows.count ?? 0
    guard previous != .absent || count < limits.windowsPerInstance else {
      throw .limitReached(.windows, maximum: limits.windowsPerInstance)
    }
    instances[Int(id.index)]?.windows.set(identity, for: name.span)
    return previous
  }

  /// Throws for an app in single mode, which has one identity only.
  package func requireMultiMode(_ id: InstanceID, _ snapshot: Snapshot) throws(StateError) {
    guard let app = instance(id)?.app else { throw .unknownApp }
    guard snapshot.apps[Int(app)].identityMode == .multi else { throw .identityModeSingle }
  }

  /// The identity as text: nil for `absent`, `""` for `nobody`, else the account's name.
  package func name(of identity: Identity) -> String? {
    switch identity {
    case .absent: nil
    case .nobody: ""
    case .account(let id): accounts.displayName(id)
    }
  }
}
