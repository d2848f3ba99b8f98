package import URLRules

/// One test of a rule file: a URL, or a chain of redirects, and the expected answers of the rules.
///
///     { url: "https://mail.contoso.com/", expect: internal, rule: tenant }
///     { chain: [ { url: "https://a.example/", expect: external }, { url: "https://b.example/", expect: internal } ] }
///
/// A test states its whole context: without `hop` it is no hop, without `from` and `document` these are unknown.
package struct RuleTest: Sendable, Hashable {
  /// One step, or those of a chain.
  package var steps: [RuleTestStep]
  package var isChain: Bool
  /// The place of the test.
  package var location: SourceLocation

  package init(steps: [RuleTestStep], isChain: Bool = false, location: SourceLocation) {
    self.steps = steps
    self.isChain = isChain
    self.location = location
  }
}

/// One URL of a test, with its context and the expected answer.
package struct RuleTestStep: Sendable, Hashable {
  /// The word that stands for the fall-through where a rule's id is expected.
  package static let defaultRule = "default"

  package var question: RuleQuestion
  package var expect: ExpectedVerdict
  /// The id of the rule that must decide, or `default`; nil when any may.
  package var rule: String?
  /// The time, in seconds since 1970; nil for a time at which no rule has expired, so that no date breaks the test.
  package var at: Int64?
  package var location: SourceLocation

  package init(
    question: RuleQuestion, expect: ExpectedVerdict, rule: String? = nil, at: Int64? = nil, location: SourceLocation
  ) {
    self.question = question
    self.expect = expect
    self.rule = rule
    self.at = at
    self.location = location
  }
}

/// The answer that a test expects: a verdict, or that the text is no URL.
package enum ExpectedVerdict: String, Sendable, Hashable, CaseIterable {
  case `internal`
  case external
  case invalidURL
}

/// The tests of one rule set.
package struct RuleSetTests: Sendable {
  /// Rules that only monitor are in force here, so that tests prove the future behaviour; a step with `at` is asked as
  /// the rules stand at that time.
  package var ruleSet: RuleSet
  package var tests: [RuleTest]
  /// The rule file they stand in.
  package var file: String

  package init(ruleSet: RuleSet, tests: [RuleTest], file: String) {
    self.ruleSet = ruleSet.enforced
    self.tests = tests
    self.file = file
  }
}
