import PolicyFiles
internal import PolicyTools
import Testing
import URLRules

@Suite struct RuleTestRunnerTests {
  private static let rules = """
    ruleSet: s
    default: external
    rules:
      - { id: same, internal: { same: document } }
      - { id: frames, external: { host: frame.example }, for: frame }
      - { id: sso, internal: { host: login.example, from: { domain: contoso.com } } }
      - { id: back, internal: { host: app.example, hop: true } }
      - { id: tenant, internal: { domain: contoso.com } }
    tests:

    """

  private func run(_ tests: String) throws -> [RuleTestResult] {
    let result = RuleFileLoader(files: MemoryFiles(["r.yaml": Self.rules + tests])).load("r.yaml")
    #expect(result.diagnostics.description == "")
    let loaded = try #require(result.tests)
    let runner = RuleTestRunner(loaded.ruleSet)
    return loaded.tests.map(runner.run)
  }

  @Test func goodTestsPass() throws {
    let results = try run(
      """
        - { url: "https://mail.contoso.com/", expect: internal, rule: tenant }
        - { url: "https://other.example/", expect: external, rule: default }
        - { url: "https://other.example/", expect: external }
        - { url: "no url", expect: invalidURL }
        - { url: "", expect: invalidURL }
        - { url: "about:blank", from: "https://contoso.com/", expect: internal, rule: tenant }
        - { url: "https://x.example/#a", document: "https://x.example/", expect: internal, rule: same }
        - { url: "https://frame.example/", for: frame, expect: external, rule: frames }
        - { url: "https://frame.example/", expect: external, rule: default }
        - { url: "https://login.example/", from: "https://www.contoso.com/", expect: internal, rule: sso }
        - { url: "https://login.example/", expect: external, rule: default }
        - { url: "https://app.example/", hop: true, expect: internal, rule: back }
        - { url: "https://app.example/", expect: external, rule: default }
      """)
    #expect(results.count == 13)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(!results.map(\.passed).contains(false))
  }

  @Test func failuresSayWhatWasGot() throws {
    let results = try run(
      """
        - { url: "https://mail.contoso.com/", expect: external }
        - { url: "https://mail.contoso.com/", expect: internal, rule: same }
        - { url: "nope", expect: internal, rule: tenant }
        - { url: "https://x.example/", expect: invalidURL }
      """)
    #expect(
      results.flatMap(\.steps).map(\.failure) == [
        "expected external, got internal by `tenant`", "expected internal by `same`, got internal by `tenant`",
        "expected internal by `tenant`, got invalidURL", "expected invalidURL, got external by `default`",
      ])
    #expect(results.map(\.test.location.description) == ["r.yaml:10:5", "r.yaml:11:5", "r.yaml:12:5", "r.yaml:13:5"])
  }

  /// Each step comes from the one before; from the second on it is a hop, unless stated.
  @Test func chainsCarryTheirContext() throws {
    let results = try run(
      """
        - chain:
            - { url: "https://contoso.com/start", expect: internal, rule: tenant }
            - { url: "https://login.example/", expect: internal, rule: sso }
            - { url: "https://app.example/", expect: internal, rule: back }
            - { url: "https://app.example/", hop: false, expect: external, rule: default }
            - { url: "https://login.example/", expect: external, rule: default }
            - { url: "https://doc.example/", expect: internal, rule: same }
          document: "https://doc.example/"
        - { chain: [{ url: "https://login.example/", expect: internal, rule: sso }], from: "https://contoso.com/" }
        - { chain: [{ url: "https://app.example/", expect: internal }], document: "https://contoso.com/" }
      """)
    #expect(results.map(\.passed) == [true, true, false])
    #expect(results.map(\.test.isChain) == [true, true, true])
    #expect(results.first?.steps.count == 6)
    #expect(results.last?.steps.first?.step.location.description == "r.yaml:19:15")
  }
}
