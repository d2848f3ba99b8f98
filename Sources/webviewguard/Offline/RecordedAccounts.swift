internal import DecisionLog
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles

/// Finds the accounts behind the pseudonyms of a log, as far as the policy tells.
///
/// An account that the policy names is known by the log's key. The daemon takes no other but those of a pattern
/// (`*@contoso.com`), whose names are nowhere. When any account of any pattern decides the same, one that does not exist
/// stands in: the same pseudonym for the same account. A record that says another protection speaks against that.
struct RecordedAccounts {
  private var names: [String: String] = [:]
  private let standIn: StandIn

  /// What is put for an account that only a pattern can take.
  private enum StandIn {
    /// An account of this domain, `@contoso.com`, which this protection binds.
    case domain(Substring, protection: String)
    /// Why there is none.
    case none(String)
  }

  /// - Parameters:
  ///   - recorded: the policy that the log was written under.
  ///   - compared: another policy that judges the log: for both the same accounts are known.
  ///   - key: without it no pseudonym of a named account is known.
  init(_ snapshot: Snapshot, recorded: Snapshot, compared: Snapshot, _ key: AccountPseudonyms?) {
    standIn = Self.standIn([recorded, snapshot, compared], recorded, hasKey: key != nil)
    guard var key else { return }
    for policy in [compared, recorded, snapshot] {
      for name in policy.protections.flatMap(\.accountPatterns) where !Self.isPattern(name) {
        names[key.name(of: name)] = name
      }
      for entry in policy.accounts.entries {
        let own = snapshot.accounts.entries.contains(entry)
        for name in [entry.upn, entry.objectID].compactMap(\.self) {
          names[key.name(of: name)] = own ? entry.displayName : name
        }
      }
    }
  }

  private static func standIn(_ policies: [Snapshot], _ recorded: Snapshot, hasKey: Bool) -> StandIn {
    let patterns = recorded.protections.flatMap(\.accountPatterns)
    guard hasKey || recorded.accounts.entries.isEmpty && patterns.allSatisfy(isPattern) else {
      return .none("the account is a pseudonym; --key gives the names of those that the policy lists")
    }
    if let group = recorded.protections.first(where: { !$0.groups.isEmpty }) {
      return .none(
        "the account is a pseudonym that the policy does not list, and \(group.name.quoted) binds accounts by groups; \(advice)"
      )
    }
    let domains = patterns.filter(isPattern).map { $0.dropFirst() }
    guard let domain = domains.first, let bound = recorded.protection(takes: [name("x", domain)]) else {
      return .none(
        "the account is a pseudonym that the policy does not list, and no pattern of it takes others; \(advice)")
    }
    for other in domains {
      let isSame = policies.allSatisfy { policy in
        policy.protection(takes: [name("x", other)]) == policy.protection(takes: [name("x", domain)])
      }
      guard isSame else {
        let pair = "\("*\(domain)".quoted) and \("*\(other)".quoted)"
        return .none("the account is a pseudonym that may be of \(pair), which are bound differently; \(advice)")
      }
    }
    return .domain(domain, protection: recorded.protections[Int(bound)].name)
  }

  private static let advice =
    "list it under `accounts` and give --key, or let the log keep names with `log: { accounts: plain }`"

  private static func isPattern(_ name: String) -> Bool { name.hasPrefix("*@") }

  private static func name(_ pseudonym: String, _ domain: Substring) -> String { pseudonym + domain }

  /// The parameters with the account's name in place of its pseudonym; others stay as they are.
  func resolve(_ parameters: JSONTree) throws(LineProblem) -> JSONTree {
    guard case .object(let members) = parameters, let account = parameters["account"]?.string,
      account.hasPrefix("acct:")
    else { return parameters }
    let name = try name(of: account)
    return .object(members.map { $0.key == "account" ? .init("account", .string(name)) : $0 })
  }

  private func name(of pseudonym: String) throws(LineProblem) -> String {
    if let name = names[pseudonym] { return name }
    switch standIn {
    case .domain(let domain, _): return Self.name("pseudonym-" + pseudonym.dropFirst("acct:".utf8.count), domain)
    case .none(let reason): throw LineProblem(reason)
    }
  }

  /// Throws when the record of a decision shows that an account is not what stands in for it.
  func check(_ record: JSONTree) throws(LineProblem) {
    guard let account = record["account"]?.string, account.hasPrefix("acct:"), names[account] == nil,
      case .domain(let domain, let protection) = standIn, record["protection"]?.string != protection
    else { return }
    let bound = record["protection"]?.string.map { "bound by \($0.quoted)" } ?? "bound by no protection"
    throw LineProblem(
      "the account is a pseudonym that was \(bound), and accounts of \("*\(domain)".quoted) are bound by "
        + "\(protection.quoted); was the log written under this policy?")
  }
}
