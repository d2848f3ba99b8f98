import GuardModel
import TestSupport
import Testing
import URLRules

/// Order, polarity and default of a rule set.
struct RuleSetTests {
  private func rule(
    _ verdict: Verdict, _ condition: Condition, for purposes: Purposes = .page, then: RuleAction = .none
  ) -> Rule {
    Rule(id: "r", verdict: verdict, condition: condition, purposes: purposes, then: then)
  }

  private func ruleSet(_ rules: [Rule], default: Verdict = .internal) -> RuleSet {
    RuleSet(name: "rules", default: `default`, rules: rules)
  }

  /// Each URL is taken by several rules that are filed under different hosts, or under none.
  @Test(arguments: [
    ("https://a.b.contoso.com/", 1), ("https://b.contoso.com/", 2), ("https://contoso.com/", 3),
    ("https://x.contoso.com/", 3),
    ("https://contoso.com:8443/", 0), ("https://other.example/", 4), ("https://contoso.com./", 3), ("mailto:x", 4),
  ])
  func theFirstRuleThatMatchesWins(_ url: String, _ number: RuleNumber) {
    let rules = ruleSet([
      rule(.external, .port(8443)), rule(.external, .host("a.b.contoso.com")),
      rule(.external, .domain("b.contoso.com")),
      rule(.external, .domain("contoso.com")), rule(.external, .all([])), rule(.external, .host("contoso.com")),
    ])
    #expect(rules.verdict(on: MatchInput(url)).rule == number)
  }

  @Test
  func aLaterRuleUnderTheHostDoesNotOvertakeAnEarlierOneUnderItsParent() {
    let rules = ruleSet([rule(.external, .domain("com")), rule(.internal, .host("contoso.com"))])
    #expect(rules.verdict(on: MatchInput("https://contoso.com/")).rule == 0)
  }

  @Test
  func aRuleMayBeFiledUnderSeveralHosts() {
    let either = Condition.any([
      .host("a.example"), .all([.domain("b.example"), .scheme("https")]), .url("https://c.example/x"),
    ])
    let rules = ruleSet([rule(.external, either)])
    #expect(rules.residualCount == 0)
    let rows = [
      ("https://a.example/", true), ("https://x.b.example/", true), ("https://c.example/x", true),
      ("http://b.example/", false),
      ("https://c.example/y", false), ("https://x.a.example/", false),
    ]
    for (url, isMatch) in rows { #expect((rules.verdict(on: MatchInput(url)).rule == 0) == isMatch, "\(url)") }
  }

  @Test
  func whatOtherHostsMayFulfilIsResidual() {
    let residual: [Condition] = [
      .not(.host("a.example")), .scheme("https"), .any([.host("a.example"), .port(1)]), .from(.host("a.example")),
      .all([]), .all([.not(.host("a.example")), .port(443)]), .hop(true), .same(.document),
    ]
    #expect(ruleSet(residual.map { rule(.external, $0) }).residualCount == residual.count)
  }

  @Test
  func theDefaultAnswersWhatNoRuleMatches() {
    for verdict in [Verdict.internal, .external] {
      let answer = ruleSet([], default: verdict).verdict(on: MatchInput("https://x.example/"))
      #expect(answer == RuleVerdict(verdict: verdict, rule: nil, then: .none))
    }
  }

  @Test
  func credentialsAreNeverInternal() {
    let url = MatchInput("https://user@contoso.com/")
    #expect(ruleSet([]).verdict(on: url).verdict == .external)
    #expect(
      ruleSet([rule(.internal, .all([]))]).verdict(on: url) == RuleVerdict(verdict: .external, rule: nil, then: .none))
    #expect(ruleSet([rule(.external, .host("contoso.com"), then: .block)]).verdict(on: url).then == .block)
    #expect(ruleSet([]).verdict(on: MatchInput("https://contoso.com/")).verdict == .internal)
  }

  @Test(arguments: ["about:blank", "data:,x", "blob:null/1", "javascript:1", "not a url"])
  func whatIsNoURLIsExternalWithoutARule(_ text: String) {
    let rules = ruleSet([rule(.internal, .all([]))])
    #expect(rules.verdict(on: MatchInput(text)) == RuleVerdict(verdict: .external, rule: nil, then: .none))
  }

  @Test
  func thenIsTheRules() {
    for action in RuleAction.allCases {
      let rules = ruleSet([rule(.external, .all([]), then: action)])
      #expect(rules.verdict(on: MatchInput("https://x.example/")).then == action)
    }
  }

  /// What a rule speaks of against what the event may concern: the certain, the impossible, and what may be either.
  @Test(
    arguments: [
      (.page, .page, .yes), (.page, .frame, .no), (.page, [.page, .frame], .unknown),
      ([.page, .frame], [.page, .frame], .yes),
      ([.page, .frame], .frame, .yes), (.frame, [.page, .frame], .unknown), (.download, [.page, .frame], .no),
      ([], .page, .no),
    ] as [(Purposes, Purposes, Ternary)])
  func purposesAreThreeValuedToo(_ spoken: Purposes, _ possible: Purposes, _ truth: Ternary) {
    #expect(spoken.speak(of: possible) == truth)
    let input = MatchInput("https://x.example/", purposes: possible)
    #expect(
      ruleSet([rule(.internal, .all([]), for: spoken)], default: .external).verdict(on: input).rule
        == (truth == .yes ? 0 : nil))
    #expect(ruleSet([rule(.external, .all([]), for: spoken)]).verdict(on: input).rule == (truth == .no ? nil : 0))
  }

  /// Nobody gets a weaker answer by leaving out what a rule asks about: behind a rule that may match, a stricter one
  /// counts.
  @Test
  func anUnknownMatchDoesNotHideAStricterRule() {
    let rules = ruleSet([
      rule(.external, .hop(true)), rule(.external, .all([.hop(true), .port(443)]), then: .redirect),
      rule(.external, .domain("evil.example"), then: .block), rule(.internal, .domain("contoso.com")),
      rule(.external, .all([]), then: .block),
    ])
    let rows: [(String, Bool?, RuleNumber)] = [
      ("https://evil.example/", false, 2), ("https://evil.example/", nil, 2), ("https://evil.example/", true, 0),
      ("https://contoso.com/", false, 3), ("https://contoso.com/", nil, 1), ("http://contoso.com/", nil, 0),
      ("https://x.example/", nil, 4), ("https://x.example/", true, 0),
    ]
    for (url, hop, number) in rows { #expect(rules.verdict(on: MatchInput(url, hop: hop)).rule == number, "\(url)") }
  }

  @Test
  func unknownConditionsCutBothWays() {
    let input = MatchInput("https://x.example/")
    #expect(ruleSet([rule(.external, .hop(true))]).verdict(on: input).rule == 0)
    #expect(ruleSet([rule(.internal, .hop(true))], default: .external).verdict(on: input).rule == nil)
    #expect(ruleSet([rule(.external, .all([.hop(true), .host("y.example")]))]).verdict(on: input).rule == nil)
  }
}
