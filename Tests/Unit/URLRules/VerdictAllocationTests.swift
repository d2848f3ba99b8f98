import CAllocationCounter
import GuardModel
import TestSupport
import Testing
import URLRules

/// A verdict allocates nothing, whatever leads to the rules.
struct VerdictAllocationTests {
  private static let isMeasured = callocation_counter_works() && !Effort.isReduced

  private func rules() throws -> RuleSet {
    let lists = HostLists.of([(0..<2_000).map { "n\($0).example" }, ["a.b.contoso.com", "10.0.0.1"]])
    let conditions: [Condition] = [
      .all([.list(0), .not(.list(1)), .scheme("ftp")]), .url("https://contoso.com/x"),
      .network(try IPNetwork("10.0.0.0/8")),
      .all([.domain("contoso.com"), .port(8443)]), .any([.host("contoso.com"), .domain("fabrikam.example")]),
      .all([.from(.list(1)), .hop(true)]), .list(1), .regex(try Regex("/v[0-9]+/")), .list(0),
    ]
    let rules = conditions.enumerated().map { number, condition in
      Rule(
        id: "\(number)", verdict: number.isMultiple(of: 2) ? .external : .internal, condition: condition,
        expires: number == 1 ? 100 : nil)
    }
    return RuleSet(name: "r", default: .external, rules: rules, lists: lists)
  }

  @Test(
    .enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"),
    arguments: [
      ("https://contoso.com/x", 1), ("https://contoso.com:8443/", 3), ("https://www.n77.example/a", 8),
      ("https://10.0.0.1/", 2), ("https://www.fabrikam.example/", 4), ("https://x.a.b.contoso.com/", 6),
      ("https://other.example/v2/", 7), ("https://other.example/", nil), ("mailto:a@contoso.com", nil),
      ("https://u:p@contoso.com/x", 4), ("https://[::1]/", nil),
    ] as [(String, RuleNumber?)])
  func aVerdictAllocatesNothing(_ url: String, _ rule: RuleNumber?) throws {
    let rules = try rules()
    let runner = RegexRunner()
    var input = MatchInput(url, from: "https://x.a.b.contoso.com/", hop: false)
    input.purposes = .page
    for _ in 0..<100 { _ = ask(rules, input, runner) }
    let before = callocation_counter_count()
    var same = 0
    for _ in 0..<10_000 where ask(rules, input, runner) == rule { same += 1 }
    let allocations = callocation_counter_count() - before
    #expect(ask(rules, input, runner) == rule)
    #expect(same == 10_000)
    #expect(allocations == 0)
  }

  private func ask(_ rules: RuleSet, _ input: borrowing MatchInput, _ runner: RegexRunner) -> RuleNumber? {
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return rules.verdict(on: input, runner).rule
  }
}
