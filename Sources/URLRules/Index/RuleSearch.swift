internal import GuardModel

/// What a search for the rule that answers found so far, in whatever order the rules came.
struct RuleSearch {
  /// The first rule that certainly answers; `Int32.max` while there is none.
  private(set) var certain = Int32.max
  /// The first external rule that may answer, for each action.
  private var possible = [.max, .max, .max] as InlineArray<3, Int32>
  /// Rules that were asked lately, by the last bits of their numbers: one that lies under several keys is not asked again.
  private var lately = InlineArray<8, Int32>(repeating: -1)
  /// How many rules were asked.
  private(set) var asked = 0

  /// Whether a rule was not asked lately; notes that it is asked now.
  @inline(__always)
  mutating func isNew(_ number: Int32) -> Bool {
    let slot = Int(number & 7)
    if lately[slot] == number { return false }
    lately[slot] = number
    asked &+= 1
    return true
  }

  mutating func answers(_ number: Int32) { certain = min(certain, number) }

  mutating func mayAnswer(_ number: Int32, _ action: RuleAction) {
    let slot = action.strictness
    possible[slot] = min(possible[slot], number)
  }

  /// The strictest answer that the unknown leaves open; of equally strict ones the earlier rule's.
  func strictest(atLeast verdict: RuleVerdict) -> RuleVerdict {
    let actions = [.block, .redirect, .none] as InlineArray<3, RuleAction>
    for index in actions.indices {
      let action = actions[index]
      let number = possible[action.strictness]
      guard number < certain else { continue }
      let answer = RuleVerdict(verdict: .external, rule: number, then: action)
      if answer.strictness >= verdict.strictness { return answer }
    }
    return verdict
  }
}
