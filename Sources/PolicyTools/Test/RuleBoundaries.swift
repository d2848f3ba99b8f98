package import PolicyFiles
internal import URLRules

/// What becomes of the neighbours of a URL that a rule decides.
///
///     rule `ours`: internal: { domain: contoso.com, scheme: https }
///     witness https://mail.contoso.com/   ->   internal
///     upper case in the host              ->   internal, by the same rule
///     other scheme `http`                 ->   external, by default: differs
///
/// Everything in it was asked. A neighbour that differs is no mistake, and one that does not is no proof: whoever wrote
/// the rule says which is meant.
package struct RuleBoundaries: Sendable {
  package struct Neighbour: Sendable {
    /// What was changed, in words: `sub-domain`.
    package let change: String
    /// A test that states what was answered.
    package let step: RuleTestStep
    /// The verdict is another one than that of the witness.
    package let differs: Bool
  }

  package let rule: Int32
  /// A step of a test that the rule decides, or one that was made up.
  package let witness: RuleTestStep
  /// No test had one to offer.
  package let isMadeUp: Bool
  package let neighbours: [Neighbour]

  /// Nil when no URL is known that the rule decides.
  package init?(of rule: Int32, in tests: RuleSetTests) {
    let suggestions = TestSuggestions(tests)
    let tested = Self.tested(rule, in: tests)
    guard let witness = tested.map({ suggestions.step($0.question) }) ?? suggestions.step(decidedBy: rule) else {
      return nil
    }
    self.rule = rule
    self.witness = witness
    isMadeUp = tested == nil
    neighbours = QuestionNeighbours(of: witness.question).all.map { neighbour in
      let step = suggestions.step(neighbour.question)
      return Neighbour(change: neighbour.change, step: step, differs: step.isInternal != witness.isInternal)
    }
  }

  /// The first step that the rule decides, without regard to its time, and whose URL has neighbours.
  private static func tested(_ rule: Int32, in tests: RuleSetTests) -> RuleTestStep? {
    tests.tests.lazy.flatMap(\.steps).first { step in
      step.question.ask(tests.ruleSet).verdict?.rule == rule && QuestionNeighbours.hasParts(step.question)
    }
  }
}

extension RuleTestStep {
  /// What is no URL is blocked, as what is external may be.
  fileprivate var isInternal: Bool { expect == .internal }
}
