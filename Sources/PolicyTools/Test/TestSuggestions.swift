internal import GuardModel
internal import PolicyFiles
internal import URLRules

/// Writes tests for a rule set, each of which passes: it states the answer.
struct TestSuggestions {
  private let asker: RuleAsker
  private let location: SourceLocation
  private let witness: RuleWitness

  init(_ tests: RuleSetTests) {
    asker = RuleAsker(tests.ruleSet)
    location = SourceLocation(file: tests.file)
    witness = RuleWitness(asker)
  }

  /// A test that the rule decides; nil stands for the default.
  func step(decidedBy rule: Int32?) -> RuleTestStep? {
    witness.question(decidedBy: rule).map(step)
  }

  /// A test that the rule decides because of one of its values.
  func step(decidedBy rule: Int32, using value: RuleValue) -> RuleTestStep? {
    witness.question(decidedBy: rule, using: value).map(step)
  }

  /// A test that states the answer to a question.
  func step(_ question: RuleQuestion) -> RuleTestStep {
    guard let answer = asker.verdict(of: question) else {
      return RuleTestStep(question: question, expect: .invalidURL, location: location)
    }
    let id = answer.rule.map { asker.ruleSet.rules[Int($0)].id } ?? RuleTestStep.defaultRule
    return RuleTestStep(
      question: question, expect: answer.verdict == .internal ? .internal : .external, rule: id, location: location)
  }
}
