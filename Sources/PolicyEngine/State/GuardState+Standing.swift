package import GuardModel
internal import URLRules

/// The policy's view of an account, for callers that only want to know (ledger MI-23, EN-10).
package struct AccountStanding: Sendable, Hashable {
  /// As the policy spells it; as the caller did, if the policy does not know it.
  package var name: String
  /// The policy names it, or a pattern or a group takes it.
  package var isKnown: Bool
  package var isManaged: Bool
  package var state: AccountState
}

/// Questions about identities that change nothing: no account gets a number by being asked about.
extension GuardState {
  /// The policy's view of an account in an instance; an ended instance has no bound account.
  package func standing(of account: String, in id: InstanceID, _ snapshot: Snapshot) -> AccountStanding {
    let entry = accounts.described(account, snapshot)
    let group = instance(id)?.groupProtections ?? ProtectionSet()
    return AccountStanding(
      name: entry.displayName, isKnown: entry.isKnown || !group.isEmpty,
      isManaged: !entry.protections.union(group).isEmpty, state: entry.state)
  }

  /// The protections that bind an account in an instance, by name, in the policy's order.
  package func protections(binding account: String, in id: InstanceID, _ snapshot: Snapshot) -> [String] {
    let group = instance(id)?.groupProtections ?? ProtectionSet()
    let bound = accounts.described(account, snapshot).protections.union(group)
    return snapshot.protections.indices.filter { bound.contains(Int32($0)) }.map { snapshot.protections[$0].name }
  }

  /// The viewers of an instance, up to a maximum, each with its class and its current resolution.
  package func viewers(
    of id: InstanceID, atMost count: Int, _ snapshot: Snapshot
  ) -> [(name: String, className: String?, resolved: ResolvedViewer)] {
    guard let instance = instance(id) else { return [] }
    return instance.viewers.indices(atMost: count).map { index in
      let resolved = instance.app.map { instance.resolve(index, in: snapshot.apps[Int($0)]) } ?? ResolvedViewer()
      let viewer = instance.viewers[index]
      return (String(decoding: viewer.name, as: UTF8.self), viewer.className, resolved)
    }
  }

  /// Whether some account could be managed in the instance.
  package func mayManage(_ id: InstanceID, _ snapshot: Snapshot) -> Bool {
    guard let instance = instance(id), instance.app != nil else { return false }
    let starting = snapshot.startingAccounts
    return !instance.groupProtections.isEmpty || starting.hasPattern || !starting.bound.isEmpty
  }

  /// The windows of an instance that have identities of their own, by name, each with all its identities.
  package func windows(of id: InstanceID) -> [(name: String, identities: [Identity])] {
    guard let instance = instance(id) else { return [] }
    var found: [(name: String, identities: [Identity])] = []
    instance.windows.forEach { name, identity in
      let all = instance.mixedWindows.value(for: name.span) ?? [identity]
      found.append((String(decoding: name, as: UTF8.self), all))
    }
    return found.sorted { $0.name < $1.name }
  }
}
