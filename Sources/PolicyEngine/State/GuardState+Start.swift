internal import GuardModel
internal import URLRules

/// The identity of a process before its program has named one, and after a policy changed (amendments, defaults).
extension GuardState {
  /// The policy's own word about a process.
  private enum Start {
    /// It is this account's, or no account's.
    case known(Identity)
    /// No account, pattern or group of the policy could bind its user.
    case free
    /// It may be some managed account's, and only its program knows which.
    case unstated
    /// The app itself handles several identities: nothing is set at the start (ledger MI-02).
    case multi
  }

  /// A new process.
  mutating func start(_ instance: inout Instance, as app: App, _ snapshot: Snapshot) {
    instance.processIsFixed = app.account != nil
    switch start(of: app, instance, snapshot) {
    case .known(let identity): (instance.process, instance.processIsStated) = (identity, true)
    case .free: (instance.process, instance.processIsStated) = (.nobody, true)
    case .unstated: instance.mustState = true
    case .multi: break
    }
  }

  /// A process that runs on under a new policy: its program's statement stays, and a managed process never becomes one
  /// without an identity (review H8).
  mutating func restart(_ instance: inout Instance, as app: App, _ snapshot: Snapshot) {
    let isSaid = !instance.processIsStated && instance.process != .absent
    instance.mustState = false
    instance.processIsFixed = app.account != nil
    guard app.account != nil || !isSaid else { return }
    switch start(of: app, instance, snapshot) {
    case .known(let identity):
      // The program owes its own statement, unless the policy states the account.
      guard app.account != nil || !instance.owesIdentity else { return }
      (instance.process, instance.processIsStated) = (identity, true)
    case .free:
      if case .account = instance.process { return }
      if !instance.owesIdentity { (instance.process, instance.processIsStated) = (.nobody, true) }
    case .unstated:
      guard !instance.isManaged(instance.process, accounts) else { return }
      (instance.process, instance.processIsStated, instance.mustState) = (.absent, false, true)
    case .multi:
      if case .account = instance.process { return }
      (instance.process, instance.processIsStated) = (.absent, false)
    }
  }

  /// A program that takes back its statement is where it began.
  mutating func startAgain(_ id: InstanceID, as app: App, _ snapshot: Snapshot) {
    guard var instance = instances[id.place].take() else { return }
    (instance.process, instance.processIsStated, instance.mustState) = (.absent, false, false)
    if !instance.owesIdentity { start(&instance, as: app, snapshot) }
    instances[id.place] = instance
    if case .account(let account) = instance.process { noteStanding(of: account, in: id, snapshot) }
  }

  /// A program's statement about its process was refused: its identity is unknown until the next accepted one. Only in
  /// single mode, and not if the policy states the account.
  package mutating func refuseIdentity(in id: InstanceID, _ snapshot: Snapshot) {
    guard let app = instance(id)?.app.map({ snapshot[$0] }) else { return }
    guard app.identityMode == .single, app.account == nil else { return }
    oweProcess(of: id)
  }

  /// The identity of the process is unknown until its program names it.
  private mutating func oweProcess(of id: InstanceID) {
    instances[id.place]?.process = .absent
    instances[id.place]?.processIsStated = false
    instances[id.place]?.owesIdentity = true
  }

  /// An app that does not ask whether it may show an account named one that it may not show: until it names another,
  /// nothing passes where that account would be.
  ///
  /// - Parameter window: nil for the process.
  mutating func refuse(_ identity: Identity, ofWindow window: String?, in id: InstanceID) {
    if case .account(let account) = identity { instances[id.place]?.refused = account }
    if let window {
      let name = Array(window.utf8)
      instances[id.place]?.owedWindows.insert(WindowKey.key(of: name.span))
    } else {
      oweProcess(of: id)
    }
  }

  private mutating func start(of app: App, _ instance: Instance, _ snapshot: Snapshot) -> Start {
    if app.account != nil {
      let identity = fixedIdentity(of: app, snapshot)
      return known(identity, instance, snapshot)
    }
    guard app.identityMode == .single else { return .multi }
    let starting = snapshot.startingAccounts
    let named = instance.groupProtections.isEmpty ? starting.bound : starting.named
    if named.count == 1 {
      let identity = account(ofPolicy: named[0], snapshot)
      return known(identity, instance, snapshot)
    }
    let isFree = named.isEmpty && !starting.hasPattern && instance.groupProtections.isEmpty
    return isFree ? .free : .unstated
  }

  /// An account that has to be unlocked is not shown before its program reports the unlocking.
  private func known(_ identity: Identity, _ instance: Instance, _ snapshot: Snapshot) -> Start {
    instance.mustUnlock(identity, accounts, snapshot) ? .unstated : .known(identity)
  }

  /// The app's `account`: `""` is no account.
  mutating func fixedIdentity(of app: App, _ snapshot: Snapshot) -> Identity {
    guard let fixed = app.account, !fixed.isEmpty else { return .nobody }
    return account(ofPolicy: fixed, snapshot)
  }

  /// No cap applies: without room its app would run without an account.
  private mutating func account(ofPolicy name: String, _ snapshot: Snapshot) -> Identity {
    let id = accounts.number(of: name, snapshot)
    accounts.pin(id)
    return .account(id)
  }
}

/// The possible accounts of a process in single mode, as far as they matter: one is known, two are not.
package struct StartingAccounts: Sendable {
  /// Accounts that a protection binds by entry or name, for any user: at most two.
  package private(set) var bound: [String] = []
  /// All named accounts: for users whose groups are bound, each of them is managed. At most two.
  package private(set) var named: [String] = []
  /// Some pattern takes accounts that the policy does not name.
  package private(set) var hasPattern = false

  package init(_ accounts: AccountDirectory, _ protections: [Protection]) {
    for entry in accounts.entries {
      let names = entry.foldedNames
      let isBound = protections.contains { protection in
        protection.accountPatterns.contains { pattern in names.contains { AccountName.pattern(pattern, takes: $0) } }
      }
      if entry.protection != nil || isBound { Self.add(entry.displayName, to: &bound) }
      Self.add(entry.displayName, to: &named)
    }
    for pattern in protections.flatMap(\.accountPatterns) {
      if pattern.hasPrefix("*@") {
        hasPattern = true
      } else if accounts.entry(named: pattern) == nil {
        Self.add(pattern, to: &bound)
        Self.add(pattern, to: &named)
      }
    }
  }

  private static func add(_ name: String, to names: inout [String]) {
    if names.count < 2, !names.contains(name) { names.append(name) }
  }
}

/// The accounts that instances name and that only a pattern or a group takes: programs can invent such names.
///
/// The attack: a program names one account after the other. Therefore an instance's names count like its registrations,
/// a person names at most `accountsPerUser` of them, and a name goes once the last instance that named it has ended.
///
/// INVARIANT: code that keeps the number of an account for longer than its instance lives has to have it pinned. Clips
/// do; so the names of an instance that copied stay, and count to its person for good.
extension GuardState {
  /// Throws when one more name is too many for the instance's user. The policy's own accounts always have room, and so
  /// do accounts that the instance named before.
  func checkRoom(forName name: String, in instance: Instance, _ snapshot: Snapshot) throws(Refusal) {
    if let known = accounts.number(ofKnown: name) {
      guard !accounts[known].isPinned, !instance.names.contains(known) else { return }
    } else if snapshot.accounts.entry(named: AccountName.fold(name)) != nil {
      return
    }
    guard users[instance.user].namedAccounts < limits.accountsPerUser else {
      throw .limitReached(.accounts, maximum: limits.accountsPerUser)
    }
  }

  /// Notes that the instance names an account, for as long as it lives.
  mutating func note(_ account: AccountID, in id: InstanceID) {
    guard !accounts[account].isPinned, isLive(id), let user = instances[id.place]?.user else { return }
    guard instances[id.place]?.names.insert(account).inserted ?? false else { return }
    instances[id.place]?.nameBytes += Self.byteCount(ofName: accounts.displayName(account))
    accounts.use(account)
    users[user].namedAccounts += 1
    hasNewNames = true
  }

  /// As `identity(_:in:_:)` for an account that has a number: nil when its user named too many.
  mutating func noted(_ account: AccountID, in id: InstanceID) -> AccountID? {
    guard !accounts[account].isPinned, isLive(id), let instance = instances[id.place] else { return account }
    guard !instance.names.contains(account) else { return account }
    guard users[instance.user].namedAccounts < limits.accountsPerUser else { return nil }
    note(account, in: id)
    return account
  }

  /// The instance copies something, or reports a selection: a clip may name any of its accounts.
  mutating func noteClip(in id: InstanceID) {
    if isLive(id) { instances[id.place]?.mayOwnClips = true }
  }

  /// Releases the names of an ending instance; returns how many bytes of them stay, since a clip may name them.
  mutating func releaseNames(of instance: Instance) -> Int {
    var kept = 0
    for account in instance.names {
      if instance.mayOwnClips, !accounts[account].isPinned {
        accounts.pin(account)
        kept += Self.byteCount(ofName: accounts.displayName(account))
      } else {
        users[instance.user].namedAccounts -= 1
        accounts.release(account)
      }
    }
    return kept
  }

  /// Bytes that naming these accounts would add to an instance.
  package func growth(byNaming names: [String], in id: InstanceID, _ snapshot: Snapshot) -> Int {
    guard let instance = instance(id) else { return 0 }
    return names.reduce(0) { bytes, name in
      if let known = accounts.number(ofKnown: name) {
        if accounts[known].isPinned || instance.names.contains(known) { return bytes }
      } else if name.isEmpty || name.utf8.count > limits.nameBytes
        || snapshot.accounts.entry(named: AccountName.fold(name)) != nil
      {
        return bytes
      }
      return bytes + Self.byteCount(ofName: name)
    }
  }

  /// The memory of an account: its entry, two tables and three spellings.
  private static func byteCount(ofName name: String) -> Int { 384 + 4 * name.utf8.count }
}
