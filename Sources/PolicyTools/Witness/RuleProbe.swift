internal import GuardModel
package import URLRules

/// One question, read once, to be put to a rule set or to its rules one by one.
package struct RuleProbe {
  private let asker: RuleAsker
  private let input: MatchInput

  package init(_ question: RuleQuestion, _ asker: RuleAsker) {
    self.asker = asker
    var input = question.input
    input.lists = asker.ruleSet.lists
    self.input = input
  }

  var verdict: RuleVerdict? {
    input.url.kind == .invalid ? nil : asker.verdict(on: input)
  }

  func answer(of rule: Rule) -> Ternary {
    guard input.url.kind == .url else { return .no }
    asker.begin(input)
    return rule.answers(input, asker.runner)
  }

  /// Whether the rule certainly matches, despite any rule before it, and has not expired.
  package func matches(_ rule: Int32) -> Bool {
    guard asker.ruleSet.rules.indices.contains(Int(rule)) else { return false }
    let rule = asker.ruleSet.rules[Int(rule)]
    return asker.ruleSet.holds(rule) && answer(of: rule) == .yes
  }

  /// Whether a condition certainly holds.
  package func holds(_ condition: Condition) -> Bool {
    guard input.url.kind == .url else { return false }
    asker.begin(input)
    return input.truth(of: condition, asker.runner) == .yes
  }
}
