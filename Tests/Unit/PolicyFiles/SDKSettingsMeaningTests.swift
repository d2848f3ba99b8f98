import GuardModel
import PolicyEngine
import PolicyFiles
import Testing

/// What each key of the SDK's settings dictionary becomes here; each case names its row of the ledger's system SE.
@Suite struct SDKSettingsMeaningTests {
  /// A row, what somebody who moves writes in place of its key, what no value of it may be, and what it then does.
  struct Meaning: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: String
    let text: String
    let wrong: String
    let isRead: @Sendable (App, DaemonSettings) -> Bool

    init(
      _ row: String, app text: String, wrong: String, _ isRead: @escaping @Sendable (App, DaemonSettings) -> Bool
    ) {
      testDescription = row
      file = "policy.d/a.yaml"
      (self.text, self.wrong, self.isRead) = ("apps: { x: { \(text) } }", "apps: { x: { \(wrong) } }", isRead)
    }

    init(
      _ row: String, settings text: String, wrong: String,
      _ isRead: @escaping @Sendable (App, DaemonSettings) -> Bool
    ) {
      testDescription = row
      file = "webviewguard.yaml"
      (self.text, self.wrong, self.isRead) = (text, wrong, isRead)
    }
  }

  static let meanings: [Meaning] = [
    Meaning(
      "SE-01 TreatAllWebViewsAsUnmanaged", app: "treatAllWebViewsAsUnmanaged: true",
      wrong: "treatAllWebViewsAsUnmanaged: YES"
    ) { app, _ in app.treatAllWebViewsAsUnmanaged },
    Meaning(
      "SE-02 WebViewHandledURLSchemes", app: "handledSchemes: [Contoso, msauth.com.contoso]",
      wrong: "handledSchemes: [https]"
    ) { app, _ in app.handledSchemes == ["contoso", "msauth.com.contoso"].map { Array($0.utf8) } },
    Meaning(
      "SE-03 SafariViewControllerBlockedOverride", app: "authViewersUnprotected: true",
      wrong: "authViewersUnprotected: [x]"
    ) { app, _ in app.authViewersUnprotected },
    Meaning("SE-04 MultiIdentity", app: "identityMode: multi", wrong: "identityMode: true") { app, _ in
      app.identityMode == .multi
    },
    Meaning(
      "SE-05 MultiManagedIdentities", app: "identityMode: multi, managedAccounts: several", wrong: "managedAccounts: 2"
    ) { app, _ in
      app.managedAccounts == .several
    },
    Meaning(
      "SE-06 AutoEnrollOnLaunch", app: "identityMode: multi, accounts: { source: [user, broker] }",
      wrong: "accounts: { source: [launch] }"
    ) { app, _ in app.accounts.sources == [.user, .broker] },
    Meaning("SE-07 MAMPolicyRequired", settings: "policyRequired: true", wrong: "policyRequired: YES") { _, settings in
      settings.policyRequired
    },
    Meaning("SE-08 MAMPolicyWarnAbsent", settings: "policyRequired: false", wrong: "policyRequired: warn") {
      _, settings in !settings.policyRequired
    },
    Meaning("SE-10 AppGroupIdentifiers", app: "peers: [{ group: staff }]", wrong: "peers: [group.contoso]") { app, _ in
      app.peers == [PeerRule(group: 50)]
    },
    Meaning(
      "SE-11 ContainingAppBundleId", app: "peers: [{ unit: contoso-helper.service }]", wrong: "peers: [{ unit: \"\" }]"
    ) { app, _ in app.peers == [PeerRule(unit: "contoso-helper.service")] },
    Meaning(
      "SE-15 ValuesToScrubFromLogging", settings: "log: { redaction: { path: drop } }",
      wrong: "log: { redaction: { path: [secret] } }"
    ) { _, settings in settings.log.redaction.path == .drop },
    Meaning(
      "SE-16 VerboseLoggingEnabled", settings: "log: { accounts: plain, redaction: { query: keep } }",
      wrong: "log: { accounts: verbose }"
    ) { _, settings in settings.log.accounts == .plain && settings.log.redaction.query == .keep },
  ]

  @Test(arguments: meanings)
  func whatHasAMeaningIsReadAndChecked(_ meaning: Meaning) throws {
    var files = ["policy.d/a.yaml": "apps: { x: {} }", "webviewguard.yaml": "graceSeconds: 60"]
    let without = load(files)
    files[meaning.file] = meaning.text
    let read = load(files)
    #expect(!read.diagnostics.hasErrors, "\(read.diagnostics)")
    #expect(meaning.isRead(try #require(read.policy?.apps.first), try #require(read.settings)))
    // Where the key's value is what holds anyway, being read shows in nothing else.
    if !meaning.testDescription.hasPrefix("SE-07") {
      #expect(!meaning.isRead(try #require(without.policy?.apps.first), try #require(without.settings)))
    }
    files[meaning.file] = meaning.wrong
    let refused = load(files).diagnostics.sorted
    #expect(refused.first?.location.description.hasPrefix("c/\(meaning.file):1:") == true)
    #expect(load(files).diagnostics.hasErrors)
  }

  /// Keys without a meaning: whoever writes one is told so, and where the reason stands.
  @Test(arguments: [
    "SE-09 DebugSettingsEnabled", "SE-12 OpenInActionExtension",
    "SE-13 MaxFileProtectionLevel", "SE-14 DocumentBrowserFileCachePath", "SE-17 FinishLaunchingAtStartup",
    "SE-18 ADALClientId", "SE-19 ADALAuthority", "SE-20 ADALRedirectUri", "SE-21 ADALRedirectScheme",
    "SE-22 ADALLogOverrideDisabled", "SE-23 ADALCacheKeychainGroupOverride", "SE-24 MAMTelemetryDisabled",
    "SE-25 MAMTelemetryUsePPE", "SE-26 SplashIconFile", "SE-26 SplashIconFile~ipad", "SE-27 SplashDuration",
    "SE-28 BackgroundColor", "SE-29 ForegroundColor", "SE-30 AccentColor", "SE-31 SecondaryBackgroundColor",
    "SE-32 SecondaryForegroundColor", "SE-33 SupportsDarkMode",
  ])
  func whatHasNoneIsRefusedWithTheReason(_ row: String) throws {
    let words = row.split(separator: " ").map(String.init)
    let found = load(["policy.d/a.yaml": "apps: { x: { \"\(words[1])\": true } }"])
    #expect(found.policy == nil)
    #expect(found.diagnostics.sorted.map(\.code) == [.unknownKey])
    #expect(
      found.diagnostics.sorted.first?.hint == "it has no meaning here; `docs/settings-of-the-sdk.md` says why")
    let page = try SDKSettingsTests.page().split(separator: "\n").filter { $0.contains("`\(words[1])`") }
    #expect(page.map { $0.hasPrefix("| \(words[0]) | `") && $0.contains("| none |") } == [true])
  }
}
