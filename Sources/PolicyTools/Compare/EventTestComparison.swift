package import PolicyFiles

/// Runs the tests of both policies under each of them, and counts the steps with another result; a test's expectations
/// do not matter here.
package struct EventTestComparison {
  package private(set) var counts = DiffCounts()
  package private(set) var tally: ChangeTally<AnswerChange>
  /// Number of tests; a test in both policies counts once.
  package private(set) var tests = 0
  private let isStrict: Bool

  package init(_ old: LoadedPolicy, _ new: LoadedPolicy, limits: ChangeLimits, isStrict: Bool) {
    tally = ChangeTally(limits)
    self.isStrict = isStrict
    let runners = (old: PolicyTestRunner(old), new: PolicyTestRunner(new))
    var known: Set<String> = []
    for test in old.tests + new.tests where known.insert(test.script).inserted {
      tests += 1
      let (before, after) = (runners.old.run(test), runners.new.run(test))
      for (one, other) in zip(before.steps, after.steps) { compare(one, other) }
    }
  }

  private mutating func compare(_ old: PolicyTestStepResult, _ new: PolicyTestStepResult) {
    counts.compared += 1
    let change = AnswerChange(before: ChangeSide(old.answer), after: ChangeSide(new.answer))
    let hasOtherAnswer = change.before.answer != change.after.answer
    guard hasOtherAnswer || !change.before.hasRule(of: change.after) else { return }
    let isChange = hasOtherAnswer || isStrict
    if isChange { counts.changed += 1 } else { counts.otherRule += 1 }
    tally.note(
      change, isChange: isChange, site: old.step.app,
      example: ChangeExample(old.step.action.name, at: old.step.location.description))
  }
}

extension PolicyTest {
  /// Its actions: the same for tests that only stand elsewhere or expect something else.
  fileprivate var script: String {
    let steps = steps.map { "\($0.app) \($0.after) \($0.action)" }
    return "\(at.map(String.init) ?? "") \(features) \(groups) " + steps.joined(separator: "\n")
  }
}
