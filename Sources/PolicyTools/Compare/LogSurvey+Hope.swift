package import DecisionLog
internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

extension LogSurvey {
  /// Why none of the records can be judged, so that nobody waits for a million of them; nil when some may be.
  ///
  /// - Parameter app: the only app whose records are asked for.
  package func hopelessness(_ bindings: RecordedBindings, key: AccountPseudonyms?, app: String?) -> String? {
    guard decisions > 0, plainLines == 0, further == 0 else { return nil }
    let known = bindings.names(under: key)
    var reasons: [String: Int] = [:]
    if notReplayable > 0 { reasons["a record holds less than it takes to judge it again", default: 0] += notReplayable }
    for (owner, count) in replayable {
      guard let reason = problem(of: owner, bindings, known, app) else { return nil }
      reasons[reason, default: 0] += count
    }
    let shown = reasons.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.prefix(Self.maximumReasons)
    let words = shown.map { "\n  \($0.value)  \($0.key)" }.joined()
    return "of the \(decisions) decisions in the log none can be judged:\(words)"
  }

  private static let maximumReasons = 5

  private func problem(
    of owner: Owner, _ bindings: RecordedBindings, _ known: Set<String>, _ app: String?
  ) -> String? {
    if let app, app != owner.app { return "it belongs to the app \(owner.app.quoted)" }
    let isApp = [bindings.old, bindings.new].contains { $0.apps.contains { $0.name == owner.app } }
    guard isApp else { return "the policy has no app \(owner.app.quoted)" }
    guard let account = owner.account, !known.contains(account) else { return nil }
    return bindings.problem(of: account)
  }
}

extension RecordedBindings {
  /// The pseudonyms of the accounts that either policy names.
  fileprivate func names(under key: AccountPseudonyms?) -> Set<String> {
    guard var key else { return [] }
    return [old, new].reduce(into: []) { found, policy in
      let patterns = policy.protections.flatMap(\.accountPatterns).filter { !$0.hasPrefix("*@") }
      let entries = policy.accounts.entries.flatMap { [$0.upn, $0.objectID].compactMap(\.self) }
      for name in patterns + entries { found.insert(key.name(of: name)) }
    }
  }
}
