import GuardModel
internal import RuleExport
import TestSupport
import Testing
import URLRules

/// What rules become for the names that Chromium resolves.
struct HostRulesExportTests {
  private static func domain(_ name: String) -> Condition { .domain(Array(name.utf8)) }
  private static func host(_ name: String) -> Condition { .host(Array(name.utf8)) }
  private static let rest = rule("rest", .external, .not(domain("contoso.com")))

  private static func rule(
    _ id: String, _ verdict: Verdict, _ condition: Condition, _ purposes: Purposes = .navigated
  ) -> Rule { Rule(id: id, verdict: verdict, condition: condition, purposes: purposes) }

  private static func export(_ rules: Rule...) -> HostRulesExport {
    let all = RuleSet(name: "s", default: .internal, rules: rules)
    return HostRulesExport(StaticRules(all) { $0.verdict == .external ? .blocked : .passed })
  }

  @Test func wholeHostsAreClosed() {
    let export = Self.export(Self.rule("a", .external, .any([Self.host("a.example"), Self.domain("127.0.0.9")])))
    #expect(export.value == "MAP 127.0.0.9 ~NOTFOUND,MAP a.example ~NOTFOUND,MAP a.example. ~NOTFOUND")
    #expect(export.notes.isEmpty)
  }

  @Test func aLastRuleLeavesOnlyTheOthers() {
    let expected =
      "MAP * ~NOTFOUND,EXCLUDE contoso.com,EXCLUDE contoso.com.,EXCLUDE *.contoso.com,EXCLUDE *.contoso.com."
    #expect(Self.export(Self.rest).value == expected)
  }

  @Test func nothingIsClosedOfWhichSomethingLoads() {
    let part = Condition.all([Self.host("a.example"), .port(8443)])
    let all = Self.rule("all", .external, Self.host("a.example"))
    let cases: [(HostRulesExport, StaticGap)] = [
      (Self.export(Self.rule("x", .external, part)), .wholeHosts),
      (Self.export(Self.rule("x", .external, Self.host("a.example"), .page)), .everyUse),
      (Self.export(Self.rule("x", .external, Self.host("a.example"), .resource)), .everyUse),
      (Self.export(Self.rule("x", .internal, part), all), .openHost),
      (Self.export(Self.rule("x", .internal, Self.host("a.example"), .frame), all), .openHost),
      (Self.export(Self.rule("x", .internal, .from(Self.host("b.example"))), all), .from),
    ]
    for (export, gap) in cases {
      #expect(export.value.isEmpty)
      #expect(export.notes.map(\.kind) == [.unsaid([gap])])
    }
  }

  @Test func anExclusionWinsOverAClosedHostBelow() {
    let export = Self.export(Self.rule("bad", .external, Self.host("bad.contoso.com")), Self.rest)
    #expect(export.value == Self.export(Self.rest).value)
    #expect(export.notes.map(\.kind) == [.unsaid([.precedence])])
  }

  @Test func aClosedNameAboveOpenOnesIsNotExcluded() {
    let export = Self.export(Self.rule("bad", .external, Self.host("contoso.com")), Self.rest)
    #expect(export.value == "MAP * ~NOTFOUND,EXCLUDE *.contoso.com,EXCLUDE *.contoso.com.")
    #expect(export.notes.isEmpty)
  }

  @Test func twoRulesTogetherCloseAHost() {
    let name = Self.host("a.example")
    let export = Self.export(Self.rule("p", .external, name, .page), Self.rule("r", .external, name, .resource))
    #expect(export.value == "MAP a.example ~NOTFOUND,MAP a.example. ~NOTFOUND")
  }

  /// So many rules for one host each: every kind, and every fourth one with an exception, or an internal one.
  private static func rules(_ count: Int, _ kind: Int) -> RuleSet {
    let rules = (0..<count).map { number in
      let own = domain("d\(number).example")
      let except = Condition.not(kind == 1 ? host("www.d\(number).example") : .port(8443))
      let condition = kind == 0 ? own : .all([own, except])
      return rule("r\(number)", number.isMultiple(of: 4) && kind == 0 ? .internal : .external, condition)
    }
    return RuleSet(name: "s", default: .internal, rules: rules)
  }

  /// Rules are compared with those for the same hosts only. From 250 rules to 4,000 all pairs would be some 200 times as
  /// many; 16 times the rules cost about 16 times the work.
  @Test(arguments: 0..<3) func manyRulesCostLittleMoreThanTheirNumber(_ kind: Int) {
    let ratio = Yardstick.ratio(of: Self.rules(4_000, kind), to: Self.rules(250, kind), turns: 3) { set in
      let export = HostRulesExport(StaticRules(set) { $0.verdict == .external ? .blocked : .passed })
      #expect(!export.notes.isEmpty || !export.rules.isEmpty)
    }
    #expect(ratio < 70)
  }

  @Test func theValueFitsIntoAnArgument() {
    let names = (0..<9_000).map { Self.host("host\($0).example") }
    let blocked = Self.export(Self.rule("many", .external, .any(names)))
    #expect(!blocked.value.isEmpty && blocked.value.utf8.count <= HostRulesExport.maximumBytes)
    #expect(blocked.notes.map(\.kind) == [.partly([.limit])])
    // A name that must stay open is never dropped: then nothing is closed.
    let open = Self.export(Self.rule("ours", .internal, .any(names)), Self.rest)
    #expect(open.value.isEmpty && !open.notes.isEmpty)
  }
}
