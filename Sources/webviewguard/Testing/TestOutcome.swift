internal import PolicyFiles
internal import URLRules

/// What became of the tests of all rule sets that were named.
struct TestOutcome {
  private(set) var passed = 0
  private(set) var failures: [RuleTestStepResult] = []
  private(set) var failed = 0

  mutating func run(_ set: RuleSetTests) {
    let runner = RuleTestRunner(set.ruleSet)
    for test in set.tests {
      let result = runner.run(test)
      if result.passed { passed += 1 } else { failed += 1 }
      failures += result.steps.filter { !$0.passed }
    }
  }

  /// Each failed step with its place, what was expected and what came.
  func failureLines(_ style: Style) -> [String] {
    failures.compactMap { result in
      guard let failure = result.failure else { return nil }
      let url = result.step.question.url.escapedForDisplay
      return "\(result.step.location): \(style.bad("failed")): `\(url)`: \(failure)"
    }
  }

  var summary: String { "\(passed) passed, \(failed) failed" }
}
