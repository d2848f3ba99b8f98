package import GuardModel
internal import URLRules

/// The calls by which an app names its identities.
extension GuardState {
  /// Reads an account's name as an identity of this instance: nil is `absent`, `""` is `nobody`, anything else must be
  /// an account that the policy knows.
  package mutating func identity(
    _ account: String?, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> Identity {
    guard let account else { return .absent }
    if account.isEmpty { return .nobody }
    guard let instance = instance(id) else { throw .noApp }
    guard
      accounts.number(ofKnown: account) != nil || accounts.isKnown(account, snapshot)
        || !instance.groupProtections.isEmpty
    else { throw .unknownAccount(account) }
    try checkRoom(forName: account, in: instance, snapshot)
    let number = accounts.number(of: account, snapshot)
    note(number, in: id)
    noteStanding(of: number, in: id, snapshot)
    return .account(number)
  }

  /// Sets the identity of the process; returns the previous one. An account that the configuration states stays.
  package mutating func setProcessIdentity(
    _ identity: Identity, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> Identity {
    guard let instance = instance(id), let app = instance.app.map({ snapshot[$0] }) else {
      throw .noApp
    }
    let previous = instance.process
    if let fixed = app.account, identity != fixedIdentity(of: app, snapshot) { throw .accountLocked(fixed) }
    try requireOneManagedProcess(identity, in: id, snapshot)
    leave(previous, in: id)
    instances[id.place]?.process = identity
    if identity == .absent, app.identityMode == .single {
      startAgain(id, as: app, snapshot)
    } else {
      instances[id.place]?.hasStated()
    }
    // Windows with an identity of their own show what they showed.
    instances[id.place]?.requests.removeAll { request in
      request.window.map { instance.identity(ofWindow: $0.span) == .absent } ?? true
    }
    if identity != .absent { instances[id.place]?.processIsStated = app.account != nil }
    return previous
  }

  /// Notes the identity of a connection's scope: scopes that cannot be distinguished count as the strictest of them.
  /// Ask `requireOneManaged` before.
  package mutating func setScope(_ identity: Identity, ofConnection connection: UInt64, in id: InstanceID) {
    guard let instance = instance(id) else { return }
    leave(instance.scopes[connection] ?? .absent, in: id)
    instances[id.place]?.scopes[connection] = identity == .absent ? nil : identity
    if identity != .absent { instances[id.place]?.owesIdentity = false }
  }

  /// Sets the UI identity of a window; returns the previous one. `absent` inherits from the process again.
  package mutating func setIdentity(
    _ identity: Identity, ofWindow window: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> Identity {
    try requireMultiMode(id, snapshot)
    try requireOneManaged(identity, in: id, snapshot)
    return try set(identity, ofWindow: window, in: id)
  }

  /// Sets all identities that a window shows together; returns the strictest of the previous ones. None means no
  /// account, as `""` does (ledger MI-24).
  package mutating func setIdentities(
    _ identities: [Identity], ofWindow window: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> Identity {
    var distinct: [Identity] = []
    for identity in identities where identity != .absent && !distinct.contains(identity) { distinct.append(identity) }
    guard distinct.count > 1 else {
      return try setIdentity(distinct.first ?? .nobody, ofWindow: window, in: id, snapshot)
    }
    guard distinct.count <= limits.accountsPerWindow else {
      throw .limitReached(.accounts, maximum: limits.accountsPerWindow)
    }
    try requireMultiMode(id, snapshot)
    for identity in distinct { try requireOneManaged(identity, among: distinct, in: id, snapshot) }
    guard let instance = instance(id) else { throw .noApp }
    let previous = try set(instance.strictest(distinct, accounts), ofWindow: window, in: id)
    let name = Array(window.utf8)
    instances[id.place]?.mixedWindows.set(distinct, for: name.span)
    return previous
  }

  private mutating func set(
    _ identity: Identity, ofWindow window: String, in id: InstanceID
  ) throws(Refusal) -> Identity {
    guard (1...limits.nameBytes).contains(window.utf8.count) else {
      throw .limitReached(.nameBytes, maximum: limits.nameBytes)
    }
    let name = Array(window.utf8)
    let previous = instance(id)?.identity(ofWindow: name.span) ?? .absent
    let count = instance(id)?.windows.count ?? 0
    guard identity == .absent || previous != .absent || count < limits.windowsPerInstance else {
      throw .limitReached(.windows, maximum: limits.windowsPerInstance)
    }
    leave(previous, in: id)
    for mixed in instance(id)?.mixedWindows.value(for: name.span) ?? [] { leave(mixed, in: id) }
    instances[id.place]?.requests.removeAll { $0.window == name }
    instances[id.place]?.mixedWindows.remove(name.span)
    instances[id.place]?.owedWindows.remove(WindowKey.key(of: name.span))
    if identity == .absent {
      instances[id.place]?.windows.remove(name.span)
    } else {
      instances[id.place]?.windows.set(identity, for: name.span)
    }
    return previous
  }

  /// Throws when the instance shows another managed account already, and its app may show one only (ledger MI-28).
  package func requireOneManaged(
    _ identity: Identity, among others: [Identity] = [], in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    guard let instance = instance(id), let app = instance.app else { throw .noApp }
    guard snapshot[app].managedAccounts == .one, instance.isManaged(identity, accounts) else { return }
    let beside = others.first { $0 != identity && instance.isManaged($0, accounts) }
    if case .account(let other)? = beside { throw .secondManagedAccount(accounts.displayName(other)) }
    guard let shown = instance.otherManaged(than: identity, accounts) else { return }
    throw .secondManagedAccount(accounts.displayName(shown))
  }

  /// The same for a replacement of the process's own identity: the policy's assumption before its program's statement
  /// does not count against it.
  private mutating func requireOneManagedProcess(
    _ identity: Identity, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    guard let instance = instance(id), instance.processIsStated else {
      return try requireOneManaged(identity, in: id, snapshot)
    }
    instances[id.place]?.process = .absent
    defer { instances[id.place]?.process = instance.process }
    try requireOneManaged(identity, in: id, snapshot)
  }

  /// Switches to an identity by ledger E.5. Until success the previous one stays in force.
  ///
  /// - Parameters:
  ///   - window: nil for the process.
  ///   - scope: the identity of the asking connection's scope (IS-06).
  ///   - gates: the results of gates that the daemon does not keep itself, such as unlocking the session.
  package mutating func switchIdentity(
    to identity: Identity, ofWindow window: String?, scope: Identity = .absent, gates: SwitchResult = .success,
    in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> SwitchResult {
    guard let instance = instance(id) else { throw .noApp }
    if case .account = identity, instance.isManaged(identity, accounts) {
      if window != nil, scope != .absent, scope != identity { return .notAllowed }
      do throws(Refusal) {
        if window == nil {
          try requireOneManagedProcess(identity, in: id, snapshot)
        } else {
          try requireOneManaged(identity, in: id, snapshot)
        }
      } catch { return .notAllowed }
    }
    if let refusal = refusal(of: identity, gates: gates, in: id, snapshot) { return refusal }
    if let window {
      _ = try setIdentity(identity, ofWindow: window, in: id, snapshot)
    } else {
      _ = try setProcessIdentity(identity, in: id, snapshot)
    }
    return .success
  }

  /// Throws for an app in single mode, which has one identity only.
  package func requireMultiMode(_ id: InstanceID, _ snapshot: Snapshot) throws(Refusal) {
    guard let app = instance(id)?.app else { throw .noApp }
    guard snapshot[app].identityMode == .multi else { throw .identityModeSingle }
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

/// Whether an account may be shown: the conditions that must hold first, whatever source reports them (ledger IS-02,
/// MI-22).
extension GuardState {
  /// Why the account may not be shown; nil when it may.
  ///
  /// An account in bad standing never may. If a protection wants the app's gates, `success` counts only from an app
  /// that the policy trusts for it; if none does, a gate that did not open counts all the same.
  ///
  /// - Parameter gates: the app's word about its gates; nil when it says nothing.
  package func refusal(
    of identity: Identity, gates: SwitchResult?, in id: InstanceID, _ snapshot: Snapshot
  ) -> SwitchResult? {
    guard case .account(let account) = identity, let instance = instance(id) else { return nil }
    guard instance.state(of: account, accounts) == .active else { return .failed }
    guard instance.isManaged(identity, accounts) else { return nil }
    let isTrusted = instance.app.map { snapshot[$0].unlocks } ?? false
    if instance.mustUnlock(identity, accounts, snapshot), gates ?? .failed == .success, !isTrusted { return .failed }
    let said = gates ?? (instance.mustUnlock(identity, accounts, snapshot) ? .failed : .success)
    return said == .success ? nil : said
  }

  /// Sets the identity of the process or of a window for an app that says nothing of its gates. An account that may not
  /// be shown is not set, and nothing passes there until the app names another: it may show that account all the same.
  ///
  /// - Returns: the previous identity, and the reason why it stays if the account was refused.
  package mutating func state(
    _ identity: Identity, ofWindow window: String?, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (previous: Identity, refusal: SwitchResult?) {
    if let refusal = refusal(of: identity, gates: nil, in: id, snapshot) {
      let name = Array((window ?? "").utf8)
      let previous = window == nil ? instance(id)?.process : instance(id)?.identity(ofWindow: name.span)
      if window != nil { try requireMultiMode(id, snapshot) }
      // Shown already: what is done there is blocked until it is unlocked, and passes then.
      if previous == identity, isLocked(identity, in: id) { return (identity, refusal) }
      refuse(identity, ofWindow: window, in: id)
      return (previous ?? .absent, refusal)
    }
    guard let window else { return (try setProcessIdentity(identity, in: id, snapshot), nil) }
    return (try setIdentity(identity, ofWindow: window, in: id, snapshot), nil)
  }

  /// The same for a window that shows several accounts together: each of them has to be one that may be shown.
  package mutating func state(
    _ identities: [Identity], ofWindow window: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (previous: Identity, refusal: SwitchResult?) {
    for identity in identities {
      guard refusal(of: identity, gates: nil, in: id, snapshot) != nil else { continue }
      return try state(identity, ofWindow: window, in: id, snapshot)
    }
    return (try setIdentities(identities, ofWindow: window, in: id, snapshot), nil)
  }
}

extension GuardState {
  func isLocked(_ identity: Identity, in id: InstanceID) -> Bool {
    guard case .account(let account) = identity else { return false }
    return instance(id)?.state(of: account, accounts) == .locked
  }

  /// Why an instance may not show one of these identities now, as decisions have it.
  func blockReason(of identities: [Identity], in id: InstanceID) -> (account: String, reason: Reason)? {
    for case .account(let account) in identities {
      guard let reason = instance(id)?.state(of: account, accounts).blockReason else { continue }
      return (accounts.displayName(account), reason)
    }
    return nil
  }
}

extension Instance {
  /// Whether a protection that binds the account wants it unlocked before it is shown.
  func mustUnlock(_ identity: Identity, _ accounts: AccountTable, _ snapshot: Snapshot) -> Bool {
    guard case .account(let account) = identity else { return false }
    return snapshot.first(of: protections(of: account, accounts)) { $0.unlock == .app } != nil
  }
}
