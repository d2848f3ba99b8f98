import GuardModel
import PolicyFiles
import Testing
import URLRules

/// What matchers mean once they are read: one rule, internal, and a URL it is asked about.
@Suite struct RuleMatcherTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let matchers: String
    let question: RuleQuestion
    let isInternal: Bool

    init(_ matchers: String, _ question: RuleQuestion, _ isInternal: Bool) {
      self.matchers = matchers
      self.question = question
      self.isInternal = isInternal
    }

    init(_ matchers: String, _ url: String, _ isInternal: Bool) {
      self.init(matchers, RuleQuestion(url: url), isInternal)
    }

    var testDescription: String { "\(matchers) on \(question.url)" }
  }

  private static let page = "https://app.contoso.com/doc?id=1"

  @Test(arguments: [
    Case("domain: CONTOSO.com.", "https://mail.contoso.com/", true),
    Case("domain: contoso.com", "https://evilcontoso.com/", false),
    Case("domain: contoso.com", "https://contoso.com.evil.example/", false),
    Case("domain: contoso.com", "https://contoso.com./", true),
    Case("domain: contoso.com", "ftp://contoso.com/", false),
    Case("domain: bücher.example", "https://shop.xn--bcher-kva.example/", true),
    Case("host: BÜCHER.example", "https://bücher.example/", true),
    Case("host: contoso.com", "https://www.contoso.com/", false),
    Case("host: [a.example, b.example]", "https://b.example/", true),
    Case("host: 0x7f.1", "http://127.0.0.1/", true),
    Case("host: \"[0::1]\"", "http://[::1]/", true),
    Case("url: \"HTTPS://Contoso.com.:443/a/../b?q#f\"", "https://contoso.com/b?q#other", true),
    Case("url: https://contoso.com/b", "https://contoso.com/b?q", false),
    Case("scheme: [HTTP, ftp]", "ftp://x.example/", true),
    Case("scheme: https", "wss://x.example/", true),
    Case("port: 443", "https://x.example/", true),
    Case("port: [80, 8443]", "https://x.example:8443/", true),
    Case("domain: contoso.com, scheme: https", "http://contoso.com/", false),
    Case("domain: contoso.com, not: { host: blog.contoso.com }", "https://blog.contoso.com/", false),
    Case("domain: contoso.com, not: { host: blog.contoso.com }", "https://mail.contoso.com/", true),
    Case("domain: contoso.com, not: [{ port: 8443 }, { scheme: http }]", "http://contoso.com/", false),
    Case("domain: contoso.com, not: [{ port: 8443 }, { scheme: http }]", "https://contoso.com/", true),
    Case("regex: ['^https://a', '/admin$']", "https://b.example/admin", true),
    Case("regex: '^https://a[.]'", "https://b.example/", false),
    Case("same: document", RuleQuestion(url: page + "#top", document: page), true),
    Case("same: document", RuleQuestion(url: page + "&x", document: page), false),
    Case("same: document", RuleQuestion(url: page), false),
    Case("same: documentPath", RuleQuestion(url: "https://app.contoso.com/doc?id=2", document: page), true),
    Case("same: [document, origin]", RuleQuestion(url: "https://app.contoso.com/x", document: page), true),
    Case("hop: true", RuleQuestion(url: page, hop: true), true),
    Case("hop: false", RuleQuestion(url: page, hop: true), false),
    Case("hop: false", RuleQuestion(url: page), false),
    Case(
      "host: sso.example, from: { domain: contoso.com }", RuleQuestion(url: "https://sso.example/", from: page), true),
    Case(
      "host: sso.example, from: { domain: other.example }", RuleQuestion(url: "https://sso.example/", from: page), false
    ),
    Case(
      "host: sso.example, from: [{ port: 1 }, { port: 443 }]", RuleQuestion(url: "https://sso.example/", from: page),
      true),
    Case("host: sso.example, from: { domain: contoso.com }", RuleQuestion(url: "https://sso.example/"), false),
    Case("host: sso.example, not: { from: { domain: contoso.com } }", RuleQuestion(url: "https://sso.example/"), false),
  ])
  func matchersMean(_ test: Case) throws {
    let yaml = "ruleSet: s\ndefault: external\nrules: [{ id: a, internal: { \(test.matchers) } }]"
    let result = RuleFileLoader(files: MemoryFiles(["r.yaml": yaml])).load("r.yaml")
    #expect(result.diagnostics.description == "")
    let ruleSet = try #require(result.ruleSet)
    #expect(test.question.ask(ruleSet).verdict?.verdict == (test.isInternal ? .internal : .external))
  }

  @Test func ruleKeepsWhatTheFileStates() throws {
    let yaml = """
      ruleSet: s
      default: internal
      rules:
        - { id: a, external: { port: 1 }, then: redirect, for: [page, download], message: "not {host}" }
        - { id: b, external: { port: 2 } }
      """
    let rules = try #require(RuleFileLoader(files: MemoryFiles(["r.yaml": yaml])).load("r.yaml").ruleSet)
    #expect(rules.default == .internal)
    #expect(rules.defaultLocation == "r.yaml:2:10")
    #expect(rules.rules.map(\.then) == [.redirect, .none])
    #expect(rules.rules.map(\.purposes) == [[.page, .download], .page])
    #expect(rules.rules.map(\.message) == ["not {host}", nil])
    #expect(rules.rules.map(\.verdict) == [.external, .external])
    #expect(rules.rules.map(\.location) == ["r.yaml:4:5", "r.yaml:5:5"])
  }
}
