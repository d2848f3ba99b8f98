package import PolicyFiles
internal import URLRules

/// What became of the tests of all rule sets and policies that were named.
package struct TestOutcome {
  private(set) var passed = 0
  private(set) var failures: [RuleTestStepResult] = []
  private(set) var policyFailures: [PolicyTestFailure] = []
  package private(set) var failed = 0

  package init() {}

  package mutating func run(_ set: RuleSetTests) {
    let runner = RuleTestRunner(set.ruleSet)
    for test in set.tests {
      let result = runner.run(test)
      if result.passed { passed += 1 } else { failed += 1 }
      failures += result.steps.filter { !$0.passed }
    }
  }

  package mutating func run(_ policy: LoadedPolicy) {
    let runner = PolicyTestRunner(policy)
    for test in policy.tests {
      let result = runner.run(test)
      if result.passed { passed += 1 } else { failed += 1 }
      policyFailures += result.steps.compactMap { PolicyTestFailure($0, of: test) }
    }
  }

  /// Each failed step with its place, what was expected and what came.
  package func failureLines(_ style: Style) -> [String] {
    let rules = failures.compactMap { result -> String? in
      guard let failure = result.failure else { return nil }
      let url = result.step.question.url.escapedForDisplay
      return "\(result.step.location): \(style.bad("failed")): `\(url)`: \(failure)"
    }
    return rules + policyFailures.map { "\($0.location): \(style.bad("failed")): \($0.step): \($0.failure)" }
  }

  package var summary: String { "\(passed) passed, \(failed) failed" }
}

/// One step of a policy's test that came out otherwise.
struct PolicyTestFailure {
  let location: SourceLocation
  /// The test's name, when it has one.
  let test: String?
  /// What was done, and by whom: ``"`paste` by `org.example.notes`"``
  let step: String
  let failure: String

  /// Nil when the step passed.
  fileprivate init?(_ result: PolicyTestStepResult, of test: PolicyTest) {
    guard let failure = result.failure else { return nil }
    location = result.step.location
    self.test = test.name
    step = "\(result.step.action.name.quoted) by \(result.step.app.quoted)"
    self.failure = failure
  }
}
