internal import GuardModel

/// One question, made ready to be put to single rules of a rule set, whatever stands before them.
package struct RuleProbe {
  private let ruleSet: RuleSet
  private let input: MatchInput
  private let runner = RegexRunner()

  package init(_ question: RuleQuestion, _ ruleSet: RuleSet) {
    self.ruleSet = ruleSet
    var input = question.input
    input.lists = ruleSet.lists
    self.input = input
  }

  /// Whether the rule certainly matches, and has not expired.
  package func matches(_ rule: Int32) -> Bool {
    guard input.url.kind == .url, ruleSet.rules.indices.contains(Int(rule)) else { return false }
    let rule = ruleSet.rules[Int(rule)]
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return ruleSet.holds(rule) && rule.answers(input, runner) == .yes
  }

  /// Whether one of the values of a list certainly holds.
  package func holds(_ value: RuleValue) -> Bool {
    guard input.url.kind == .url else { return false }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return input.truth(of: value.condition, runner) == .yes
  }
}
