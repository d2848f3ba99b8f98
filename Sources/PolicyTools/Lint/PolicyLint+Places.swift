internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Rules that say which place their URLs are (SL-05, SL-09), and whose: what is wrong with that account.
extension PolicyLint {
  var places: [Diagnostic] {
    var told: Set<String> = []
    return policy.ruleSets.flatMap(\.rules).compactMap { rule in
      guard let place = rule.place, told.insert(rule.location).inserted else { return nil }
      return judge(place, of: rule)
    }
  }

  private func judge(_ place: NamedPlace, of rule: Rule) -> Diagnostic? {
    let at = SourceLocation(printed: rule.location) ?? SourceLocation(file: "")
    switch place.owner {
    case .own: return nil
    case .nobody:
      guard rule.verdict == .internal, place.location != .other else { return nil }
      return Diagnostic(
        .warning, .placeWithoutAccount, at: at,
        "rule \(rule.id.quoted) names \(place.location.name.quoted) without `account`: it counts as nobody's place",
        hint: "write `account: own` for the account that asks, or the account whose place it is")
    case .account(let name):
      guard !isKnown(AccountName.fold(name)) else { return nil }
      return Diagnostic(
        .warning, .unknownPlaceAccount, at: at,
        "rule \(rule.id.quoted) names a place of \(name.quoted), and the policy does not know that account: files there "
          + "are blocked",
        hint: "write `account: own` for the account that asks, or list it under `accounts`")
    }
  }

  private func isKnown(_ folded: String) -> Bool {
    policy.accounts.entry(named: folded) != nil
      || policy.protections.contains { protection in
        protection.accountPatterns.contains { AccountName.pattern($0, takes: folded) }
      }
  }
}
