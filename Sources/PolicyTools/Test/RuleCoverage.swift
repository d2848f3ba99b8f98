package import GuardModel
package import PolicyFiles
package import URLRules

/// Which rules of a rule set its tests reach.
///
///     let coverage = RuleCoverage(of: tests)
///     coverage.reached            // 17
///     coverage.unreached.first    // the rule, what hides it, and a test that would reach it
///
/// A rule is reached when it decided a step of a test, whether that test passes or not. A fragment's rules count in each
/// rule set that includes it.
package struct RuleCoverage: Sendable {
  /// A rule that decided no step.
  package struct UnreachedRule: Sendable {
    package let rule: RuleNumber
    /// The first step that it matched and another rule decided.
    package let hidden: HiddenStep?
    /// A test that passes and reaches it; nil when none was found.
    package let suggestion: RuleTestStep?
    /// Whether a test was looked for.
    package let isSearched: Bool
  }

  /// A step that a rule matched and another one decided.
  package struct HiddenStep: Sendable, Hashable {
    /// The rule that decided.
    package let decider: RuleNumber
    /// The place of the step.
    package let location: SourceLocation
  }

  /// One of several values in a rule that is reached, which held in no step that the rule decided.
  package struct UnusedValue: Sendable {
    package let rule: RuleNumber
    package let value: RuleValue
    package let suggestion: RuleTestStep?
    package let isSearched: Bool
  }

  /// Maximum searches for tests, for rules and for values; no reader needs more, and each search takes time.
  private static let maximumSearched = 1_000

  package let ruleSet: RuleSet
  /// The rule file with the tests.
  package let file: String
  package let unreached: [UnreachedRule]
  package let unusedValues: [UnusedValue]
  /// Whether some step was left to the default.
  package let reachesDefault: Bool
  /// A test that reaches the default, when none does.
  package let defaultSuggestion: RuleTestStep?

  /// Number of rules.
  package var total: Int { ruleSet.rules.count }
  /// Number of reached rules.
  package var reached: Int { total - unreached.count }

  package init(of tests: RuleSetTests) {
    let record = CoverageRecord(tests)
    let suggestions = TestSuggestions(tests)
    ruleSet = tests.ruleSet
    file = tests.file
    unreached = record.unreached.enumerated().map { place, rule in
      let isSearched = place < Self.maximumSearched
      return UnreachedRule(
        rule: rule, hidden: record.hidden[rule], suggestion: isSearched ? suggestions.step(decidedBy: rule) : nil,
        isSearched: isSearched)
    }
    unusedValues = record.unusedValues.enumerated().map { place, unused in
      let isSearched = place < Self.maximumSearched
      let step = isSearched ? suggestions.step(decidedBy: unused.rule, using: unused.value) : nil
      return UnusedValue(rule: unused.rule, value: unused.value, suggestion: step, isSearched: isSearched)
    }
    reachesDefault = record.reachesDefault
    defaultSuggestion = record.reachesDefault ? nil : suggestions.step(decidedBy: nil)
  }
}

/// The coverage by steps of tests, rule by rule.
private struct CoverageRecord {
  private let ruleSet: RuleSet
  private(set) var unreached: [RuleNumber] = []
  private(set) var hidden: [RuleNumber: RuleCoverage.HiddenStep] = [:]
  private(set) var unusedValues: [(rule: RuleNumber, value: RuleValue)] = []
  private(set) var reachesDefault = false

  /// A step with the rule that decided it; nil stands for the default.
  private typealias Asked = (step: RuleTestStep, decider: RuleNumber?)

  init(_ tests: RuleSetTests) {
    ruleSet = tests.ruleSet
    let asked = tests.tests.flatMap(\.steps).compactMap { step -> Asked? in
      step.question.ask(step.ruleSet(tests.ruleSet)).verdict.map { (step, $0.rule) }
    }
    reachesDefault = asked.contains { $0.decider == nil }
    var steps: [RuleNumber: [RuleTestStep]] = [:]
    for (step, decider) in asked { if let decider { steps[decider, default: []].append(step) } }
    for (rule, _) in ruleSet.numbered {
      if let steps = steps[rule] { findUnusedValues(of: rule, steps) } else { unreached.append(rule) }
    }
    findHidden(asked)
  }

  private mutating func findUnusedValues(of rule: RuleNumber, _ steps: [RuleTestStep]) {
    var unused = RuleValue.all(in: ruleSet[rule])
    for step in steps where !unused.isEmpty {
      let probe = RuleProbe(step.question, RuleAsker(step.ruleSet(ruleSet)))
      unused.removeAll { probe.holds($0.condition) }
    }
    unusedValues += unused.map { (rule, $0) }
  }

  private mutating func findHidden(_ asked: [Asked]) {
    var left = unreached
    for (step, decider) in asked where !left.isEmpty {
      guard let decider else { continue }
      let probe = RuleProbe(step.question, RuleAsker(step.ruleSet(ruleSet)))
      left.removeAll { rule in
        guard rule > decider, probe.matches(rule) else { return false }
        hidden[rule] = RuleCoverage.HiddenStep(decider: decider, location: step.location)
        return true
      }
    }
  }
}

extension RuleTestStep {
  /// The rule set at the time of the step.
  func ruleSet(_ ruleSet: RuleSet) -> RuleSet { at.map(ruleSet.at) ?? ruleSet }
}
