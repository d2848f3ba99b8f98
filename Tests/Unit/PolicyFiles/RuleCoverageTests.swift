import PolicyFiles
internal import PolicyTools
import TestSupport
import Testing
import URLRules

@Suite struct RuleCoverageTests {
  private func coverage(_ text: String) throws -> RuleCoverage {
    let result = RuleFileLoader(files: MemoryFiles(["r.yaml": text])).load("r.yaml")
    #expect(!result.diagnostics.hasErrors, "\(result.diagnostics.description)")
    return RuleCoverage(of: try #require(result.tests))
  }

  private static let rules = """
    ruleSet: s
    default: external
    rules:
      - { id: guests, external: { host: guests.contoso.com } }
      - { id: ours, internal: { domain: [contoso.com, contoso.net], scheme: https } }
      - { id: late, internal: { host: mail.contoso.com, scheme: https } }
      - { id: sso, internal: { host: login.example, from: { domain: contoso.com } } }
      - { id: back, internal: { host: app.example, hop: true }, for: frame }
    tests:

    """

  @Test func aRuleIsReachedWhenItDecidesAStep() throws {
    let coverage = try coverage(
      Self.rules + """
          - { url: "https://mail.contoso.com/", expect: internal, rule: ours }
          - { url: "https://login.example/", from: "https://contoso.com/", expect: internal }
        """)
    #expect(coverage.total == 5)
    #expect(coverage.reached == 2)
    #expect(coverage.unreached.map(\.rule) == [0, 2, 4])
    #expect(
      coverage.unreached.map(\.suggestion?.yaml) == [
        #"{ url: "https://guests.contoso.com/", expect: external, rule: guests }"#, nil,
        #"{ url: "https://app.example/", hop: true, for: frame, expect: internal, rule: back }"#,
      ])
    #expect(coverage.unreached.map(\.hidden?.decider) == [nil, 1, nil])
    #expect(coverage.unreached.map(\.hidden?.location.description) == [nil, "r.yaml:10:5", nil])
    #expect(coverage.unusedValues.map(\.value.words) == ["domain `contoso.net`"])
    #expect(
      coverage.unusedValues.map(\.suggestion?.yaml) == [
        #"{ url: "https://contoso.net/", expect: internal, rule: ours }"#
      ])
    #expect(!coverage.reachesDefault)
    #expect(coverage.defaultSuggestion?.yaml == #"{ url: "https://site.example/", expect: external, rule: default }"#)
  }

  /// A failing test reaches what it reaches; `at` decides what still holds; what is no URL reaches nothing.
  @Test func stepsCountAsTheyAreAnswered() throws {
    let coverage = try coverage(
      """
      ruleSet: s
      default: internal
      rules:
        - { id: old, external: { domain: contoso.com }, expires: 2026-01-31 }
        - { id: new, external: { host: contoso.com } }
        - { id: other, external: { host: other.example } }
      tests:
        - { url: "https://contoso.com/", at: 2027-01-01, expect: internal }
        - { url: "no url", expect: invalidURL }
        - chain:
            - { url: "https://contoso.example/", expect: internal }
            - { url: "https://other.example/", expect: internal }
      """)
    #expect(coverage.unreached.map(\.rule) == [0])
    #expect(coverage.unreached.first?.hidden == nil)
    #expect(coverage.reachesDefault)
  }

  @Test func everyMatcherHasAWitness() throws {
    let matchers = [
      "domain: contoso.com", "host: contoso.com", "host: \"[::1]\"", "url: \"https://contoso.com:8443/a?b\"",
      "url: \"mailto:someone@contoso.com\"", "scheme: ftp", "scheme: file", "port: 8443",
      "regex: '^https://[a-z]+[.]cdn[.]example/v[0-9]+/'", "regex: 'team'", "regex: '[?]token=[0-9a-f]{8}'",
      "regex: '^http:'", "regex: '/(?:a|b)/c$'", "host: contoso.com, regex: '^https://[^/]+/contoso/'",
      "domain: contoso.com, regex: '^https://[a-z]+[.]contoso[.]com/'",
      "pattern: \"https://*.example.com/docs/:id\"", "pattern: { pathname: \"/:a(v[0-9]+)/x{/y}?\" }",
      "pattern: \"http{s}?://login.example:*/(in|out)\\\\?a=*\"", "filter: \"https://.mail.contoso.com/owa?v=1\"",
      "filter: \"contoso.com:8080\"", "chromium: { block: [\"*\"], allow: [contoso.com] }",
      "chromium: { block: [youtube.com/watch?v=A1], allow: [contoso.com] }", "cidr: 10.0.0.0/8",
      "cidr: \"2001:db8::/32\"", "same: document", "same: documentPath", "same: origin", "same: site",
      "same: site, not: { same: origin }", "same: origin, not: { same: documentPath }",
      "same: documentPath, not: { same: document }", "from: { domain: contoso.com, scheme: http }, host: a.example",
      "from: { not: { domain: contoso.com } }", "hop: true", "not: { scheme: https }", "not: { hop: false }",
      "domain: contoso.com, not: { host: contoso.com }", "host: contoso.com, not: { port: 443 }",
      "host: contoso.com, not: { regex: '^[^/]+//[^/]+/$' }", "queryOver: 1", "queryOver: 1024", "queryOver: [40, 9]",
      "queryOver: 30, regex: '[?]token=[0-9a-f]{8}', host: contoso.com", "from: { queryOver: 9 }, queryOver: 5",
      "queryOver: 40, filter: \"contoso.com?v=1\"", "queryOver: 9, not: { queryOver: 12 }", "not: { queryOver: 9 }",
      "scheme: mailto, queryOver: 9", "queryOver: 3, url: \"https://contoso.com/a?bcde\"",
    ]
    for matcher in matchers {
      for verdict in ["internal", "external"] {
        let other = verdict == "internal" ? "external" : "internal"
        let text = "ruleSet: s\ndefault: \(other)\nrules:\n  - { id: r, \(verdict): { \(matcher) } }\n"
        let coverage = try coverage(text)
        let suggestion = try #require(coverage.unreached.first?.suggestion, "\(matcher)")
        #expect(suggestion.expect.rawValue == verdict)
        let found = try reached(text, by: suggestion)
        #expect(found == ["r"], "\(matcher): \(suggestion.yaml)")
      }
    }
  }

  @Test func listsCredentialsAndExpiryHaveAWitness() throws {
    let rules = """
      ruleSet: s
      default: external
      rules:
        - { id: hosts, external: { list: { file: lists/hosts.txt, format: hosts } } }
        - { id: names, external: { list: { file: lists/names.txt, format: domains }, scheme: http } }
        - { id: filters, external: { list: { file: lists/filters.txt, format: urlFilters } } }
        - { id: users, internal: { host: ftp.example }, credentials: true }
        - { id: gone, internal: { host: gone.example }, expires: 2020-01-31 }
        - { id: only-users, internal: { host: users.example }, credentials: true }
      """
    let files = [
      "r.yaml": rules, "lists/hosts.txt": "0.0.0.0 ads.example\n", "lists/names.txt": "longer.example\na.example\n",
      "lists/filters.txt": "https://.b.example/x?v=1\nc.example:8080\n",
    ]
    let tests = try #require(RuleFileLoader(files: MemoryFiles(files)).load("r.yaml").tests)
    #expect(
      RuleCoverage(of: tests).unreached.map(\.suggestion?.yaml) == [
        #"{ url: "https://ads.example/", expect: external, rule: hosts }"#,
        #"{ url: "http://a.example/", expect: external, rule: names }"#,
        #"{ url: "https://c.example:8080/", expect: external, rule: filters }"#,
        #"{ url: "https://ftp.example/", expect: internal, rule: users }"#,
        #"{ url: "https://gone.example/", expect: internal, rule: gone }"#,
        #"{ url: "https://users.example/", expect: internal, rule: only-users }"#,
      ])
  }

  @Test func onlySoManyTestsAreLookedFor() throws {
    let rules = (0..<1_100).map { "  - { id: r\($0), internal: { host: h\($0).example } }\n" }.joined()
    let coverage = try coverage("ruleSet: s\ndefault: external\nrules:\n" + rules)
    #expect(coverage.unreached.count == 1_100)
    #expect(coverage.unreached.count(where: \.isSearched) == 1_000)
    #expect(coverage.unreached.count { $0.suggestion != nil } == 1_000)
  }

  @Test func valuesAreFoundWhereverAnyMayHold() throws {
    let coverage = try coverage(
      """
      ruleSet: s
      default: external
      rules:
        - id: r
          internal:
            host: [a.example, b.example]
            port: [443, 8443]
            from: [{ domain: [x.example, y.example] }, { host: z.example }]
            not: { regex: ['/x', '/y'] }
      tests:
        - { url: "https://a.example/", from: "https://z.example/", expect: internal, rule: r }
      """)
    #expect(
      coverage.unusedValues.map(\.value.words) == [
        "port `8443`", "host `b.example`", "from, group 1", "from domain `x.example`", "from domain `y.example`",
      ])
    #expect(!coverage.unusedValues.contains { $0.suggestion == nil })
  }

  /// Random rule sets with random tests: the counts are those of a slow recount, and every suggestion passes when it is
  /// pasted and reaches what it was made for.
  @Test func randomRuleSetsAgreeWithARecount() throws {
    var random = SeededGenerator()
    let rules = try RandomRules()
    let urls = RandomURLs()
    var suggested = 0
    var missing = 0
    for _ in 0..<Effort.scaled(2_000) {
      let ruleSet = rules.ruleSet(&random)
      let location = SourceLocation(file: "r.yaml")
      let tests = (0..<random.below(6)).map { _ in
        var question = RuleQuestion(url: urls.text(&random), hop: random.oneIn(3))
        if random.oneIn(2) { question.from = urls.text(&random) }
        if random.oneIn(2) { question.document = urls.text(&random) }
        let at: Int64? = random.oneIn(4) ? random.one(of: [50, 150, 250, 350]) : nil
        return RuleTest(
          steps: [RuleTestStep(question: question, expect: .external, at: at, location: location)], location: location)
      }
      let runner = RuleTestRunner(ruleSet)
      let coverage = RuleCoverage(of: RuleSetTests(ruleSet: ruleSet, tests: tests, file: "r.yaml"))
      let deciders = Set(tests.map(runner.run).flatMap(\.steps).compactMap(\.rule))
      let recount = ruleSet.rules.map(\.id).filter { !deciders.contains($0) }
      #expect(coverage.unreached.map { ruleSet[$0.rule].id } == recount, "\(random.note)")
      #expect(coverage.reachesDefault == deciders.contains("default"), "\(random.note)")
      for rule in coverage.unreached {
        missing += rule.suggestion == nil ? 1 : 0
        guard let step = rule.suggestion else { continue }
        suggested += 1
        let result = runner.run(RuleTest(steps: [step], location: location))
        #expect(result.passed && result.steps.first?.rule == ruleSet[rule.rule].id, "\(random.note)")
      }
      for step in coverage.unusedValues.compactMap(\.suggestion) {
        #expect(runner.run(RuleTest(steps: [step], location: location)).passed, "\(random.note)")
      }
    }
    #expect(suggested > missing, "\(suggested) suggested, \(missing) not; \(random.note)")
  }

  /// What a pasted line of YAML reaches in a rule file that it passes in.
  private func reached(_ text: String, by step: RuleTestStep) throws -> [String] {
    let file = text + "tests:\n  - \(step.yaml)\n"
    let result = RuleFileLoader(files: MemoryFiles(["r.yaml": file])).load("r.yaml")
    let tests = try #require(result.tests, "\(result.diagnostics.description)\n\(file)")
    let results = tests.tests.map(RuleTestRunner(tests.ruleSet).run)
    #expect(!results.map(\.passed).contains(false))
    return results.flatMap(\.steps).compactMap(\.rule)
  }
}
