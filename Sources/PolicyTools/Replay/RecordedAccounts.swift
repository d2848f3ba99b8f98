internal import GuardModel
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
  /// One of the policies has a pattern that the log's has not.
  private let hasFurtherPatterns: Bool
  /// The log's bindings of its pseudonyms; nil without an earlier look at it.
  private let bindings: RecordedBindings?
  /// All accounts that the log's policy takes are known by name, so that a pseudonym of none of them is one that it did
  /// not know.
  private let allAreNamed: Bool

  /// Stand-in for an account that only a pattern can take.
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
  ///   - bindings: the log's bindings of its pseudonyms.
  init(
    _ snapshot: Snapshot, recorded: Snapshot, compared: Snapshot, _ key: AccountPseudonyms?,
    _ bindings: RecordedBindings? = nil
  ) {
    self.bindings = bindings
    standIn = Self.standIn([recorded, snapshot, compared], recorded, hasKey: key != nil)
    let taken = Set(recorded.protections.flatMap(\.accountPatterns))
    hasFurtherPatterns = [snapshot, compared].contains { policy in
      !taken.isSuperset(of: policy.protections.flatMap(\.accountPatterns))
    }
    allAreNamed =
      key != nil && !taken.contains(where: Self.isPattern) && recorded.protections.allSatisfy(\.groups.isEmpty)
    guard var key else { return }
    for policy in [compared, recorded, snapshot] {
      for name in policy.protections.flatMap(\.accountPatterns) where !name.hasPrefix("*@") {
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
    guard let domain = domains.first, let bound = recorded.protections(taking: [name("x", domain)]).first else {
      return .none(
        "the account is a pseudonym that the policy does not list, and no pattern of it takes others; \(advice)")
    }
    for other in domains {
      let isSame = policies.allSatisfy { policy in
        policy.protections(taking: [name("x", other)]) == policy.protections(taking: [name("x", domain)])
      }
      guard isSame else {
        let pair = "\("*\(domain)".quoted) and \("*\(other)".quoted)"
        return .none("the account is a pseudonym that may be of \(pair), which are bound differently; \(advice)")
      }
    }
    return .domain(domain, protection: recorded.protections[Int(bound.place)].name)
  }

  private static let advice = RecordedBindings.advice

  private static func isPattern(_ name: String) -> Bool { name.hasPrefix("*@") && !RecordedBindings.isAdded(name) }

  private static func name(_ pseudonym: String, _ domain: Substring) -> String { pseudonym + domain }

  /// The parameters of a call with the names of accounts in place of their pseudonyms; other texts stay.
  ///
  /// - Parameter unknown: the members whose accounts the policy did not know when the record was written.
  func resolve(_ parameters: JSONTree, unknown: Set<String>) throws(LineProblem) -> JSONTree {
    guard case .object(let members) = parameters else { return parameters }
    var resolved: [JSONTree.Member] = []
    for member in members {
      let value =
        switch member.key {
        case "event": try resolve(member.value, unknown: unknown)
        case "account", "owner", "locationAccount", "peerAccount":
          try resolve(
            account: member.value, isUnknown: unknown.contains(member.key) || allAreNamed && member.key != "account")
        case "accounts": try resolve(accounts: member.value)
        default: member.value
        }
      resolved.append(.init(member.key, value))
    }
    return .object(resolved)
  }

  private func resolve(accounts: JSONTree) throws(LineProblem) -> JSONTree {
    guard case .array(let elements) = accounts else { return accounts }
    var resolved: [JSONTree] = []
    for element in elements { resolved.append(try resolve(account: element, isUnknown: false)) }
    return .array(resolved)
  }

  private func resolve(account: JSONTree, isUnknown: Bool) throws(LineProblem) -> JSONTree {
    guard let text = account.string, text.hasPrefix("acct:") else { return account }
    return .string(isUnknown ? try unknownName(of: text) : try name(of: text))
  }

  /// A name that the policy of the log takes as little as the one it stands for, unless the other policy lists that.
  private func unknownName(of pseudonym: String) throws(LineProblem) -> String {
    if let name = names[pseudonym] { return name }
    guard !hasFurtherPatterns else {
      throw LineProblem(
        "the account is a pseudonym that the old policy did not know, and a pattern of the new may take it")
    }
    return "pseudonym-" + pseudonym.dropFirst("acct:".utf8.count)
  }

  private func name(of pseudonym: String) throws(LineProblem) -> String {
    if let name = names[pseudonym] { return name }
    if let bindings { return try bindings.name(of: pseudonym) }
    switch standIn {
    case .domain(let domain, _): return Self.name("pseudonym-" + pseudonym.dropFirst("acct:".utf8.count), domain)
    case .none(let reason): throw LineProblem(reason)
    }
  }

  /// Throws when the record of a decision shows that an account differs from its stand-in.
  func check(_ record: JSONTree) throws(LineProblem) {
    guard bindings == nil, let account = record["account"]?.string, account.hasPrefix("acct:"), names[account] == nil,
      case .domain(let domain, let protection) = standIn, record["protection"]?.string != protection
    else { return }
    let bound = record["protection"]?.string.map { "bound by \($0.quoted)" } ?? "bound by no protection"
    throw LineProblem(
      "the account is a pseudonym that was \(bound), and accounts of \("*\(domain)".quoted) are bound by "
        + "\(protection.quoted); was the log written under this policy?")
  }
}
