internal import GuardModel
internal import PolicyEngine

/// Views of several accounts. Source: ledger FC-06, CB-12, D-26; lead's resolution for viewers whose window nobody knows.
extension ModelWorld {
  /// Whether several accounts lie in the viewer, one of them managed.
  func isMixed(_ name: String?, _ resolved: Resolved, scope: ModelIdentity, in instance: ModelInstance) -> Bool {
    guard !resolved.isUnknown else {
      // It may be in any window; without a scope it counts as a view of all managed accounts that are shown.
      if instance.mixed.values.contains(where: { holdsManaged($0, in: instance) }) { return true }
      return scope == .absent && managed(in: instance).count > 1
    }
    guard resolved.policy != .unmanaged, let window = name.flatMap({ window(of: $0, in: instance) }) else {
      return false
    }
    return instance.mixed[window].map { holdsManaged($0, in: instance) } ?? false
  }

  /// The managed accounts that the instance shows anywhere.
  func managed(in instance: ModelInstance) -> Set<String> {
    let shown =
      [instance.process] + Array(instance.scopes.values) + Array(instance.windows.values)
      + instance.mixed.values.flatMap(\.self)
    return Set(shown.compactMap { managedName($0, in: instance) })
  }

  private func holdsManaged(_ identities: [ModelIdentity], in instance: ModelInstance) -> Bool {
    identities.contains { managedName($0, in: instance) != nil }
  }

  private func managedName(_ identity: ModelIdentity, in instance: ModelInstance) -> String? {
    guard case .account(let name) = identity, !protections(of: name, in: instance).isEmpty else { return nil }
    return name
  }
}
