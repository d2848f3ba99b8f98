import GuardModel
internal import PolicyTools
internal import TestSupport
import Testing
import URLRules

/// Rules that only monitor until a time: matching goes on behind them.
struct MonitoredRuleTests {
  private let rules = RuleSet(
    name: "r", default: .external,
    rules: [
      Rule(id: "pilot", verdict: .external, condition: .host("contoso.com"), then: .block, monitoredUntil: 100),
      Rule(id: "trial", verdict: .internal, condition: .domain("contoso.com"), expires: 300, monitoredUntil: 200),
      Rule(id: "last", verdict: .internal, condition: .host("contoso.com")),
    ])

  @Test(arguments: [(Int64.min, 2), (99, 2), (100, 0), (250, 0)] as [(Int64, RuleNumber)])
  func theFirstRuleThatIsEnforcedAnswers(_ time: Int64, _ rule: RuleNumber) {
    #expect(rules.at(time).verdict(on: MatchInput("https://contoso.com/")).rule == rule)
    #expect(rules.at(time).enforced.verdict(on: MatchInput("https://contoso.com/")).rule == 0)
  }

  @Test(arguments: [(Int64(199), nil), (200, 1), (299, 1), (300, nil)] as [(Int64, RuleNumber?)])
  func aRuleMayBeMonitoredFirstAndExpireLater(_ time: Int64, _ rule: RuleNumber?) {
    #expect(rules.at(time).verdict(on: MatchInput("https://www.contoso.com/")).rule == rule)
  }

  @Test
  func theEndOfMonitoringIsAnExpiry() {
    #expect([0, 100, 200, 300].map { rules.nextExpiry(after: $0) } == [100, 200, 300, nil])
  }

  @Test
  func aRuleSetSaysWhetherItMonitors() {
    #expect(rules.mayMonitor && rules.at(199).mayMonitor && !rules.at(200).mayMonitor && !rules.enforced.mayMonitor)
    #expect(rules.monitors(rules.rules[0]) && !rules.at(100).monitors(rules.rules[0]))
    #expect(!rules.monitors(rules.rules[2]))
  }

  @Test
  func anExplanationNamesWhatIsPassedOver() {
    let explanation = RuleExplainer(rules).explain(RuleQuestion(url: "https://contoso.com/"))
    #expect(explanation.verdict?.rule == 2)
    #expect(
      explanation.monitored.map(\.words) == [
        "matches, but is only monitored: it would be external", "matches, but is only monitored: it would be internal",
      ])
  }
}
