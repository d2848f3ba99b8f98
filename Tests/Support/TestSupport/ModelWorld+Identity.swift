package import GuardModel
internal import PolicyEngine

/// Whose an action is. Source: amendments, navigation, step 3; ledger MI-15; owner's resolution for unknown viewers.
extension ModelWorld {
  package struct Whose: Hashable, Sendable {
    package var identity: ModelIdentity
    package var level: IdentityLevel
  }

  /// Nobody for `unmanaged`; the strictest for an unknown viewer; else scope, then window, then process.
  package func identity(
    _ name: String?, _ resolved: Resolved, scope: ModelIdentity, in instance: ModelInstance
  ) -> Whose {
    if let assumed {
      guard resolved.isUnknown else { return Whose(identity: assumed, level: .window) }
      return assumed == instance.process ? ofProcess(instance) : Whose(identity: assumed, level: .strictest)
    }
    if !resolved.isUnknown, resolved.policy == .unmanaged { return Whose(identity: .nobody, level: .viewer) }
    if scope != .absent { return Whose(identity: scope, level: .scope) }
    if resolved.isUnknown { return strictest(in: instance) }
    if let window = name.flatMap({ window(of: $0, in: instance) }), let several = instance.mixed[window] {
      return Whose(identity: strictest(of: several, in: instance), level: .window)
    }
    if let window = name.flatMap({ window(of: $0, in: instance) }), let set = instance.windows[window], set != .absent {
      return Whose(identity: set, level: .window)
    }
    return ofProcess(instance)
  }

  /// Of files: scope, then process (MI-15).
  func identityOfFiles(scope: ModelIdentity, in instance: ModelInstance) -> Whose {
    scope == .absent ? ofProcess(instance) : Whose(identity: scope, level: .scope)
  }

  /// What a process shows before anybody has said: the account that its app states; in single mode without one, the only
  /// managed account that may be its user's; nobody's, where the policy could bind none; else its app has to say
  /// (amendments, defaults).
  func begin(_ instance: inout ModelInstance, as app: App) {
    (instance.process, instance.isGiven, instance.mustSay) = (.absent, true, false)
    if let stated = app.account {
      give(stated.isEmpty ? .nobody : .account(canonical(stated)), &instance)
      return
    }
    guard app.identityMode == .single else { return instance.isGiven = false }
    let single = policy.protections.flatMap(\.accountPatterns).filter { !$0.hasPrefix("*") }
    let named = Set(policy.accounts.entries.map(\.displayName).map(canonical) + single.map(canonical))
    let managed = named.filter { !protections(of: $0, in: instance).isEmpty }
    let groups = policy.protections.contains { !Set($0.groups).isDisjoint(with: instance.groups) }
    let patterns = policy.protections.contains { !$0.accountPatterns.isEmpty }
    if managed.count == 1, let only = managed.first {
      give(.account(only), &instance)
    } else if managed.isEmpty, !groups, !patterns {
      instance.process = .nobody
    } else {
      (instance.isGiven, instance.mustSay) = (false, true)
    }
  }

  /// An account that has to be unlocked first is its app's to say.
  private func give(_ identity: ModelIdentity, _ instance: inout ModelInstance) {
    if case .account(let name) = identity, protections(of: name, in: instance).contains(where: { $0.unlock == .app }) {
      (instance.isGiven, instance.mustSay) = (false, true)
    } else {
      instance.process = identity
    }
  }

  private func ofProcess(_ instance: ModelInstance) -> Whose {
    Whose(identity: instance.process, level: instance.process == .absent ? .none : .process)
  }

  /// The strictest of the process, all windows and all scopes; equally strict ones by name.
  private func strictest(in instance: ModelInstance) -> Whose {
    var best = ofProcess(instance)
    let windows = Array(instance.windows.values) + instance.mixed.values.map { strictest(of: $0, in: instance) }
    for identity in windows + Array(instance.scopes.values)
    where isStricter(identity, than: best.identity, in: instance) {
      best = Whose(identity: identity, level: .strictest)
    }
    return best
  }

  private func strictest(of identities: [ModelIdentity], in instance: ModelInstance) -> ModelIdentity {
    identities.reduce(.absent) { isStricter($1, than: $0, in: instance) ? $1 : $0 }
  }

  /// What an action may count as, where that may be several, the one that stands for all first; empty where it is one.
  func possible(
    _ name: String?, _ resolved: Resolved, scope: ModelIdentity, in instance: ModelInstance
  ) -> [ModelIdentity] {
    guard scope == .absent else { return [] }
    var shown: [ModelIdentity] = []
    if resolved.isUnknown {
      let windows = instance.windows.values.filter { $0 != .absent }
      guard !(windows.isEmpty && instance.mixed.isEmpty && instance.scopes.isEmpty) else { return [] }
      shown = [instance.process] + windows + Array(instance.scopes.values)
      shown += instance.mixed.values.flatMap(\.self)
    } else if resolved.policy != .unmanaged, let window = name.flatMap({ window(of: $0, in: instance) }) {
      shown = instance.mixed[window] ?? []
    }
    guard !shown.isEmpty else { return [] }
    let first = identity(name, resolved, scope: scope, in: instance).identity
    let others = Set(shown).subtracting([first]).sorted { isStricter($0, than: $1, in: instance) }
    return [first] + others
  }

  private func isStricter(_ left: ModelIdentity, than right: ModelIdentity, in instance: ModelInstance) -> Bool {
    let (one, other) = (strictness(left, in: instance), strictness(right, in: instance))
    if one != other { return one > other }
    guard case .account(let name) = left, case .account(let otherName) = right else { return false }
    return name < otherName
  }

  private func strictness(_ identity: ModelIdentity, in instance: ModelInstance) -> Int {
    switch identity {
    case .absent: return 0
    case .nobody: return 1
    case .account(let name):
      if state(of: name) != .active { return 9 }
      return protections(of: name, in: instance).isEmpty ? 2 : 3
    }
  }

  package func state(of account: String) -> AccountState { entry(account)?.state ?? .active }

  /// The name that stands for all names of an account: as the policy's entry is called.
  package func canonical(_ name: String) -> String {
    entry(name.lowercased())?.displayName.lowercased() ?? name.lowercased()
  }

  func entry(_ folded: String) -> AccountEntry? {
    policy.accounts.entries.first { $0.upn?.lowercased() == folded || $0.objectID?.lowercased() == folded }
  }
}
