internal import GuardModel
package import JSONText
package import PolicyFiles
package import URLRules

extension TestOutcome {
  /// `passed`, `failed`, `failures` of rule sets and `policyFailures`.
  package var members: [JSONTree.Member] {
    let failures = failures.map { result -> JSONTree in
      [
        "location": .string("\(result.step.location)"), "url": .string(result.step.question.url),
        "expected": .string(result.step.expect.rawValue), "expectedRule": .optional(result.step.rule),
        "verdict": .string(result.verdict.rawValue), "rule": .optional(result.rule),
      ]
    }
    let policyFailures = policyFailures.map { failure -> JSONTree in
      [
        "location": .string("\(failure.location)"), "test": .optional(failure.test), "step": .string(failure.step),
        "failure": .string(failure.failure),
      ]
    }
    return [
      .init("passed", .number(passed)), .init("failed", .number(failed)), .init("failures", .array(failures)),
      .init("policyFailures", .array(policyFailures)),
    ]
  }
}

extension CoverageReport {
  package var json: JSONTree {
    [
      "rules": .number(total), "reached": .number(reached), "percent": .number(Self.percent(reached, of: total)),
      "minimum": minimum.map(JSONTree.number) ?? .null, "isEnough": .bool(isEnough),
      "ruleSets": .array(sets.map(\.json)),
    ]
  }
}

extension RuleCoverage {
  fileprivate var json: JSONTree {
    [
      "name": .string(ruleSet.name), "file": .string(file), "rules": .number(total), "reached": .number(reached),
      "percent": .number(CoverageReport.percent(reached, of: total)),
      "unreached": .array(unreached.map(json)), "unusedValues": .array(unusedValues.map(json)),
      "default": [
        "location": .string(ruleSet.defaultLocation), "reached": .bool(reachesDefault),
        "test": defaultSuggestion?.json ?? .null,
      ],
    ]
  }

  private func json(_ unreached: UnreachedRule) -> JSONTree {
    let rule = ruleSet[unreached.rule]
    let hidden = unreached.hidden.map { step -> JSONTree in
      ["rule": .string(ruleSet[step.decider].id), "location": .string("\(step.location)")]
    }
    return [
      "rule": .string(rule.id), "location": .string(rule.location), "hiddenBy": hidden ?? .null,
      "test": unreached.suggestion?.json ?? .null,
    ]
  }

  private func json(_ unused: UnusedValue) -> JSONTree {
    let rule = ruleSet[unused.rule]
    return [
      "rule": .string(rule.id), "location": .string(rule.location), "value": .string(unused.value.words),
      "test": unused.suggestion?.json ?? .null,
    ]
  }
}

extension RuleTestStep {
  /// The test as a rule file has it, and as its line of YAML.
  var json: JSONTree {
    let purposes = Purposes.names.filter { question.purpose.contains($0.purpose) }.map { JSONTree.string($0.name) }
    return [
      "url": .string(question.url), "document": .optional(question.document), "from": .optional(question.from),
      "hop": .bool(question.hop == true), "for": .array(purposes), "expect": .string(expect.rawValue),
      "rule": .optional(rule), "yaml": .string(yaml),
    ]
  }
}

extension JSONTree {
  static func number(_ number: Int) -> JSONTree { .int(Int64(number)) }

  static func optional(_ text: String?) -> JSONTree { text.map(JSONTree.string) ?? .null }
}

/// The coverage of the tests of all rule sets, in words.
package struct CoverageReport {
  let sets: [RuleCoverage]
  /// The least percentage that is enough; nil when any is.
  let minimum: Int?

  package init(sets: [RuleCoverage], minimum: Int?) {
    self.sets = sets
    self.minimum = minimum
  }

  var reached: Int { sets.reduce(0) { $0 + $1.reached } }
  var total: Int { sets.reduce(0) { $0 + $1.total } }

  /// Compared exactly: 89.9 % is not 90 %.
  package var isEnough: Bool { reached * 100 >= (minimum ?? 0) * total }

  /// Rounded down, so that 100 % means all. Without any rule all of them are reached.
  static func percent(_ reached: Int, of total: Int) -> Int { total == 0 ? 100 : reached * 100 / total }

  package func printText(to output: Output) throws(CommandFailure) {
    for set in sets {
      for finding in CoverageFinding.all(in: set) {
        try output.line("\(finding.location): \(finding.words)".escapedForDisplay)
        if let paste = finding.paste { try output.line("  " + paste) }
      }
      if sets.count > 1 {
        try output.line("\(set.ruleSet.name): \(Self.share(set.reached, of: set.total))")
      }
    }
    let demand = isEnough ? "" : ", fewer than the \(minimum ?? 0)% demanded"
    try output.line(Self.share(reached, of: total) + demand)
  }

  /// Only the suggested tests, to stand below `tests:`.
  package func printYAML(to output: Output) throws(CommandFailure) {
    for set in sets {
      let findings = CoverageFinding.all(in: set)
      if !findings.isEmpty { try output.line("# \(set.file)".escapedForDisplay) }
      for finding in findings {
        if finding.suggestion == nil { try output.line("  # \(finding.words)".escapedForDisplay) }
        if let paste = finding.paste { try output.line((finding.suggestion == nil ? "  # " : "  ") + paste) }
      }
    }
  }

  private static func share(_ reached: Int, of total: Int) -> String {
    "\(reached) of \(total) rule\(total == 1 ? "" : "s") (\(percent(reached, of: total))%)"
  }
}

/// One thing that the tests of a rule set do not reach.
struct CoverageFinding {
  /// `file:line:column` of the rule, or of the default.
  let location: String
  let words: String
  let suggestion: RuleTestStep?
  /// Whether a test was looked for.
  var isSearched = true

  /// The suggested test as it stands below `tests:`, or that there is none; nil when none was looked for.
  var paste: String? {
    if let suggestion { return "- \(suggestion.yaml)" }
    return isSearched ? "no URL was found for a test of it" : nil
  }

  /// The rules first, then single values, then the default.
  static func all(in coverage: RuleCoverage) -> [CoverageFinding] {
    let ruleSet = coverage.ruleSet
    let lead = "no test of \(coverage.ruleSet.name.quoted) reaches"
    var findings = coverage.unreached.map { rule in
      let hidden = rule.hidden.map { step in
        "; \(ruleSet[step.decider].id.quoted) decides before it, as in the test at \(step.location)"
      }
      let unreached = ruleSet[rule.rule]
      return CoverageFinding(
        location: unreached.location, words: "\(lead) \(unreached.id.quoted)\(hidden ?? "")",
        suggestion: rule.suggestion, isSearched: rule.isSearched)
    }
    findings += coverage.unusedValues.map { unused in
      let rule = ruleSet[unused.rule]
      return CoverageFinding(
        location: rule.location, words: "\(lead) \(rule.id.quoted) by \(unused.value.words)",
        suggestion: unused.suggestion, isSearched: unused.isSearched)
    }
    if !coverage.reachesDefault {
      findings.append(
        CoverageFinding(
          location: coverage.ruleSet.defaultLocation, words: "\(lead) the default",
          suggestion: coverage.defaultSuggestion))
    }
    return findings
  }
}

/// The results of the tests of all named rule sets and policies.
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

  /// Each failed step with its place, the expectation and the answer.
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
  /// The action and its actor: ``"`paste` by `org.example.notes`"``
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

/// Runs the tests of rule files.
///
///     let runner = RuleTestRunner(tests.ruleSet)
///     for test in tests.tests { runner.run(test).passed }
package struct RuleTestRunner: Sendable {
  private let ruleSet: RuleSet

  package init(_ ruleSet: RuleSet) { self.ruleSet = ruleSet }

  /// Runs every step, also after one that failed: each states its own expectation.
  package func run(_ test: RuleTest) -> RuleTestResult {
    RuleTestResult(test: test, steps: test.steps.map(run))
  }

  private func run(_ step: RuleTestStep) -> RuleTestStepResult {
    guard let answer = step.question.ask(step.at.map(ruleSet.at) ?? ruleSet).verdict else {
      return RuleTestStepResult(step: step, verdict: .invalidURL)
    }
    let id = answer.rule.map { ruleSet[$0].id } ?? RuleTestStep.defaultRule
    return RuleTestStepResult(step: step, verdict: answer.verdict == .internal ? .internal : .external, rule: id)
  }
}

/// The result of one test.
package struct RuleTestResult: Sendable, Hashable {
  package var test: RuleTest
  package var steps: [RuleTestStepResult]

  package var passed: Bool { steps.allSatisfy(\.passed) }
}

/// The result of one step of a test.
package struct RuleTestStepResult: Sendable, Hashable {
  package var step: RuleTestStep
  /// The rules' verdict.
  package var verdict: ExpectedVerdict
  /// The id of the rule that said so, or `default`; nil for a text that is no URL.
  package var rule: String?

  /// The verdict is the expected one, and so is the rule, when the test states one.
  package var passed: Bool { verdict == step.expect && (step.rule == nil || step.rule == rule) }

  /// The failure, for people: "expected internal by `tenant`, got external by `default`"; nil when it passed.
  package var failure: String? {
    guard !passed else { return nil }
    let wanted = step.rule.map { " by \($0.quoted)" } ?? ""
    let found = rule.map { " by \($0.quoted)" } ?? ""
    return "expected \(step.expect.rawValue)\(wanted), got \(verdict.rawValue)\(found)"
  }
}
