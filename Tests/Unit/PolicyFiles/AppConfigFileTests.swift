import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// `appConfig` and `scrubKeys` of a policy, and every mistake in them with the text it is told by.
@Suite struct AppConfigFileTests {
  private static let policy = """
    apps: { x: {}, y: {} }
    accounts: [{ upn: a@contoso.com, objectId: "4711", protection: p }]
    protections: { p: { accounts: ["*@fabrikam.example"] } }

    """

  private static func problems(_ text: String) -> String {
    load(["policy.d/a.yaml": policy + text]).diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  private static func entry(_ text: String) -> String { problems("appConfig: [{ name: n, app: x, \(text) }]") }

  @Test func entriesOfSeveralFilesAreOneList() throws {
    let result = load([
      "policy.d/a.yaml": Self.policy
        + "appConfig:\n- { name: pilot, app: x, accounts: [A@Contoso.com], values: { on: true, n: -1.50, s: \"5\" } }",
      "policy.d/b.yaml": "appConfig: [{ name: base, app: x, default: true, values: { on: false } }]\nscrubKeys: [s]",
    ])
    #expect(result.diagnostics.description == "")
    let directory = try #require(result.policy).snapshot(generation: 1, at: 0).appConfig
    #expect(directory.entries.map(\.name) == ["base", "pilot"])
    #expect(directory.entries.map(\.isDefault) == [true, false])
    #expect(directory.entries[1].targets == [.accounts("a@contoso.com")])
    #expect(
      directory.entries[1].values == [
        .init(key: "on", value: .bool(true)), .init(key: "n", value: .number(-1.5)),
        .init(key: "s", value: .string("5")),
      ])
    #expect(directory.entries.map(\.location) == ["c/policy.d/b.yaml:1:13", "c/policy.d/a.yaml:5:3"])
    #expect(directory.scrubKeys == ["s"])
  }

  @Test func aPolicyWithoutItHasNone() {
    #expect(load(["policy.d/a.yaml": Self.policy]).policy?.appConfig.entries.isEmpty == true)
  }

  @Test(arguments: [
    YAMLCase(
      "values: { k: 1 }",
      "f:4:13: error: the entry says neither whom it is for nor that it is the app's default [missing-key]",
      "  hint: write `default: true`, or name `accounts` or `groups`"),
    YAMLCase(
      "default: false, values: { k: 1 }",
      "f:4:13: error: the entry says neither whom it is for nor that it is the app's default [missing-key]",
      "  hint: write `default: true`, or name `accounts` or `groups`"),
    YAMLCase(
      "default: yes, values: { k: 1 }", "f:4:41: error: expected true or false, found `yes` [wrong-type]",
      "  hint: write true or false"),
    YAMLCase(
      "default: true, accounts: [a@contoso.com], groups: [g], values: { k: 1 }",
      "f:4:47: error: `accounts` may not stand beside `default: true` [conflicting-keys]",
      "  hint: write two entries: one for everybody, and one for these",
      "f:4:74: error: `groups` may not stand beside `default: true` [conflicting-keys]",
      "  hint: write two entries: one for everybody, and one for these",
      "f:4:83: warning: unknown group `g`; this speaks of nobody [unknown-group]",
      "  hint: make the group, and reload"),
    YAMLCase(
      "accounts: [], values: { k: 1 }", "f:4:42: error: expected at least 1 item, found none [out-of-range]"),
    YAMLCase(
      "accounts: [a@contosso.com, b@fabrikam.example, \"4711\", \"*@contoso.com\"], values: { k: 1 }",
      "f:4:43: error: unknown account `a@contosso.com` [unknown-reference]", "  hint: did you mean `a@contoso.com`?"),
    YAMLCase(
      "accounts: [\"*@other.example\", \"*x\"], values: { k: 1 }",
      "f:4:62: error: `*x` is not an account pattern [account-pattern]",
      "  hint: write one account, or `*@contoso.com` for every account of a domain"),
    YAMLCase(
      "accounts: [\"*@other.example\"], values: { k: 1 }",
      "f:4:43: error: unknown account `*@other.example` [unknown-reference]",
      "  hint: known: `*@fabrikam.example`, `4711`, `a@contoso.com`"),
    YAMLCase("default: true", "f:4:13: error: missing key `values` [missing-key]", "  hint: it takes a mapping"),
    YAMLCase(
      "default: true, values: {}", "f:4:55: error: there is no value [out-of-range]",
      "  hint: write at least one `key: value`"),
    YAMLCase(
      "default: true, value: { k: 1 }, values: { k: 1 }", "f:4:47: error: unknown key `value` [unknown-key]",
      "  hint: did you mean `values`?"),
  ])
  func entriesAreExplained(_ test: YAMLCase) {
    #expect(Self.entry(test.yaml) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "l: [s3cret], m: { a: s3cret }",
      "f:4:60: error: the value of `l` is neither a boolean, a number nor a string [wrong-type]",
      "  hint: apps read single values: write a list or a mapping as JSON text, in quotes",
      "f:4:73: error: the value of `m` is neither a boolean, a number nor a string [wrong-type]",
      "  hint: apps read single values: write a list or a mapping as JSON text, in quotes"),
    YAMLCase(
      "k: , t: True", "f:4:60: error: the value of `k` is missing [wrong-type]",
      "  hint: give it a value, or remove the key",
      "f:4:65: error: the value of `t` is a boolean in an unusual spelling [wrong-type]",
      "  hint: write true or false"),
    YAMLCase(
      "\"a b\": 1", "f:4:57: error: `a b` is not a name [invalid-name]",
      "  hint: a name is 1 to 128 ASCII letters, digits and punctuation marks, without spaces"),
    YAMLCase(
      "__IsDefault: true", "f:4:57: error: `__IsDefault` is the mark of a default, and no key [reserved-name]",
      "  hint: `default: true` beside `app` makes the entry the default"),
    YAMLCase(
      "k: \"s3cret\\e\"", "f:4:60: error: the value of `k` holds a control character [invalid-text]",
      "  hint: only tabs and line breaks may stand in it"),
  ])
  func valuesAreExplainedAndNotShown(_ test: YAMLCase) {
    let told = Self.entry("default: true, values: { \(test.yaml) }")
    #expect(told == test.printed)
    #expect(!told.contains("s3cret"))
  }

  @Test(arguments: ["010", "+1", "0x1F", ".5", "1.", ".inf", ".nan", "9007199254740992", "1e999", "0o7", "-"])
  func numbersThatNotEveryProgramReadsAlikeAreRefused(_ text: String) {
    let told = Self.entry("default: true, values: { k: \(text) }")
    #expect(told.contains("error: "), "\(told)")
    #expect(!told.contains("`\(text)`") || text == "-")
  }

  @Test(arguments: [
    ("0", 0.0), ("-0", 0), ("9007199254740991", 9_007_199_254_740_991), ("-2.25", -2.25), ("1e3", 1000),
    ("6.02E+23", 6.02e23), ("0.1", 0.1),
  ])
  func numbersAreReadAsJSONReadsThem(_ text: String, _ number: Double) throws {
    let entry = "appConfig: [{ name: n, app: x, default: true, values: { k: \(text) } }]"
    let policy = try #require(load(["policy.d/a.yaml": Self.policy + entry]).policy)
    #expect(policy.appConfig.entries[0].values[0].value == .number(number))
  }

  @Test func valuesHaveALimit() {
    let long = String(repeating: "a", count: 16_384)
    #expect(Self.entry("default: true, values: { k: \(long) }") == "")
    #expect(
      Self.entry("default: true, values: { k: \(long)a }") == """
        f:4:60: error: the value of `k` has 16385 bytes, and may have 16384 [out-of-range]
          hint: let the app fetch it from a place that the value names
        """)
    let many = (0..<16).map { "k\($0): \(long)" }.joined(separator: ", ")
    #expect(
      Self.entry("default: true, values: { \(many) }") == """
        f:4:21: error: the values of app `x` have more than 262144 bytes from here on [out-of-range]
          hint: let the app fetch large data from a place that a value names
        """)
  }

  @Test func namesAndDefaultsAreUniqueOverAllFiles() {
    let result = load([
      "policy.d/a.yaml": Self.policy + """
        appConfig:
          - { name: n, app: x, default: true, values: { k: 1 } }
          - { name: m, app: y, default: true, values: { k: 1 } }
        """,
      "policy.d/b.yaml": """
      appConfig:
        - { name: n, app: x, accounts: ["4711"], values: { k: 2 } }
        - { name: o, app: x, default: true, values: { k: 3 } }
        - { name: p, app: z, default: true, values: { k: 3 } }
      """,
    ])
    #expect(
      result.diagnostics.description.replacing("c/policy.d/", with: "") == """
        b.yaml:2:13: error: app configuration `n` is defined already at a.yaml:5:13 [defined-twice]
          hint: keep one of the two
        b.yaml:3:13: error: app `x` has a default already at a.yaml:5:13 [defined-twice]
          hint: put all default values into one entry
        b.yaml:4:21: error: unknown app `z` [unknown-reference]
          hint: known: `x`, `y`
        """)
  }

  /// Any account of a member is bound then.
  @Test func aProtectionOfAGroupKnowsEveryAccount() {
    let policy = """
      apps: { x: { identityMode: multi } }
      protections: { p: { accounts: [{ group: staff }] } }
      appConfig: [{ name: n, app: x, accounts: [who@ever.example], values: { k: 1 } }]
      """
    #expect(load(["policy.d/a.yaml": policy]).diagnostics.description == "")
  }

  // MARK: What `check` and `diff` say

  private static func findings(_ text: String) throws -> [String] {
    let result = load(["policy.d/a.yaml": policy + text])
    let policy = try #require(result.policy)
    let codes: Set<Diagnostic.Code> = [.configConflict, .mixedConfigTypes, .unusedScrubKey]
    return PolicyLint(policy, [], at: 0).findings.sorted.filter { codes.contains($0.code) }.map { finding in
      finding.description.replacing("c/policy.d/a.yaml", with: "f")
    }
  }

  @Test(arguments: [
    ("accounts: [a@contoso.com]", "accounts: [\"4711\"]", "both reach `4711`"),
    ("accounts: [\"*@fabrikam.example\"]", "accounts: [b@fabrikam.example]", "both reach `b@fabrikam.example`"),
    ("accounts: [b@fabrikam.example]", "accounts: [\"*@fabrikam.example\"]", "both reach `b@fabrikam.example`"),
    ("groups: [staff]", "groups: [staff]", "both reach `group: staff`"),
    (
      "groups: [staff]", "accounts: [a@contoso.com]", "an account of a member of the group may be reached by both"
    ),
  ])
  func conflictsAreTold(_ one: String, _ other: String, _ reach: String) throws {
    let text = """
      appConfig:
        - { name: a, app: x, \(one), values: { k: 1, same: true } }
        - { name: b, app: x, \(other), values: { k: 2, same: true } }
        - { name: c, app: y, \(other), values: { k: 3 } }
        - { name: d, app: x, default: true, values: { k: 4 } }
      """
    #expect(
      try Self.findings(text) == [
        """
        f:6:5: info: `a` (f:5:5) and `b` give `k` different values, and \(reach): an app that asks for any value gets \
        that of `a` [config-conflict]
          hint: give both the same value, unless the app takes the smallest or the largest
        """
      ])
  }

  @Test func accountsThatShareNothingAreNoConflict() throws {
    let text = """
      appConfig:
        - { name: a, app: x, accounts: [a@contoso.com], values: { k: 1 } }
        - { name: b, app: x, accounts: ["*@fabrikam.example"], values: { k: 2 } }
      """
    #expect(try Self.findings(text) == [])
  }

  @Test func mixedTypesAndUnusedScrubKeysAreTold() throws {
    let text = """
      scrubKeys: [tokn, k]
      appConfig:
        - { name: a, app: x, default: true, values: { k: 1, token: t } }
        - { name: b, app: x, accounts: [a@contoso.com], values: { k: "1" } }
        - { name: c, app: y, accounts: [a@contoso.com], values: { k: true } }
      """
    #expect(
      try Self.findings(text) == [
        """
        f:4:1: warning: no entry of `appConfig` has the key `tokn`, so nothing is scrubbed by it [unused-scrub-key]
          hint: did you mean `token`?
        """,
        """
        f:7:5: warning: `k` of app `x` is a string here, and a number in `a` (f:6:5): an app that asks for one does not \
        see the other [mixed-config-types]
          hint: write the type that the app asks for; quotes make a string
        """,
      ])
  }

  @Test func differencesAreToldWithoutScrubbedValues() throws {
    func side(_ text: String) throws -> ComparedConfiguration {
      let names = ComparedNames(FixedNames())
      return try #require(
        ComparedConfiguration(load(["policy.d/a.yaml": Self.policy + text]), names, root: "c"))
    }
    let old = try side(
      """
      appConfig: [{ name: a, app: x, default: true, values: { k: 1, a.b: "1", token: s3cret, pin: s3cret, z: true } }]
      scrubKeys: [token]
      """)
    let new = try side(
      """
      appConfig: [{ name: a, app: x, accounts: ["4711"], values: { k: 1.0, a.b: 1, token: s3cret2, pin: s3cret } }]
      scrubKeys: [pin, token]
      """)
    let found = ConfigurationComparison.differences(old, new).map { "\($0.kind) \($0.name) \($0.key): \($0.change)" }
    #expect(
      found == [
        "appConfig a default: true -> false (default)", "appConfig a accounts: [] (default) -> [4711]",
        "appConfig a values.a.b: \"1\" -> 1", "appConfig a values.token: (scrubbed) -> (scrubbed, another value)",
        "appConfig a values.z: true -> nothing (default)", "policy  scrubKeys: [token] -> [pin, token]",
      ])
    #expect(!"\(ConfigurationComparison.differences(old, new))".contains("s3cret"))
  }
}

/// The step `config` of a policy test.
@Suite struct ConfigTestStepTests {
  private static func failures(_ steps: String) throws -> [String?] {
    let text = """
      apps: { x: { peers: [{ uid: 1 }], identityMode: multi } }
      protections: { p: { accounts: ["*@contoso.com"] } }
      appConfig:
        - { name: d, app: x, default: true, values: { n: 9, theme: grey } }
        - { name: b, app: x, accounts: ["*@contoso.com"], values: { n: 3, on: true, pin: s3cret } }
        - { name: a, app: x, accounts: [a@contoso.com], values: { n: 1, on: false } }
      scrubKeys: [pin]
      tests: [{ steps: [\(steps)] }]
      """
    let result = load(["policy.d/a.yaml": text])
    #expect(result.diagnostics.sorted.filter { $0.severity == .error } == [])
    let policy = try #require(result.policy)
    return PolicyTestRunner(policy).run(try #require(policy.tests.first)).steps.map(\.failure)
  }

  @Test(arguments: [
    ("key: n, any: 1, min: 1, max: 3, all: [1, 3], conflict: true", nil),
    ("key: on, any: false, or: true, and: false, all: [false, true]", nil),
    ("key: theme, any: grey, conflict: false", nil), ("key: none, all: [], conflict: false", nil),
    ("key: n, any: 3, max: 4", "expected `any` 3, got 1, expected `max` 4, got 3"),
    ("key: n, any: \"1\"", "expected `any` `1`, got no value"),
    ("key: n, all: [3, 1], conflict: false", "expected `all` [3, 1], got [1, 3], expected no conflict, got one"),
    ("key: on, and: true, or: false", "expected `or` false, got true, expected `and` true, got false"),
    ("key: pin, any: other", "expected `any` (scrubbed), got (scrubbed)"),
    ("key: theme, conflict: true", "expected a conflict, got none"),
  ])
  func valuesAreComparedAndSecretsNotShown(_ step: String, _ failure: String?) throws {
    let found = try Self.failures("{ config: { account: a@contoso.com, \(step) } }")
    #expect(found == [failure])
  }

  @Test func anAccountThatIsNotKnownIsRefused() throws {
    let policy =
      "{ config: { account: me@home.example, key: n, all: [] } }, { config: { account: nobody, key: n, all: [] } }"
    #expect(try Self.failures(policy) == [nil, "expected values, got the error `UnknownAccount`"])
  }
}
