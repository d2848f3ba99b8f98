import GuardModel
import TestSupport
import Testing
import URLRules

/// Many rules that each look through a long URL stop at the budget of a decision: unknown, which is external, and soon.
@Suite struct BoundedWorkTests {
  /// In loops of the yardstick; without the budget some cost fifty times as many.
  private static let limit = 1_500.0

  private func expectBounded(
    _ conditions: [Condition], _ url: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let rules = conditions.enumerated().map { Rule(id: "r\($0)", verdict: .external, condition: $1) }
    let ruleSet = RuleSet(name: "many", default: .internal, rules: rules)
    let input = MatchInput(url)
    #expect(input.url.kind == .url, sourceLocation: sourceLocation)
    let runner = RegexRunner()
    let cost = Yardstick.cost {
      runner.beginDecision(subjectBytes: input.subjectBytes)
      #expect(ruleSet.verdict(on: input, runner).verdict == .external, sourceLocation: sourceLocation)
    }
    #expect(cost < Self.limit, sourceLocation: sourceLocation)
  }

  private func repeating(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  /// 3 s without.
  @Test func filtersThatLookThroughOneQuery() throws {
    let filters = try (0..<10_000).map { Condition.filter(try URLFilter("evil.example/?k\($0)=1", side: .block)) }
    expectBounded(filters, "https://evil.example/?" + repeating("k&", 32_000))
    expectBounded([.any(filters)], "https://evil.example/?" + repeating("&", 64_000))
  }

  /// 53 s without.
  @Test func setsOfFiltersWithNestedPaths() throws {
    let filters = try (0..<4_000).map { try URLFilter("evil.example/\(repeating("a", $0))?k1&q\($0)", side: .block) }
    let set = Condition.filters(URLFilterSet(anyOf: filters))
    let url = "https://evil.example/\(repeating("a", 4_000))?\(repeating("k1&", 20_000))"
    expectBounded([set], url)
    expectBounded(Array(repeating: set, count: 50), url)
  }

  /// 6 s without.
  @Test func patternsThatLookThroughOnePath() throws {
    let patterns = try (0..<10_000).map {
      Condition.pattern(try URLPattern("https://evil.example/*a*a*b\($0)*"))
    }
    expectBounded(patterns, "https://evil.example/" + repeating("a", 65_000))
  }

  /// 70 s without.
  @Test func regularExpressionsThatRunThroughOnePath() throws {
    let regexes = try (0..<10_000).map {
      Condition.regex(try Regex("[a-z]+[0-9]{\($0 % 9 + 1)}[q-z]{\($0 / 9 % 40 + 2)}$"))
    }
    expectBounded(regexes, "https://evil.example/" + repeating("a", 65_000))
  }

  /// They were all asked, and after 4,096 of them the budget was spent: a harmless URL was external.
  @Test func regularExpressionsOfOneHostAreToldApartByTheirTexts() throws {
    let rules = try (0..<10_000).map {
      Rule(
        id: "r\($0)", verdict: .external,
        condition: .all([.scheme("https"), .regex(try Regex("^https://evil[.]example/.*/item-\($0)$"))]))
    }
    let ruleSet = RuleSet(name: "crowd", default: .internal, rules: rules)
    let runner = RegexRunner()
    for (url, expected) in [("a", nil), ("x/item-4711", 4711), ("x/item-99999", nil)] as [(String, RuleNumber?)] {
      let input = MatchInput("https://evil.example/" + url)
      var work = SearchWork()
      runner.beginDecision(subjectBytes: input.subjectBytes)
      #expect(ruleSet.verdict(on: input, runner, &work).rule == expected, "\(url)")
      #expect(work.candidates < 40, "\(url)")
    }
    #expect(ruleSet.alwaysCheckedRules.isEmpty)
  }

  /// What a budget does not suffice for is no match of an internal rule, nor of one behind `not`.
  @Test func whatIsNotFinishedIsNeverInternal() throws {
    let filters = try (0..<10_000).map { Condition.filter(try URLFilter("evil.example/?k\($0)=1", side: .allow)) }
    let rules = [Rule(id: "r", verdict: .internal, condition: .all([.host("evil.example"), .not(.any(filters))]))]
    let ruleSet = RuleSet(name: "not", default: .external, rules: rules)
    let long = MatchInput("https://evil.example/?" + repeating("&", 64_000))
    #expect(ruleSet.verdict(on: long).rule == nil)
    #expect(ruleSet.verdict(on: MatchInput("https://evil.example/?x")).rule == 0)
  }
}
