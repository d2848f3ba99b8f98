internal import GuardModel
internal import URLRules
internal import URLStandard

/// Where the rules said external, an exception may say otherwise.
extension GuardState {
  /// What the viewer's rules say, and the exception that lifts it. Nil as `verdict`.
  mutating func verdictOrException(_ question: Question) -> AskedRules? {
    verdict(question).map { excepted($0, question) }
  }

  /// The same answer of the rules, with the exception that takes the URL.
  ///
  /// None takes what no rule set called external: a file, a viewer that nobody registered, a URL with credentials. Where a
  /// window shows several accounts, what one of them may do says nothing of the others.
  func excepted(_ rules: AskedRules, _ question: Question) -> AskedRules {
    let exceptions = question.snapshot.exceptions
    guard !exceptions.isEmpty, rules.verdict.verdict == .external, rules.ruleSet != nil, !question.viewer.isUnknown,
      input.url.kind == .url, input.url.judged.isWeb, !input.url.hadCredentials
    else { return rules }
    var excepted = rules
    excepted.exception = exceptions.first(for: input.url.judged.hostBytes) { index in
      let exception = exceptions.list[Int(index)]
      return exception.subjects.isSuperset(of: input.purposes)
        && exception.app ?? question.app.name == question.app.name
        && (exception.account == nil || !question.isLockedDown)
        && exceptions.isFor(question.identity.identity, index, accounts)
    }
    return excepted
  }

  /// Whether the policy names the account, or a pattern of it takes it.
  package func knowsAccount(_ name: String, _ snapshot: Snapshot) -> Bool { accounts.isKnown(name, snapshot) }
}

extension AskedRules {
  /// What the URL counts as.
  var standing: Verdict { exception == nil ? verdict.verdict : .internal }

  /// Why it counts as internal.
  var internalReason: Reason { exception == nil ? .internal : .exception }
}
