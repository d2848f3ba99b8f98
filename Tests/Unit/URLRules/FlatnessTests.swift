import GuardModel
import TestSupport
import Testing
import URLRules

/// A million rules cost what a thousand cost: in looks and rules asked, not in time, so that the test is exact.
struct FlatnessTests {
  private func work(_ rules: RuleSet, _ url: String) -> SearchWork {
    var work = SearchWork()
    let runner = RegexRunner()
    let input = MatchInput(url)
    runner.beginDecision(subjectBytes: input.subjectBytes)
    _ = rules.verdict(on: input, runner, &work)
    return work
  }

  private func ruleSet(_ conditions: [Condition], _ lists: HostLists = .empty) -> RuleSet {
    RuleSet(
      name: "flat", default: .internal,
      rules: conditions.enumerated().map { Rule(id: "\($0)", verdict: .external, condition: $1) }, lists: lists)
  }

  @Test
  func hostListsAreFlat() {
    let large = Effort.scaled(1_000_000)
    let (few, many) = (lists(1_000), lists(large))
    #expect(many.distinctNames == large)
    let small = ruleSet([.list(0)], few)
    let big = ruleSet([.list(0)], many)
    for number in 0..<1_000 {
      let url = "https://www.n\(number).example\(number % 7).com/path"
      #expect(work(small, url) == work(big, url), "\(url)")
    }
    // Hosts in no list: a filter lets one in fifty through, whatever the size.
    let misses = (0..<1_000).map { work(big, "https://a.b.no\($0)/").probes }
    #expect(misses.allSatisfy { $0 <= 3 })
    #expect(misses.reduce(0, +) < 1_500)
  }

  private func lists(_ count: Int) -> HostLists {
    HostLists.of([(0..<count).map { "n\($0).example\($0 % 7).com" }])
  }

  @Test
  func domainRulesAreFlat() {
    let (few, many) = (domains(1_000), domains(Effort.scaled(100_000)))
    for number in 0..<1_000 {
      let url = "https://www.n\(number).example\(number % 7).com/path"
      #expect(work(few, url) == work(many, url), "\(url)")
    }
  }

  private func domains(_ count: Int) -> RuleSet {
    ruleSet((0..<count).map { .domain("n\($0).example\($0 % 7).com") })
  }

  @Test
  func exactURLsAreFlat() {
    let (few, many) = (urls(10), urls(10_000))
    for number in 0..<10 {
      #expect(work(few, "https://x.example/\(number)") == work(many, "https://x.example/\(number)"))
    }
    #expect(work(few, "https://x.example/none") == work(many, "https://x.example/none"))
  }

  private func urls(_ count: Int) -> RuleSet { ruleSet((0..<count).map { .url("https://x.example/\($0)") }) }

  /// Blocks of different sizes, the small ones within the large ones.
  @Test
  func networksAreFlat() throws {
    func networks(_ count: Int) throws -> RuleSet {
      ruleSet(
        try (0..<count).map { .network(try IPNetwork("10.\($0 >> 8).\($0 & 255).0/24")) } + [
          .network(try IPNetwork("0.0.0.0/0"))
        ])
    }
    let (few, many) = (try networks(10), try networks(10_000))
    for url in ["http://10.0.3.4/", "http://10.0.200.1/", "http://9.9.9.9/", "http://[::1]/", "http://10.0.9.255/"] {
      #expect(work(few, url).candidates <= 2)
      #expect(work(many, url).candidates <= 2)
      #expect(abs(work(few, url).probes - work(many, url).probes) <= 1, "\(url)")
    }
  }
}
