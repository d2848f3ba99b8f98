internal import GuardModel
internal import PolicyFiles
internal import URLRules

extension Lint {
  /// A rule that demands two things of a URL that none has both.
  static let contradiction = Lint(.impossibleRule) { rules in
    var search = Contradiction(rules.asker)
    return rules.inForce.compactMap { linted in
      guard linted.questions.isEmpty, let words = search.words(of: linted.rule) else { return nil }
      return rules.finding(
        .impossibleRule, linted, "takes no URL: none has \(words)",
        hint: "matchers of one group must all hold; write two rules, or values in one list", nil)
    }
  }

  /// A rule with the verdict that holds without it.
  ///
  /// Only what stands behind the last rule that says anything else: a rule before that may be an exception from it. A
  /// rule that a test names is there for its name.
  static let changesNothing = Lint(.changesNothing) { rules in
    let last = rules.ruleSet.rules.lastIndex { rule in
      rule.verdict != rules.ruleSet.default || rule.then != .none || rule.message != nil || rule.takesCredentials
        || rule.place != nil
    }
    let named = Set(rules.tests.tests.flatMap(\.steps).compactMap(\.rule))
    return rules.inForce.filter { $0.number > last ?? -1 && !named.contains($0.rule.id) }.compactMap { linted in
      guard let question = linted.questions.first(where: { rules.decides(linted, $0) }) else { return nil }
      return rules.finding(
        .changesNothing, linted,
        "changes nothing: what it calls \(linted.rule.verdict.name) is so by `default`, and no other rule follows",
        hint: "remove it; or keep it for its name, and add a test that names it", rules.witness(question))
    }
  }
}

extension LintedRules {
  /// Whether this rule answers the question in its set.
  func decides(_ linted: LintedRule, _ question: RuleQuestion) -> Bool {
    asker.verdict(of: question)?.rule == Int32(linted.number)
  }
}
