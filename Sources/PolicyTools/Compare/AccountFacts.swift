internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// What an entry of `accounts` says.
enum AccountFacts {
  /// The entries of a configuration. One that has a name in common with an entry of the other is the same account, whatever
  /// its first name is here.
  static func things(
    _ entries: [AccountEntry], _ protections: [Protection], _ places: PolicyPlaces, like others: [AccountEntry] = []
  ) -> [ComparedThing] {
    var keys: [String: String] = [:]
    for other in others { for name in other.foldedNames { keys[name] = other.foldedNames[0] } }
    return entries.enumerated().compactMap { number, entry in
      guard let first = entry.foldedNames.first else { return nil }
      let key = entry.foldedNames.lazy.compactMap { keys[$0] }.first ?? first
      return thing(entry, named: key, protections, FactWriter(places, ["accounts", String(number)]))
    }
  }

  private static func thing(
    _ entry: AccountEntry, named key: String, _ protections: [Protection], _ writer: FactWriter
  ) -> ComparedThing {
    var facts = writer
    facts.add("upn", entry.upn.map(AccountName.fold) ?? "none")
    facts.add("objectId", entry.objectID.map(AccountName.fold) ?? "none")
    let protection = entry.protection.map { protections[Int($0)].name }
    // Left to patterns, an account is bound by one of them or by none.
    facts.add("protection", protection ?? "left to patterns")
    facts.add("state", entry.state.rawValue, loosestFirst: ["active", "nonCompliant", "blocked", "wiped"])
    facts.addFields(of: entry, but: ComparedFields.account)
    let isBound = entry.protection != nil || entry.state != .active
    return ComparedThing(
      kind: "account", name: key, place: entry.location, ifNew: isBound ? .tighter : .sideways, facts: facts.facts)
  }
}
