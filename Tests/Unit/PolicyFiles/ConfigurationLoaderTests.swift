import GuardModel
import PolicyEngine
import PolicyFiles
import TestSupport
import Testing
import URLRules

@Suite struct ConfigurationLoaderTests {
  @Test func loadsWholeConfiguration() throws {
    let result = load(GoodConfiguration.files)
    #expect(result.diagnostics.description == "")
    #expect(
      result.files == [
        "c/policy.d/contoso.yaml", "c/rules/common/sign-in.yaml", "c/rules/contoso-documents.yaml",
        "c/webviewguard.yaml",
      ])
    #expect(result.tests.map(\.ruleSet.name) == ["contoso-documents"])
    let snapshot = try #require(result.policy).snapshot(generation: 7, at: 0)
    #expect(snapshot.generation == Generation(number: 7, digest: result.digest))
    #expect(snapshot.policyRequired)
    #expect(snapshot.hasPolicy)
  }

  @Test func fillsAppFromPolicy() throws {
    let app = try #require(load(GoodConfiguration.files).policy?.apps.first)
    #expect(app.name == "com.contoso.portal")
    #expect(
      app.peers == [PeerRule(group: 50), PeerRule(unit: "contoso-kiosk.service"), PeerRule(uid: 990)])
    #expect(app.identityMode == .multi)
    #expect(app.account == nil)
    #expect(app.untilIdentity == .block)
    #expect(app.handledSchemes == [Array("contoso-portal".utf8)])
    #expect(app.popups == .block)
    #expect(app.record == .notAllowed)
    #expect(app.location == "c/policy.d/contoso.yaml:2:3")
    let documents = try #require(app.classes.first)
    #expect(documents.policy == .currentIdentity)
    #expect(documents.ruleSet == 0)
    #expect(documents.rulesApply == .always)
    #expect(documents.subFrames)
    #expect(app.classes.map(\.name) == ["documents", "news"])
  }

  @Test func fillsProtectionsAccountsBrowsersAndLinks() throws {
    let policy = try #require(load(GoodConfiguration.files).policy)
    let protection = try #require(policy.protections.first)
    #expect(protection.accountPatterns == ["*@contoso.com"])
    #expect(protection.groups == [51])
    #expect(protection.webTransfer == .managedBrowser)
    #expect(protection.clipboard.level == .managedWithPasteIn)
    #expect(protection.clipboard.exceptionLength == 12)
    #expect(protection.clipboard.exceptionPerMinute == 60)
    #expect(protection.clipboard.replacement == "no")
    #expect(protection.send == .managed)
    #expect(protection.telecommunication == .none)
    #expect(protection.exemptSchemes == [Array("skype".utf8)])
    #expect(policy.accounts.entry(named: "work@contoso.com") == 0)
    #expect(policy.accounts.entries.map(\.protection) == [0, nil])
    #expect(policy.accounts.entries.map(\.state) == [.active, .blocked])
    #expect(policy.browsers.managed?.app == "com.contoso.portal")
    #expect(policy.browsers.managed?.program.template == "microsoft-edge:{url}")
    #expect(policy.browsers.unmanaged?.scheme == "mybrowser")
    #expect(policy.links.exempt.rules.rules.map(\.id) == ["maps"])
    #expect(policy.links.managed.rules.rules.map(\.id) == ["managed-1"])
    #expect(policy.links.managed.programs.map(\.command) == [["teams", "--open={url}"]])
  }

  @Test func ruleFileErrorKeepsSettings() throws {
    var files = GoodConfiguration.files
    files["webviewguard.yaml"] = "graceSeconds: 5"
    files["rules/contoso-documents.yaml"] = "ruleSet: contoso-documents\ndefault: external\nrules: [{ id: a }]"
    let result = load(files)
    #expect(result.policy == nil)
    #expect(result.settings?.graceSeconds == 5)
  }

  @Test func brokenSettingsAreNotReplacedByDefaults() {
    #expect(load(["webviewguard.yaml": "policyRequired: yes"]).settings == nil)
    #expect(load(["policy.d/a.yaml": "{}"]).settings == DaemonSettings())
  }

  /// Several mistakes in several files come at once, by file and line, and none of them twice.
  @Test func tellsEverythingAtOnce() {
    let result = load([
      "webviewguard.yaml": "graceSeconds: -1\nlog: { durability: fast }",
      "policy.d/a.yaml": "apps:\n  x: { classes: { d: { externalURLs: contoso } } }\n  y: { popup: block }",
      "policy.d/b.yaml": "apps:\n  x: {}\nbrowsers: { managed: { app: z } }",
      "rules/c.yaml": "ruleSet: contos\ndefault: extern\nrules:\n  - { id: a, internal: { domain: \"*.a.example\" } }",
    ])
    #expect(result.policy == nil)
    #expect(
      result.diagnostics.description == """
        c/policy.d/a.yaml:2:38: error: unknown rule set `contoso` [unknown-reference]
          hint: did you mean `contos`?
        c/policy.d/a.yaml:3:8: error: unknown key `popup` [unknown-key]
          hint: did you mean `popups`?
        c/policy.d/b.yaml:2:3: error: app `x` is defined already at c/policy.d/a.yaml:2:3 [defined-twice]
          hint: keep one of the two
        c/policy.d/b.yaml:3:29: error: unknown app `z` [unknown-reference]
          hint: known: `x`, `y`
        c/rules/c.yaml:2:10: error: `extern` is not one of `internal`, `external` [unknown-value]
          hint: did you mean `external`?
        c/rules/c.yaml:4:34: error: `domain` takes no wildcards [invalid-host]
          hint: `domain` takes the sub-domains already: write `a.example`
        c/webviewguard.yaml:1:15: error: expected a whole number from 0 to 86400, found `-1` [out-of-range]
        c/webviewguard.yaml:2:20: error: `fast` is not one of `written`, `synced` [unknown-value]
        """)
  }

  /// A file that cannot be read may hold the name that is missed.
  @Test func unreadableFileCausesNoUnknownReferences() {
    let result = load([
      "policy.d/a.yaml": "apps:\n  x: { classes: { d: { externalURLs: contoso } } }",
      "rules/c.yaml": "ruleSet: \"contoso",
    ])
    #expect(result.diagnostics.sorted.map(\.code) == [.unclosedQuote])
  }
}
