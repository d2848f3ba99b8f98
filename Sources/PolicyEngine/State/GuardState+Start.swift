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
    guard var instance = instances[Int(id.index)].take() else { return }
    (instance.process, instance.processIsStated, instance.mustState) = (.absent, false, false)
    if !instance.owesIdentity { start(&instance, as: app, snapshot) }
    instances[Int(id.index)] = instance
  }

  /// A program's statement about its process was refused: its identity is unknown until the next accepted one. Only in
  /// single mode, and not if the policy states the account.
  package mutating func refuseIdentity(in id: InstanceID, _ snapshot: Snapshot) {
    guard let app = instance(id)?.app.map({ snapshot.apps[Int($0)] }) else { return }
    guard app.identityMode == .single, app.account == nil else { return }
    oweProcess(of: id)
  }

  /// The identity of the process is unknown until its program names it.
  private mutating func oweProcess(of id: InstanceID) {
    instances[Int(id.index)]?.process = .absent
    instances[Int(id.index)]?.processIsStated = false
    instances[Int(id.index)]?.owesIdentity = true
  }

  /// An app that does not ask whether it may show an account named one that it may not show: until it names another,
  /// nothing passes where that account would be.
  ///
  /// - Parameter window: nil for the process.
  mutating func refuse(_ identity: Identity, ofWindow window: String?, in id: InstanceID) {
    if case .account(let account) = identity { instances[Int(id.index)]?.refused = account }
    if let window {
      let name = Array(window.utf8)
      instances[Int(id.index)]?.owedWindows.insert(WindowKey.key(of: name.span))
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
