import GuardModel
import PolicyEngine
import PolicyFiles
import Testing

/// What the keys of a protection come to, and every mistake in them with the text it is told by.
@Suite struct ProtectionSettingsTests {
  private static func load(_ text: String) -> LoadResult {
    PolicyFilesTests.load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"])
  }

  private static func problems(_ text: String) -> String {
    load(text).diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  @Test func everySettingIsRead() throws {
    let result = Self.load(
      """
      send: managedOsSharing, receive: managed, save: { allowed: false, exceptions: [box, localStorage] },
      open: { allowed: false, exceptions: [camera] }, managedApps: [org.gnome.TextEditor.desktop],
      printing: block, screenCapture: block, indexing: block, contacts: block, widgets: block, backup: block,
      assistants: block, automation: allow, writingTools: block, inputMethods: block, notifications: blockOrgData,
      inspection: { required: true }, encrypt: false
      """)
    #expect(result.diagnostics.description == "")
    let protection = try #require(result.policy?.protections.first)
    #expect(protection.send == .managedOsSharing)
    #expect(protection.receive == .managed)
    #expect(protection.save == LocationSettings(allowed: false, exceptions: LocationSet([.box, .localStorage])))
    #expect(protection.open == LocationSettings(allowed: false, exceptions: LocationSet([.camera])))
    #expect(protection.managedApps == [Array("org.gnome.TextEditor.desktop".utf8)])
    let permissions = [
      protection.printing, protection.screenCapture, protection.indexing, protection.contacts, protection.widgets,
      protection.backup, protection.assistants, protection.writingTools, protection.inputMethods,
    ]
    #expect(permissions == Array(repeating: .block, count: 9))
    #expect(protection.automation == .allow)
    #expect(protection.notifications == .blockOrgData)
    #expect(protection.requiresInspection)
    #expect(!protection.encrypt)
  }

  /// Each of the settings that are `allow` or `block` goes to its own place.
  @Test(arguments: [
    "printing", "screenCapture", "indexing", "contacts", "widgets", "backup", "assistants", "writingTools",
    "inputMethods",
  ])
  func eachPermissionIsItsOwn(_ key: String) throws {
    let protection = try #require(Self.load("\(key): block").policy?.protections.first)
    let blocked = [
      "printing": protection.printing, "screenCapture": protection.screenCapture, "indexing": protection.indexing,
      "contacts": protection.contacts, "widgets": protection.widgets, "backup": protection.backup,
      "assistants": protection.assistants, "writingTools": protection.writingTools,
      "inputMethods": protection.inputMethods,
    ].filter { $0.value == .block }.keys
    #expect(Array(blocked) == [key])
  }

  @Test func whatIsLeftOutIsTheSDKsDefault() throws {
    let protection = try #require(Self.load("").policy?.protections.first)
    #expect(protection.send == .any)
    #expect(protection.receive == .any)
    #expect(protection.save == LocationSettings(allowed: true, exceptions: []))
    #expect(protection.open == LocationSettings(allowed: true, exceptions: .openDefault))
    #expect(protection.notifications == .allow)
    #expect(protection.automation == nil)
    #expect(!protection.requiresInspection)
    #expect(protection.encrypt)
  }

  /// SD-07, FE-01: `encrypt` says whether, `encryption.by` how; a file from before both has the strictest of both.
  @Test(arguments: [
    ("", FileEncryption.envelope), ("encrypt: true", .envelope), ("encrypt: false", .none),
    ("encryption: { by: envelope }", .envelope), ("encryption: { by: fscrypt }", .fscrypt),
    ("encryption: { by: gocryptfs }", .gocryptfs), ("encryption: { by: volume }", .volume),
    ("encrypt: true, encryption: { by: volume }", .volume),
  ])
  func theWayToEncryptIsRead(_ text: String, _ expected: FileEncryption) throws {
    let result = Self.load(text)
    #expect(result.diagnostics.description == "")
    #expect(try #require(result.policy?.protections.first).fileEncryption == expected)
  }

  /// Every word of the setting is one that a file can have, and `none` is none of them: that is `encrypt: false`.
  @Test func eachWayHasItsWord() throws {
    #expect(FileEncryption.ways == FileEncryption.allCases.filter(\.isRequired))
    for way in FileEncryption.ways {
      let protection = try #require(Self.load("encryption: { by: \(way.rawValue) }").policy?.protections.first)
      #expect(protection.writtenValue(of: "encryption.by") == way.rawValue)
    }
  }

  /// A list that is left out keeps its default; one that is stated takes its place (OL-08, D-30).
  @Test func openExceptionsAreReplacedWhole() throws {
    let kept = try #require(Self.load("receive: managed, open: { allowed: false }").policy?.protections.first)
    #expect(kept.open == LocationSettings(allowed: false, exceptions: .openDefault))
    let emptied = try #require(
      Self.load("receive: managed, open: { allowed: false, exceptions: [] }").policy?.protections.first)
    #expect(emptied.open == LocationSettings(allowed: false, exceptions: []))
  }

  @Test(arguments: [
    YAMLCase(
      "printing: true, send: everywhere",
      "f:2:31: error: `true` is not one of `allow`, `block` [unknown-value]",
      "f:2:43: error: `everywhere` is not one of `any`, `none`, `managed`, `managedOsSharing`, `managedFiltered` "
        + "[unknown-value]"),
    YAMLCase(
      "save: { allowed: no, exceptions: sharePoint }",
      "f:2:38: error: expected true or false, found `no` [wrong-type]", "  hint: write true or false",
      "f:2:54: error: expected a list, found `sharePoint` [wrong-type]",
      "  hint: write `- ` in front of each item, or put them in `[...]`"),
    YAMLCase(
      "send: managed, save: { allowed: false, exceptions: [dropbox] }",
      "f:2:73: error: `dropbox` is not one of `oneDriveForBusiness`, `sharePoint`, `box`, `iManage`, `egnyte`, "
        + "`localStorage`, `photoLibrary` [unknown-value]"),
    YAMLCase(
      "managedApps: [org.gnome.TextEditor, \"a/b.desktop\", .desktop, \"x y.desktop\"]",
      "f:2:35: error: `org.gnome.TextEditor` is not the name of a desktop file [invalid-desktop-file]",
      "  hint: write it as in `org.gnome.TextEditor.desktop`; apps of the policy need not be listed",
      "f:2:57: error: `a/b.desktop` is not the name of a desktop file [invalid-desktop-file]",
      "  hint: write it as in `org.gnome.TextEditor.desktop`; apps of the policy need not be listed",
      "f:2:72: error: `.desktop` is not the name of a desktop file [invalid-desktop-file]",
      "  hint: write it as in `org.gnome.TextEditor.desktop`; apps of the policy need not be listed",
      "f:2:82: error: `x y.desktop` is not the name of a desktop file [invalid-desktop-file]",
      "  hint: write it as in `org.gnome.TextEditor.desktop`; apps of the policy need not be listed"),
    YAMLCase(
      "inspection: true, encrypt: required", "f:2:33: error: expected a mapping, found the boolean `true` [wrong-type]",
      "f:2:48: error: expected true or false, found `required` [wrong-type]"),
    YAMLCase(
      "encryption: volume, encrypt: yes", "f:2:33: error: expected a mapping, found `volume` [wrong-type]",
      "f:2:50: error: expected true or false, found `yes` [wrong-type]", "  hint: write true or false"),
    YAMLCase(
      "encryption: { by: luks, with: tpm }",
      "f:2:39: error: `luks` is not one of `envelope`, `fscrypt`, `gocryptfs`, `volume` [unknown-value]",
      "  hint: did you mean `volume`?", "f:2:45: error: unknown key `with` [unknown-key]", "  hint: known keys: `by`"),
    YAMLCase(
      "encryption: {}", "f:2:33: error: missing key `by` [missing-key]",
      "  hint: it takes one of `envelope`, `fscrypt`, `gocryptfs`, `volume`"),
    YAMLCase(
      "encryption: { by: none }",
      "f:2:39: error: `none` is not one of `envelope`, `fscrypt`, `gocryptfs`, `volume` [unknown-value]",
      "  hint: write `encrypt: false` where files need not be encrypted"),
    YAMLCase(
      "encrypt: false, encryption: { by: volume }",
      "f:2:51: warning: `encryption.by` changes nothing while `encrypt` is `false` (f:2:21) [setting-without-effect]",
      "  hint: write `encrypt: true`, or remove `encryption`"),
    YAMLCase(
      "inspection: { require: true }", "f:2:35: error: unknown key `require` [unknown-key]",
      "  hint: did you mean `required`?"),
    YAMLCase(
      "monitorOnly: {}, warn: [clipboardChanged]",
      "f:2:34: error: missing key `until` [missing-key]", "  hint: it takes a day or a time",
      "f:2:45: error: `clipboardChanged` is not one of `navigate`, `copy`, `paste`, `download`, `upload`, `save`, "
        + "`open`, `receive`, `share`, `print`, `capture`, `notify`, `openURL`, `exchange`, `index` [unknown-value]"),
  ])
  func mistakesAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(test.yaml) == test.printed)
  }
}
