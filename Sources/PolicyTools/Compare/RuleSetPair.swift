internal import GuardModel
internal import URLRules

/// A rule set before and after.
package struct RuleSetPair {
  let old: RuleSet
  let new: RuleSet
  /// For each old rule the number of the new one with the same id; -1 without one.
  private let successors: [Int32]

  init(_ old: RuleSet, _ new: RuleSet) {
    self.old = old
    self.new = new
    var numbers: [String: Int32] = [:]
    for (number, rule) in new.rules.enumerated() { numbers[rule.id] = Int32(number) }
    successors = old.rules.map { numbers[$0.id] ?? -1 }
  }

  /// The difference of the two on the URL; nil when the same rule gives the same answer.
  func change(on input: borrowing MatchInput, _ runner: RegexRunner) -> VerdictChange? {
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let before = old.verdict(on: input, runner)
    runner.beginDecision(subjectBytes: input.subjectBytes)
    let after = new.verdict(on: input, runner)
    let change = VerdictChange(before: before, after: after)
    return change.isChange || successor(of: before.rule) != after.rule ? change : nil
  }

  private func successor(of rule: Int32?) -> Int32? { rule.map { successors[Int($0)] } }
}

/// Two answers of a pair, or the same by different rules.
struct VerdictChange: Hashable {
  let before: RuleVerdict
  let after: RuleVerdict

  /// Whether the answer is another one, and not just the rule.
  var isChange: Bool { before.verdict != after.verdict || before.then != after.then }
}
