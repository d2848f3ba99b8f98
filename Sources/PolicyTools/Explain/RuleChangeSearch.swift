internal import GuardModel
internal import URLRules

/// Looks for the one rule that, removed or moved, flips the verdict.
struct RuleChangeSearch {
  private let ruleSet: RuleSet
  private let input: MatchInput
  private let scan: RuleScan

  init(_ ruleSet: RuleSet, _ input: MatchInput, _ scan: RuleScan) {
    self.ruleSet = ruleSet
    self.input = input
    self.scan = scan
  }

  /// Removing the rule that answers comes before moving another one above it.
  func nearest(to verdict: RuleVerdict) -> RuleChange? {
    guard let deciding = verdict.rule else { return nil }
    let order = scan.answering.map(\.rule)
    let without = verdictOfRules(order.filter { $0 != deciding })
    if without.verdict != verdict.verdict { return RuleChange(kind: .removed(deciding), verdict: without) }
    let other = scan.answering.first { answer in
      answer.isCertain && answer.rule > deciding && ruleSet.rules[Int(answer.rule)].verdict != verdict.verdict
    }
    guard let other, let place = order.firstIndex(where: { $0 < other.rule }) else { return nil }
    let moved = verdictOfRules(order[..<place] + [other.rule] + order[place...].filter { $0 != other.rule })
    guard moved.verdict != verdict.verdict else { return nil }
    return RuleChange(kind: .moved(other.rule, before: order[place]), verdict: moved)
  }

  /// Asks a rule set of these rules in this order. Rules that do not answer change nothing, so they are left out.
  private func verdictOfRules(_ order: [Int32]) -> RuleVerdict {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.subjectBytes)
    var verdict = ruleSet.keeping(order).verdict(on: input, runner)
    verdict.rule = verdict.rule.map { order[Int($0)] }
    return verdict
  }
}

extension RuleSet {
  /// A rule set of some of these rules, in the given order; all of them are in force.
  fileprivate func keeping(_ order: [Int32]) -> RuleSet {
    RuleSet(
      name: name, default: self.default, rules: order.map { rules[Int($0)] }, defaultLocation: defaultLocation,
      lists: lists
    ).enforced
  }
}
