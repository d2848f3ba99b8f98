internal import GuardModel
internal import PolicyFiles
internal import URLRules

/// An external rule that stands below the internal one it is an exception from, and is left with little: mostly `http:`.
///
///     internal: { domain: contoso.com, scheme: https }
///     external: { host: guests.contoso.com }           // https://guests.contoso.com/ is internal
///
/// An internal rule that takes less than the external one below it, or the same over `https:` only, is meant so: it is
/// the exception. Neighbours of the URL tell which one takes more.
struct LateException {
  private let witness: Witness
  private let by: Rule

  /// Nil when the rule, asked its own questions, answers one over `https:`; or when it is not narrower than the rule
  /// that answers in its place.
  init?(_ rule: Rule, _ questions: [RuleQuestion], before number: Int, _ rules: LintedRules) {
    let secure = questions.filter { $0.webParts?.scheme == "https" }
    let answers = secure.compactMap { rules.asker.verdict(of: $0) }
    guard rule.verdict == .external, answers.allSatisfy({ $0.verdict == .internal && $0.rule ?? .max < number }),
      let question = secure.first, let first = answers.first?.rule, let witness = rules.witness(question)
    else { return nil }
    by = rules.ruleSet.rules[Int(first)]
    self.witness = witness
    // A rule that ends is put above others for as long as it lasts.
    guard by.expires ?? .max >= rule.expires ?? .max else { return nil }
    guard Self.takesLess(rule, than: by, around: question, rules.asker) else { return nil }
  }

  /// Whether the one takes nothing there that the other does not, and the other something that the one does not.
  private static func takesLess(
    _ rule: Rule, than other: Rule, around question: RuleQuestion, _ asker: RuleAsker
  ) -> Bool {
    var takesLess = false
    for neighbour in question.neighbours {
      let isTaken = asker.answer(of: rule, to: neighbour) != .no
      let isTakenByOther = asker.answer(of: other, to: neighbour) == .yes
      if isTaken, !isTakenByOther { return false }
      if isTakenByOther, !isTaken { takesLess = true }
    }
    return takesLess
  }

  func finding(_ linted: LintedRule, _ rules: LintedRules) -> Diagnostic {
    rules.finding(
      .contradictedHost, linted,
      "comes too late for \(witness.question.url.quoted), which \(by.id.quoted) before it calls internal",
      hint: "an exception stands above what it is an exception from; add `scheme: http` if only that is meant", witness)
  }
}

extension RuleQuestion {
  /// The same page on hosts around this one, and other pages on it.
  fileprivate var neighbours: [RuleQuestion] {
    guard let parts = webParts else { return [] }
    let below = (parts.path.hasSuffix("/") ? parts.path : parts.path + "/") + "another"
    return Self.hosts(around: parts.host).compactMap { with(host: $0) }
      + ["/", "/another", below].compactMap { with(path: $0) }
  }

  /// Its parent, a sibling and a child; of an IPv4 address those with one number raised.
  private static func hosts(around host: String) -> [String] {
    if host.hasPrefix("[") { return [] }
    let labels = host.split(separator: ".").map(String.init)
    let numbers = labels.compactMap { Int($0) }
    if numbers.count == 4, labels.count == 4 {
      return labels.indices.map { index in
        var copy = numbers
        copy[index] = (copy[index] + 1) % 256
        return copy.map(String.init).joined(separator: ".")
      }
    }
    let parent = labels.dropFirst().joined(separator: ".")
    return (parent.isEmpty ? [] : [parent, "another." + parent]) + ["another." + host]
  }
}
