package import GuardModel
package import PolicyEngine

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

  /// What a process shows before anybody has said: the account that its app states; in single mode without one, the only
  /// account that the policy manages (ledger WV-28).
  func startIdentity(of app: App) -> ModelIdentity {
    if let stated = app.account { return stated.isEmpty ? .nobody : .account(canonical(stated)) }
    let managed = policy.accounts.entries.map { $0.displayName.lowercased() }
      .filter { protection(of: $0, in: nil) != nil }
    return app.identityMode == .single && managed.count == 1 ? .account(managed[0]) : .absent
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
      guard let protection = protection(of: name, in: instance) else { return 2 }
      return [.any: 3, .unmanagedBrowser: 4, .managedBrowser: 5, .block: 6][protection.webTransfer] ?? 6
    }
  }

  /// The protection that the account's entry states; else the first whose pattern takes a name of it; else the groups'.
  package func protection(of account: String, in instance: ModelInstance?) -> Protection? {
    if let stated = entry(account)?.protection { return policy.protections[Int(stated)] }
    let names = entry(account).map { [$0.upn, $0.objectID].compactMap { $0?.lowercased() } } ?? [account]
    return policy.protections.first { $0.accountPatterns.contains { takes($0, names) } }
      ?? policy.protections.first { !Set($0.groups).isDisjoint(with: instance?.groups ?? []) }
  }

  private func takes(_ pattern: String, _ names: [String]) -> Bool {
    names.contains { name in
      pattern.hasPrefix("*") ? name.hasSuffix(pattern.dropFirst()) && name.count >= pattern.count : name == pattern
    }
  }

  package func state(of account: String) -> AccountState { entry(account)?.state ?? .active }

  /// The name that stands for all names of an account: as the policy's entry is called.
  package func canonical(_ name: String) -> String {
    entry(name.lowercased())?.displayName.lowercased() ?? name.lowercased()
  }

  private func entry(_ folded: String) -> AccountEntry? {
    policy.accounts.entries.first { $0.upn?.lowercased() == folded || $0.objectID?.lowercased() == folded }
  }
}
