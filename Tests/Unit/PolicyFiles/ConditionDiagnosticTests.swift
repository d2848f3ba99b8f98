import PolicyEngine
import PolicyFiles
import Testing

/// `conditionalLaunch` in files: its meaning, and every mistake with the text it is told by. Ledger CD-01 to CD-03.
@Suite struct ConditionDiagnosticTests {
  private static func policy(_ text: String) -> [String: String] {
    ["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"]
  }

  private static func problems(_ condition: String, more: String = "") -> String {
    load(policy("conditionalLaunch: [{ \(condition) }]\(more)"))
      .diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  @Test(arguments: [
    ("check: osVersion, operator: atLeast, value: 12", "osVersion atLeast 12: block"),
    // Written plain, `12.10` is a version here, and no number.
    ("check: osVersion, operator: atLeast, value: 12.10", "osVersion atLeast 12.10: block"),
    ("check: kernelVersion, operator: greater, value: \"6.1.0\", action: warn", "kernelVersion greater 6.1.0: warn"),
    (
      "check: osName, operator: equals, value: debian, action: wipe, grace: 30d", "osName equals debian: wipe after 30d"
    ),
    ("check: osName, operator: equals, value: 7", "osName equals 7: block"),
    ("check: diskEncrypted, operator: equals, value: true, grace: 36h", "diskEncrypted equals true: block after 36h"),
    ("check: policyAge, operator: atMost, value: 72, grace: 90s", "policyAge atMost 72: block after 90s"),
    ("check: Antivirus, operator: notEquals, value: \"off\"", "Antivirus notEquals off: block"),
    ("check: Bios, operator: less, value: \"1.24\", grace: 0s", "Bios less 1.24: block"),
    ("check: Load, operator: less, value: 0.5, grace: 1500ms", "Load less 0.5: block after 1500ms"),
  ])
  func aConditionIsRead(_ text: String, _ written: String) throws {
    let loaded = load(Self.policy("conditionalLaunch: [{ \(text) }]"))
    #expect(loaded.diagnostics.description == "")
    let conditions = try #require(loaded.policy?.protections.first?.conditions)
    #expect(conditions.map(\.written) == [written] && conditions[0].location.contains("a.yaml:2:"))
  }

  @Test func silenceHasItsTime() throws {
    let text = "conditionalLaunch: [{ check: a, operator: equals, value: 1 }]"
    #expect(try #require(load(Self.policy(text)).policy).protections[0].notCheckedAfter == 86_400_000)
    #expect(try #require(load(Self.policy(text + ", notCheckedAfter: 0s")).policy).protections[0].notCheckedAfter == 0)
    let longest = load(Self.policy(text + ", notCheckedAfter: 90d"))
    #expect(longest.policy?.protections[0].notCheckedAfter == 90 * 86_400_000)
    let alone = load(Self.policy("notCheckedAfter: 1h")).diagnostics.description
    #expect(
      alone.contains("warning: `notCheckedAfter` changes nothing without `conditionalLaunch` [setting-without-effect]"))
  }

  @Test(arguments: [
    ("operator: equals, value: 1", "error: missing key `check`"),
    ("check: a, value: 1", "error: missing key `operator`"),
    ("check: a, operator: equals", "error: missing key `value`"),
    ("check: a, operator: atleast, value: 1", "error: `atleast` is not one of"),
    ("check: a, operator: equals, value: [1]", "error: expected true, false, a number or a text"),
    ("check: a, operator: equals, value: null", "error: expected true, false, a number or a text"),
    ("check: \"a b\", operator: equals, value: 1", "error: `a b` is not the name of a fact [invalid-name]"),
    (
      "check: diskencrypted, operator: equals, value: true",
      "error: `diskencrypted` is written `diskEncrypted` [invalid-name]"
    ),
    (
      "check: a, operator: atLeast, value: true",
      "error: `atLeast` compares numbers and versions, and the value is `true` [contradictory-settings]"
    ),
    ("check: a, operator: less, value: b", "error: `less` compares numbers and versions, and the value is `b`"),
    (
      "check: osName, operator: greater, value: 7",
      "error: `greater` compares numbers and versions, and the value is `7`"
    ),
    (
      "check: diskEncrypted, operator: equals, value: 1",
      "error: `diskEncrypted` is true or false, and `1` is not [wrong-type]"
    ),
    (
      "check: diskEncrypted, operator: equals, value: \"true\"",
      "error: `diskEncrypted` is true or false, and `true` is not"
    ),
    ("check: policyAge, operator: atMost, value: 3d", "error: `policyAge` is a number, and `3d` is not"),
    ("check: osVersion, operator: atLeast, value: bookworm", "error: `osVersion` is a version, and `bookworm` is not"),
    ("check: osVersion, operator: atLeast, value: \"1.\"", "error: `osVersion` is a version, and `1.` is not"),
    ("check: osVersion, operator: atLeast, value: -1", "error: `osVersion` is a version, and `-1` is not"),
    ("check: a, operator: equals, value: 1, action: allow", "error: `allow` is not one of `warn`, `block`, `wipe`"),
    ("check: a, operator: equals, value: 1, grace: 366d", "error: expected a duration from"),
    ("check: a, operator: equals, value: 1, grace: 5", "error: expected a duration from"),
    ("check: a, operator: equals, value: 1, message: \"\"", "error: the string may not be empty"),
    ("check: a, operator: equals, value: 1, since: 1", "error: unknown key `since`"),
    (
      "check: appVersion, operator: atLeast, value: 2, action: wipe",
      "error: `appVersion` is the word of the program itself, and nothing is destroyed by such a word [contradictory-settings]"
    ),
    (
      "check: clientVersion, operator: atLeast, value: 2, grace: 1d",
      "warning: `grace` changes nothing for `clientVersion`, which does not change while the program runs"
    ),
    (
      "check: a, operator: equals, value: 1, action: warn, grace: 1d",
      "warning: `grace` changes nothing for `action: warn` [setting-without-effect]"
    ),
  ])
  func aMistakeIsExplained(_ condition: String, _ words: String) {
    let problems = Self.problems(condition)
    #expect(problems.contains(words), "\(problems)")
    #expect(problems.contains("f:2:"), "it says where")
  }

  /// All mistakes are told at once, and a condition that is wrong takes none of the others with it.
  @Test func allMistakesAreToldAtOnce() {
    let text = Self.problems(
      "check: \"\", operator: is, value: [], action: no, grace: x", more: ", notCheckedAfter: 91d")
    for word in ["check", "operator", "value", "action", "grace"] where word != "check" {
      #expect(text.contains("error:"), "\(word)")
    }
    #expect(text.split(separator: "\n").filter { $0.contains("error:") }.count == 6, "\(text)")
  }
}
