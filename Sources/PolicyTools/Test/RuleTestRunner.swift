internal import GuardModel
package import PolicyFiles
package import URLRules

/// Runs the tests of rule files.
///
///     let runner = RuleTestRunner(tests.ruleSet)
///     for test in tests.tests { runner.run(test).passed }
package struct RuleTestRunner: Sendable {
  private let ruleSet: RuleSet

  package init(_ ruleSet: RuleSet) { self.ruleSet = ruleSet }

  /// Runs every step, also after one that failed: each states what it expects for itself.
  package func run(_ test: RuleTest) -> RuleTestResult {
    RuleTestResult(test: test, steps: test.steps.map(run))
  }

  private func run(_ step: RuleTestStep) -> RuleTestStepResult {
    guard let answer = step.question.ask(step.at.map(ruleSet.at) ?? ruleSet).verdict else {
      return RuleTestStepResult(step: step, verdict: .invalidURL)
    }
    let id = answer.rule.map { ruleSet.rules[Int($0)].id } ?? RuleTestStep.defaultRule
    return RuleTestStepResult(step: step, verdict: answer.verdict == .internal ? .internal : .external, rule: id)
  }
}

/// What became of one test.
package struct RuleTestResult: Sendable, Hashable {
  package var test: RuleTest
  package var steps: [RuleTestStepResult]

  package var passed: Bool { steps.allSatisfy(\.passed) }
}

/// What became of one step of a test.
package struct RuleTestStepResult: Sendable, Hashable {
  package var step: RuleTestStep
  /// What the rules said.
  package var verdict: ExpectedVerdict
  /// The id of the rule that said so, or `default`; nil for what is no URL.
  package var rule: String?

  /// The verdict is the expected one, and so is the rule, when the test states one.
  package var passed: Bool { verdict == step.expect && (step.rule == nil || step.rule == rule) }

  /// What went wrong, for people: "expected internal by `tenant`, got external by `default`"; nil when it passed.
  package var failure: String? {
    guard !passed else { return nil }
    let wanted = step.rule.map { " by \($0.quoted)" } ?? ""
    let found = rule.map { " by \($0.quoted)" } ?? ""
    return "expected \(step.expect.rawValue)\(wanted), got \(verdict.rawValue)\(found)"
  }
}
