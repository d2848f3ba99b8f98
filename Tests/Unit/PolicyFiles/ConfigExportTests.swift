import GuardModel
import PolicyFiles
internal import PolicyTools
import Testing

/// App configuration for programs that cannot ask: the documented formats, and what is noted.
@Suite struct ConfigExportTests {
  private static func export(
    _ values: String, _ format: ConfigExportFormat, at place: String, names: [String] = []
  ) throws -> ConfigExport {
    let text = """
      apps: { x: {} }
      protections: { p: { accounts: ["*@contoso.com"] } }
      appConfig:
        - { name: base, app: x, default: true, values: { \(values) } }
        - { name: b, app: x, accounts: [a@contoso.com], values: { n: 2 } }
        - { name: c, app: x, accounts: ["*@contoso.com"], values: { n: 3 } }
      scrubKeys: [secret]
      """
    let policy = try #require(load(["policy.d/a.yaml": text]).policy)
    return ConfigExport(policy, app: "x", names: names, groups: [], as: format, at: place)
  }

  private static func text(_ export: ConfigExport) -> String { String(decoding: export.document, as: UTF8.self) }

  /// https://support.google.com/chrome/a/answer/9867568, `3rdparty`.
  @Test func chromiumHasThePolicyOfAnExtension() throws {
    let found = try Self.export(
      #"on: true, n: 1, f: 0.5, s: "a\"b", secret: t"#, .chromiumStorage, at: "abcdefghijklmnopabcdefghijklmnop")
    #expect(
      Self.text(found) == """
        {"3rdparty":{"extensions":{"abcdefghijklmnopabcdefghijklmnop":{"f":0.5,"n":1,"on":true,"s":"a\\"b","secret":"t"}}}}

        """)
    #expect(
      found.notes.map(\.line) == [
        "c/policy.d/a.yaml:4:5: note: `secret` stands in `scrubKeys`, and in the exported file: everybody who can read that "
          + "reads it [scrubbed]"
      ])
    #expect(!found.notes.contains { $0.code.isGap })
  }

  /// https://developer.mozilla.org/docs/Mozilla/Add-ons/WebExtensions/Native_manifests, managed storage manifests.
  @Test func firefoxHasAManifest() throws {
    let found = try Self.export("s: text", .firefoxStorage, at: "p@contoso.com", names: ["a@contoso.com"])
    #expect(
      Self.text(found) == """
        {"name":"p@contoso.com","description":"configuration by webviewguard","type":"storage","data":{"n":2,"s":"text"}}

        """)
    #expect(
      found.notes.map(\.line) == [
        "c/policy.d/a.yaml:5:5: note: `n` has several values: exported is that of `b`, and not those of `c` [conflict]"
      ])
  }

  @Test func dconfHasAKeyfileAndLocks() throws {
    let values = #"startPage: "it's \\\n\té", n: 1, big: 5000000000, f: -1.5, on: false, 2nd: 1, a_b: 1, aB: 2"#
    let found = try Self.export(values, .dconf, at: "/org/contoso/portal/")
    #expect(
      Self.text(found) == #"""
        [org/contoso/portal]
        big=int64 5000000000
        f=-1.5
        n=1
        on=false
        start-page='it\'s \\\n\té'

        """#)
    #expect(
      found.notes.map(\.message) == [
        "`2nd` is left out: GSettings has no such names",
        "`aB` is left out: it and `a_b` would be one key of GSettings",
        "`a_b` is left out: it and `aB` would be one key of GSettings",
      ])
    #expect(found.notes.allSatisfy { $0.code == .notExpressible && $0.code.isGap })
    let locks = try Self.export(values, .dconfLocks, at: "/org/contoso/portal/")
    #expect(
      Self.text(locks) == """
        /org/contoso/portal/big
        /org/contoso/portal/f
        /org/contoso/portal/n
        /org/contoso/portal/on
        /org/contoso/portal/start-page

        """)
  }

  @Test(arguments: [
    ("startPage", "start-page"), ("max_tabs.v2", "max-tabs-v2"), ("URL", "url"), ("homeURL", "home-url"), ("a", "a"),
    ("2nd", nil), ("a--b", nil), ("a-", nil), ("-a", nil), ("a:b", nil), ("A_B", "a-b"),
  ])
  func keysHaveNamesInGSettings(_ key: String, _ name: String?) {
    #expect(SettingsKey.name(for: key) == name)
  }

  @Test(arguments: [
    ("/org/contoso/portal/", true), ("/a/", true), ("/", false), ("//", false), ("org/contoso/", false),
    ("/org/contoso", false), ("/org//contoso/", false), ("/org/[x]/", false), ("/org/a\n/", false), ("", false),
  ])
  func pathsOfDconfAreKnown(_ path: String, _ isPath: Bool) {
    #expect(SettingsKey.isPath(path) == isPath)
  }
}
