package import GuardModel
package import URLRules

/// Asks one rule set many questions, with one runner for all of them.
///
///     let asker = RuleAsker(ruleSet)
///     asker.verdict(of: RuleQuestion(url: "https://mail.contoso.com/"))?.rule    // 0
package final class RuleAsker {
  package let ruleSet: RuleSet
  let runner = RegexRunner()
  private var questions = 0
  private var search = SearchWork()

  /// The cost of all questions so far, in about 10 ns each.
  package var work: Int {
    200 * questions + search.probes + 2 * search.candidates + 10 * runner.work.matches + runner.work.steps * 3 / 2
  }

  package init(_ ruleSet: RuleSet) { self.ruleSet = ruleSet }

  /// The rule set's verdict; nil when the text is no URL.
  package func verdict(of question: RuleQuestion) -> RuleVerdict? { RuleProbe(question, self).verdict }

  /// Whether a rule answers, were it alone; also one that expired.
  package func answer(of rule: Rule, to question: RuleQuestion) -> Ternary {
    RuleProbe(question, self).answer(of: rule)
  }

  /// The verdict on a question that was read.
  func verdict(on input: borrowing MatchInput) -> RuleVerdict {
    begin(input)
    return ruleSet.verdict(on: input, runner, &search)
  }

  /// Before anything is asked of a question.
  func begin(_ input: borrowing MatchInput) {
    questions += 1
    runner.beginDecision(subjectBytes: input.subjectBytes)
  }
}
