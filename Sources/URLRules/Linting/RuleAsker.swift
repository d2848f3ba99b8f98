package import GuardModel

/// Asks one rule set many questions, with one runner for all of them.
///
///     let asker = RuleAsker(ruleSet)
///     asker.verdict(of: RuleQuestion(url: "https://mail.contoso.com/"))?.rule    // 0
package final class RuleAsker {
  package let ruleSet: RuleSet
  let runner = RegexRunner()

  package init(_ ruleSet: RuleSet) { self.ruleSet = ruleSet }

  /// What the rule set says; nil when the text is no URL.
  package func verdict(of question: RuleQuestion) -> RuleVerdict? {
    let input = input(question)
    return input.url.kind == .invalid ? nil : ruleSet.verdict(on: input, runner)
  }

  /// Whether a rule answers, were it alone; also one that expired.
  package func answer(of rule: Rule, to question: RuleQuestion) -> Ternary {
    let input = input(question)
    return input.url.kind == .url ? rule.answers(input, runner) : .no
  }

  /// Whether a condition holds of the question.
  func truth(of condition: Condition, _ question: RuleQuestion) -> Ternary {
    let input = input(question)
    return input.url.kind == .url ? input.truth(of: condition, runner) : .no
  }

  private func input(_ question: RuleQuestion) -> MatchInput {
    var input = question.input
    input.lists = ruleSet.lists
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return input
  }
}
