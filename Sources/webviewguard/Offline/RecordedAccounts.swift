internal import DecisionLog
internal import JSONText
internal import PolicyEngine

/// Finds the accounts behind the pseudonyms of a log, as far as the policy names them.
struct RecordedAccounts {
  private var names: [String: String] = [:]

  /// Without the key no pseudonym is known.
  init(_ directory: AccountDirectory, _ key: AccountPseudonyms?) {
    guard var key else { return }
    for entry in directory.entries {
      for name in [entry.upn, entry.objectID].compactMap(\.self) { names[key.name(of: name)] = entry.displayName }
    }
  }

  /// The parameters with the account's name in place of its pseudonym; others stay as they are.
  func resolve(_ parameters: JSONTree) throws(LineProblem) -> JSONTree {
    guard case .object(let members) = parameters, let account = parameters["account"]?.string,
      account.hasPrefix("acct:")
    else { return parameters }
    guard let name = names[account] else {
      throw LineProblem("the account is a pseudonym; --key gives the names of those that the policy lists")
    }
    return .object(members.map { $0.key == "account" ? .init("account", .string(name)) : $0 })
  }
}
