import GuardModel
import TestSupport
import Testing
import URLRules

/// Kleene's logic, and what rules make of it.
struct TernaryTests {
  @Test(
    arguments: [
      (.yes, .yes, .yes, .yes), (.yes, .unknown, .unknown, .yes), (.yes, .no, .no, .yes),
      (.unknown, .yes, .unknown, .yes), (.unknown, .unknown, .unknown, .unknown), (.unknown, .no, .no, .unknown),
      (.no, .yes, .no, .yes), (.no, .unknown, .no, .unknown), (.no, .no, .no, .no),
    ] as [(Ternary, Ternary, Ternary, Ternary)])
  func andAndOrFollowKleene(_ left: Ternary, _ right: Ternary, _ and: Ternary, _ or: Ternary) {
    #expect(Ternary.and(left, right) == and)
    #expect(Ternary.or(left, right) == or)
  }

  @Test(arguments: [(.yes, .no), (.no, .yes), (.unknown, .unknown)] as [(Ternary, Ternary)])
  func notKeepsWhatIsUnknown(_ value: Ternary, _ opposite: Ternary) { #expect(value.negated == opposite) }

  @Test
  func groupsAreAsLongAsTheirPartsMakeThem() {
    let unknown = Condition.hop(true)
    let yes = Condition.scheme("https")
    let no = Condition.scheme("http")
    let input = MatchInput("https://x.example/")
    let rows: [(Condition, Ternary)] = [
      (.all([yes, unknown]), .unknown), (.all([unknown, no]), .no), (.all([no, unknown]), .no),
      (.any([unknown, yes]), .yes),
      (.any([no, unknown, no]), .unknown), (.not(.all([yes, unknown])), .unknown),
      (.not(.any([no, unknown])), .unknown),
      (.all([.not(unknown), .not(no)]), .unknown), (.not(.not(.not(yes))), .no),
    ]
    for (condition, truth) in rows { #expect(input.truth(of: condition) == truth, "\(condition)") }
  }

  /// Whatever is wrapped around something unknown by `not`, an internal rule never matches, an external one always
  /// does.
  @Test
  func noChainOfNotMakesTheUnknownInternal() throws {
    var random = SeededGenerator()
    let endless = try Regex(#"(a+)+\1$"#)
    let unknowns: [Condition] = [
      .hop(true), .hop(false), .from(.domain("contoso.com")), .from(.not(.all([]))), .same(.document), .same(.origin),
      .regex(endless),
    ]
    let input = MatchInput("https://x.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
    for _ in 0..<10_000 {
      var condition = random.one(of: unknowns)
      for _ in 0..<random.below(8) { condition = wrapped(condition, &random) }
      #expect(input.truth(of: condition) == .unknown, "\(condition); \(random.note)")
      let internalRule = RuleSet(
        name: "i", default: .external, rules: [Rule(id: "r", verdict: .internal, condition: condition)])
      #expect(internalRule.verdict(on: input).verdict == .external, "\(condition); \(random.note)")
      let externalRule = RuleSet(
        name: "e", default: .internal, rules: [Rule(id: "r", verdict: .external, condition: condition)])
      #expect(externalRule.verdict(on: input).rule == 0, "\(condition); \(random.note)")
    }
  }

  /// `not` in all the ways it can be written, and neighbours that decide nothing.
  private func wrapped(_ condition: Condition, _ random: inout SeededGenerator) -> Condition {
    switch random.below(5) {
    case 0, 1: .not(condition)
    case 2: .all([.scheme("https"), .not(condition)])
    case 3: .any([.not(condition), .scheme("http")])
    default: .not(.all([.all([]), .not(condition)]))
    }
  }
}
