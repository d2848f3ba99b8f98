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
  package func verdict(of question: RuleQuestion) -> RuleVerdict? { RuleProbe(question, self).verdict }

  /// Whether a rule answers, were it alone; also one that expired.
  package func answer(of rule: Rule, to question: RuleQuestion) -> Ternary {
    RuleProbe(question, self).answer(of: rule)
  }
}
