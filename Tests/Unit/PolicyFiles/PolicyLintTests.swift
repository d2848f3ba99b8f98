import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing
import URLRules

/// What `check` tells of a policy that loads and does less than it seems (review of November 2026, section 3, 2 and 10).
@Suite struct PolicyLintTests {
  /// A policy of which something is told, and one beside it of which it is not.
  struct Case: CustomTestStringConvertible, Sendable {
    var code: String
    var told: String
    var silent: String

    init(_ code: String, _ told: String, not silent: String) {
      (self.code, self.told, self.silent) = (code, told, silent)
    }

    var testDescription: String { code }
  }

  private static let bound = "protections: { p: { accounts: [anna@contoso.com], printing: block } }"
  private static let rules =
    "ruleSet: s\ndefault: external\nrules: [{ id: ours, internal: { domain: contoso.com, scheme: https } }]"

  private static func app(_ settings: String) -> String {
    "apps: { a: { peers: [{ group: staff }]\(settings) } }\n"
  }

  private static func page(_ settings: String) -> String { app(", classes: { page: { \(settings) } }") + bound }

  static let cases = [
    Case("no-protections", app(""), not: app("") + bound),
    Case("no-peers", "apps: { a: {} }\n" + bound, not: "apps: { a: { peers: [] } }\n" + bound),
    Case(
      "unit-of-any-user", "apps: { a: { peers: [{ unit: a.service }] } }\n" + bound,
      not: "apps: { a: { peers: [{ unit: a.service, uid: 5 }] } }\n" + bound),
    Case(
      "several-protections",
      app("") + "protections: { p: { accounts: ['*@x.example'] }, q: { accounts: ['*@x.example'] } }",
      not: app("") + "protections: { p: { accounts: ['*@x.example'] }, q: { accounts: ['*@y.x.example'] } }"),
    Case(
      "several-protections",
      app("")
        + "accounts: [{ upn: a@x.example, protection: q }]\nprotections: { p: { accounts: ['*@x.example'] }, q: {} }",
      not: app("")
        + "accounts: [{ upn: a@x.example, protection: p }]\nprotections: { p: { accounts: ['*@x.example'] } }"),
    Case(
      "no-browser", app("") + "protections: { p: { accounts: [a@x.example], webTransfer: managedBrowser } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], webTransfer: managedBrowser } }\n"
        + "browsers: { managed: { desktopId: b.desktop } }"),
    Case(
      "no-browser", app("") + "protections: { p: { accounts: [a@x.example], webTransfer: unmanagedBrowser } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], webTransfer: block } }"),
    Case(
      "messaging-any", app("") + "protections: { p: { accounts: [a@x.example], send: managed } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], send: managed, messaging: any } }"),
    Case(
      "messaging-any", app("") + "protections: { p: { accounts: [a@x.example], send: none } }",
      not: app("") + "protections: { p: { accounts: [a@x.example] } }"),
    // Where none is stated the author relies on none, and where files need not be encrypted none counts.
    Case(
      "no-escrow", app("") + "protections: { p: { accounts: [a@x.example], encryption: { by: envelope } } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], encrypt: true } }"),
    Case(
      "no-escrow", app("") + "protections: { p: { accounts: [a@x.example], encryption: { by: gocryptfs } } }",
      not: app("")
        + "protections: { p: { accounts: [a@x.example], encrypt: false, encryption: { by: gocryptfs } } }"),
    Case(
      "not-carried-out", app("") + "protections: { p: { accounts: [a@x.example], encryption: { by: volume } } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], encryption: { by: fscrypt } } }"),
    Case(
      "not-carried-out", app("") + "protections: { p: { accounts: [a@x.example], encryption: { by: volume } } }",
      not: app("") + "protections: { p: { accounts: [a@x.example] } }"),
    Case(
      "invalid-upn", app("") + "accounts: [{ upn: anna, protection: p }]\nprotections: { p: {} }",
      not: app("") + "accounts: [{ upn: a@x.example, protection: p }]\nprotections: { p: {} }"),
    Case(
      "setting-without-effect", app("") + "protections: { p: { accounts: [a@x.example], warn: [print] } }",
      not: app("") + "protections: { p: { accounts: [a@x.example], warn: [print], printing: block } }"),
    Case(
      "frames-not-judged", page("policy: currentIdentity, externalURLs: s"),
      not: page("policy: currentIdentity, externalURLs: s, subFrames: true")),
  ]

  @Test(arguments: cases) func isTold(_ lint: Case) throws {
    let told = try Self.codes(lint.told)
    #expect(told.contains(lint.code), "\(told)")
    #expect(try !Self.codes(lint.silent).contains(lint.code))
  }

  /// WV-15: of a class that follows the identity and has no rules, so that every page in it is internal (`noRules`).
  @Test func aClassWithoutRulesIsTold() throws {
    #expect(try Self.codes(Self.page("policy: currentIdentity")).contains("no-rules"))
    #expect(try Self.codes(Self.page("policy: currentIdentityBlockUpload")).contains("no-rules"))
    #expect(try !Self.codes(Self.page("policy: currentIdentity, externalURLs: s")).contains("no-rules"))
    #expect(try !Self.codes(Self.page("policy: unmanaged")).contains("no-rules"))
  }

  /// SL-05, SL-09: of rules that say which place their URLs are, and of whom nobody knows.
  @Test func thePlacesOfNobodyAndOfStrangersAreTold() throws {
    let policy = Self.page("policy: currentIdentity, externalURLs: s")
    func codes(_ rule: String) throws -> Set<String> {
      try Self.codes(policy, rules: "ruleSet: s\ndefault: external\nrules: [{ id: place, \(rule) }]")
        .intersection(["unknown-place-account", "place-without-account"])
    }
    #expect(try codes("internal: { host: a.example }, location: box") == ["place-without-account"])
    #expect(try codes("internal: { host: a.example }, location: other") == [])
    #expect(try codes("external: { host: a.example }, location: dropbox") == [])
    #expect(try codes("internal: { host: a.example }, location: box, account: own") == [])
    #expect(try codes("internal: { host: a.example }, location: box, account: ANNA@contoso.com") == [])
    #expect(
      try codes("internal: { host: a.example }, location: box, account: bob@contoso.com") == ["unknown-place-account"])
  }

  private static func codes(_ policy: String, rules: String = rules) throws -> Set<String> {
    let result = load(["policy.d/p.yaml": policy, "rules/s.yaml": rules])
    let loaded = try #require(result.policy, "\(result.diagnostics)")
    let sets = result.tests.map { LintedRules($0, at: LintTests.time, LintTests.suffixes) }
    let found = PolicyLint(loaded, sets, at: LintTests.time).findings.sorted + result.diagnostics.sorted
    return Set(found.map(\.code.rawValue))
  }
}
