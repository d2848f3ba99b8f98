import PolicyEngine
import PolicyFiles
import Testing

/// Settings that contradict each other, and settings that do nothing (ledger SL-12, OL-07, DT-06).
@Suite struct SettingConflictsTests {
  private static func problems(_ text: String) -> String {
    load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"])
      .diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  @Test(arguments: [
    YAMLCase(
      "send: none, save: { allowed: true }",
      "f:2:41: error: `save.allowed` is `true`, and `send` is `none` (f:2:21), which makes it `false` "
        + "[contradictory-settings]", "  hint: remove `save.allowed`, or write `send: managed`"),
    YAMLCase(
      "save: { allowed: false }",
      "f:2:29: error: `save.allowed` is `false`, and `send` is `any` by default, which makes it `true` "
        + "[contradictory-settings]", "  hint: remove `save.allowed`, or write `send: managed`"),
    YAMLCase(
      "save: { allowed: false, exceptions: [box] }, send: none",
      "f:2:45: error: `save.exceptions` is `[box]`, and `send` is `none` (f:2:66), which makes it `[]` "
        + "[contradictory-settings]", "  hint: remove `save.exceptions`, or write `send: managed`"),
    YAMLCase(
      "receive: anyTagOrg, open: { allowed: false }",
      "f:2:49: error: `open.allowed` is `false`, and `receive` is `anyTagOrg` (f:2:21), which makes it `true` "
        + "[contradictory-settings]", "  hint: remove `open.allowed`, or write `receive: managed`"),
    YAMLCase(
      "receive: none, open: { exceptions: [camera] }",
      "f:2:44: error: `open.exceptions` is `[camera]`, and `receive` is `none` (f:2:21), which makes it `[]` "
        + "[contradictory-settings]", "  hint: remove `open.exceptions`, or write `receive: managed`"),
    YAMLCase(
      "send: managed, save: { exceptions: [box, sharePoint] }",
      "f:2:44: error: `save.exceptions` lists places, and `save.allowed` is `true` by default, which allows all of them "
        + "[contradictory-settings]", "  hint: write `allowed: false` beside it, or remove `exceptions`"),
    YAMLCase(
      "receive: managed, open: { allowed: true, exceptions: [box] }",
      "f:2:62: error: `open.exceptions` lists places, and `open.allowed` is `true` (f:2:47), which allows all of them "
        + "[contradictory-settings]", "  hint: write `allowed: false` beside it, or remove `exceptions`"),
    YAMLCase(
      "send: managed, indexing: allow, assistants: allow",
      "f:2:36: error: `indexing` is `allow`, and `send` is `managed` (f:2:21), which makes it `block` "
        + "[contradictory-settings]", "  hint: remove `indexing`, or write `send: any`",
      "f:2:53: error: `assistants` is `allow`, and `send` is `managed` (f:2:21), which makes it `block` "
        + "[contradictory-settings]", "  hint: remove `assistants`, or write `send: any`"),
    YAMLCase(
      "telecommunication: none",
      "f:2:21: error: `telecommunication` is `none`, and `send` is `any` by default, which makes it `any` "
        + "[contradictory-settings]", "  hint: remove `telecommunication`, or write `send: managed`"),
    YAMLCase(
      "send: any, messaging: none",
      "f:2:32: error: `messaging` is `none`, and `send` is `any` (f:2:21), which makes it `any` "
        + "[contradictory-settings]", "  hint: remove `messaging`, or write `send: managed`"),
  ])
  func contradictionsNameBothPlaces(_ test: YAMLCase) {
    #expect(Self.problems(test.yaml) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "exemptSchemes: [skype], send: none",
      "f:2:21: warning: `exemptSchemes` changes nothing while `send` is `none` (f:2:45) [setting-without-effect]",
      "  hint: write `send: managed`, or remove it"),
    YAMLCase(
      "managedSchemes: [msteams]",
      "f:2:21: warning: `managedSchemes` changes nothing while `send` is `any` by default [setting-without-effect]",
      "  hint: write `send: managed`, or remove it"),
    YAMLCase(
      "managedApps: [a.desktop], receive: none",
      "f:2:21: warning: `managedApps` changes nothing while `send` is `any` by default and `receive` is `none` "
        + "(f:2:47) [setting-without-effect]",
      "  hint: write `send: managed` or `receive: managed`, or remove it"),
    YAMLCase(
      "clipboard: { exceptionLength: 5 }",
      "f:2:34: warning: `clipboard.exceptionLength` changes nothing while `clipboard.level` is `any` by default "
        + "[setting-without-effect]", "  hint: there is nothing to except from: state a `level`, or remove it"),
    YAMLCase(
      "clipboard: { level: managed, exceptionPerMinute: 5 }",
      "f:2:50: warning: `clipboard.exceptionPerMinute` changes nothing while `clipboard.exceptionLength` is `0` by "
        + "default [setting-without-effect]", "  hint: state an `exceptionLength`, or remove it"),
  ])
  func whatDoesNothingIsAWarning(_ test: YAMLCase) {
    #expect(Self.problems(test.yaml) == test.printed)
  }

  /// What is stated and in force is no contradiction, nor is what nobody stated.
  @Test(arguments: [
    "", "save: { allowed: true }", "open: { allowed: true, exceptions: [] }", "send: none, save: { allowed: false }",
    "send: none, save: { allowed: false, exceptions: [] }", "receive: none, open: { allowed: false, exceptions: [] }",
    "send: none, receive: none", "receive: none, open: { allowed: false }", "send: managed",
    "send: managed, indexing: block, assistants: block, automation: allow",
    "send: managed, telecommunication: none, messaging: none, exemptSchemes: [skype], managedSchemes: [x]",
    "receive: managed, managedApps: [a.desktop]", "send: managedFiltered, managedApps: [a.desktop]",
    "clipboard: { level: blocked, exceptionLength: 1, exceptionPerMinute: 5 }", "exemptSchemes: [], managedApps: []",
  ])
  func agreementIsSilent(_ text: String) {
    #expect(Self.problems(text) == "")
  }

  /// Every pair of `send` and `save`: what is stated is in force, or it is an error.
  @Test func nothingStatedIsOverruledInSilence() throws {
    var refused = 0
    for send in SendLevel.allCases {
      for receive in ReceiveLevel.allCases {
        for allowed in [true, false] {
          let levels = "send: \(send.rawValue), receive: \(receive.rawValue)"
          let places = "save: { allowed: \(allowed) }, open: { allowed: \(allowed), exceptions: [] }"
          let result = load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(levels), \(places) } }"])
          guard let protection = result.policy?.protections.first else {
            #expect(result.diagnostics.sorted.allSatisfy { $0.code == .contradictorySettings })
            refused += 1
            continue
          }
          let effective = EffectiveSettings(protection)
          #expect(effective.save.allowed == allowed)
          #expect(effective.open.allowed == allowed)
        }
      }
    }
    // Of 5 times 4 pairs: with `true` all but `none` (4 x 3 stay); with `false` three managed words and `none`, times
    // `managed` and `none` (4 x 2 stay).
    #expect(refused == 40 - 12 - 8)
  }

  /// What could not be read has its default only for want of a better one; the rest is told all the same.
  @Test(arguments: [
    ("send: nowhere, save: { allowed: false }", ["unknown-value"]),
    ("receive: [], open: { allowed: false }", ["wrong-type"]),
    ("send: *a, save: { allowed: false }", ["alias"]),
    ("save: { allowed: 0 }, send: none", ["wrong-type"]),
    ("send: none, save: { allowed: true, exceptions: [oneDrive] }", ["contradictory-settings", "unknown-value"]),
    (
      "send: none, printing: never, save: { allowed: true }, colour: red",
      ["unknown-value", "contradictory-settings", "unknown-key"]
    ),
    (
      "clipboard: { level: none, exceptionLength: 3 }, receive: none, open: { allowed: true }",
      ["unknown-value", "contradictory-settings"]
    ),
  ]) func unreadSettingsContradictNothing(_ text: String, _ codes: [String]) {
    let result = load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"])
    #expect(result.diagnostics.sorted.map(\.code.rawValue) == codes)
  }

  /// A second definition is an error of its own, and says nothing of the first one's settings.
  @Test func aSecondDefinitionContradictsNothing() {
    let result = load([
      "policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { send: none } }",
      "policy.d/b.yaml": "protections: { p: { save: { allowed: true } } }",
    ])
    #expect(result.diagnostics.sorted.map(\.code) == [.definedTwice])
  }

  @Test func oneAccountForTheAppIsOne() {
    let app = "apps: { x: { identityMode: single, managedAccounts: several, account: a@b } }"
    #expect(
      load(["policy.d/a.yaml": app]).diagnostics.description == """
        c/policy.d/a.yaml:1:36: error: `managedAccounts` is `several`, and `identityMode` is `single` \
        (c/policy.d/a.yaml:1:14): the app has one account [contradictory-settings]
          hint: remove `managedAccounts`, or write `identityMode: multi`
        """)
  }

  @Test(arguments: [("one", ManagedAccounts.one), ("several", .several)])
  func managedAccountsAreRead(_ word: String, _ value: ManagedAccounts) {
    #expect(
      load(["policy.d/a.yaml": "apps: { x: { identityMode: multi, managedAccounts: \(word) } }"]).policy?.apps.first?
        .managedAccounts
        == value)
    #expect(load(["policy.d/a.yaml": "apps: { x: {} }"]).policy?.apps.first?.managedAccounts == .one)
  }
}
