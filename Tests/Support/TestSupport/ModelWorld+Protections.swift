internal import GuardModel
package import PolicyEngine

/// What binds an account, and what several protections come to. Source: ledger PM-01; amendments, several protections.
extension ModelWorld {
  /// The protections that bind an account, in the order of the policy: the one that its entry states, each with a pattern
  /// that takes a name of it, each with a group of its user.
  package func protections(of account: String, in instance: ModelInstance?) -> [Protection] {
    let names = entry(account).map { [$0.upn, $0.objectID].compactMap { $0?.lowercased() } } ?? [account]
    let stated = entry(account)?.protection.map { policy.protections[Int($0.place)].name }
    return policy.protections.filter { protection in
      protection.name == stated || protection.accountPatterns.contains { takes($0, names) }
        || !Set(protection.groups).isDisjoint(with: instance?.groups ?? [])
    }
  }

  private func takes(_ pattern: String, _ names: [String]) -> Bool {
    names.contains { name in
      pattern.hasPrefix("*") ? name.hasSuffix(pattern.dropFirst()) && name.count >= pattern.count : name == pattern
    }
  }
}

extension [Protection] {
  /// The strictest value of a setting, and whose it is.
  ///
  /// - Parameter row: its values, the loosest first.
  func strictest<Value: Equatable>(
    _ row: [Value], _ value: (Protection) -> Value
  ) -> (value: Value, protection: Protection)? {
    for step in row.reversed() {
      if let found = first(where: { value($0) == step }) {
        return (step, first { value($0) == step && !$0.isMonitored } ?? found)
      }
    }
    return nil
  }

  /// The one of which something holds that is enforced, else the first.
  func one(where holds: (Protection) -> Bool) -> Protection? {
    first { holds($0) && !$0.isMonitored } ?? first(where: holds)
  }

  /// The one that stands for all where no setting decides.
  var speaker: Protection? { one { _ in true } }
}

extension Protection {
  static let transfers: [WebTransfer] = [.any, .unmanagedBrowser, .managedBrowser, .block]
  static let sends: [SendLevel] = [.any, .managedOsSharing, .managed, .managedFiltered, .none]
  static let receives: [ReceiveLevel] = [.any, .anyTagOrg, .managed, .none]
  static let levels: [ClipboardLevel] = [.any, .managedWithPasteIn, .managed, .blocked]
  static let notices: [NotificationLevel] = [.allow, .blockOrgData, .block]
  static let permits: [Permission] = [.allow, .block]
}
