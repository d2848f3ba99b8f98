import GuardModel
import TestSupport
import Testing
import URLRules

/// Rules that hold until a time, and rules that take credentials.
struct ExpiryTests {
  private let rules = RuleSet(
    name: "r", default: .external,
    rules: [
      Rule(id: "first", verdict: .internal, condition: .host("contoso.com"), expires: 100),
      Rule(id: "second", verdict: .external, condition: .domain("contoso.com"), then: .block, expires: 200),
      Rule(id: "last", verdict: .internal, condition: .domain("contoso.com")),
    ])

  @Test(arguments: [(Int64.min, 0), (99, 0), (100, 1), (199, 1), (200, 2), (Int64.max, 2)] as [(Int64, RuleNumber)])
  func aRuleThatExpiredIsAsIfItWereNotThere(_ time: Int64, _ rule: RuleNumber) {
    #expect(rules.at(time).verdict(on: MatchInput("https://contoso.com/")).rule == rule)
  }

  @Test
  func aRuleSetHasNoClock() {
    #expect(rules.verdict(on: MatchInput("https://contoso.com/")).rule == 0)
    #expect(rules.at(500).at(0).verdict(on: MatchInput("https://contoso.com/")).rule == 0)
    #expect(rules.at(500).rules.map(\.id) == ["first", "second", "last"])
  }

  @Test(arguments: [(Int64.min, 100), (99, 100), (100, 200), (199, 200), (200, nil)] as [(Int64, Int64?)])
  func theNextExpiryIsTheFirstAfterATime(_ time: Int64, _ next: Int64?) {
    #expect(rules.nextExpiry(after: time) == next)
  }

  @Test
  func credentialsAreInternalOnlyByARuleThatTakesThem() {
    let taking = RuleSet(
      name: "r", default: .internal,
      rules: [
        Rule(id: "not", verdict: .internal, condition: .domain("contoso.com")),
        Rule(id: "takes", verdict: .internal, condition: .host("contoso.com"), takesCredentials: true),
      ])
    let rows: [(String, RuleNumber?, Verdict)] = [
      ("https://contoso.com/", 0, .internal), ("https://u@contoso.com/", 1, .internal),
      ("https://u:p@www.contoso.com/", nil, .external), ("https://contoso.com@evil.example/", nil, .external),
      ("https://evil.example/", nil, .internal),
    ]
    for (url, rule, verdict) in rows {
      let answer = taking.verdict(on: MatchInput(url))
      #expect(answer.rule == rule && answer.verdict == verdict, "\(url)")
    }
  }
}
