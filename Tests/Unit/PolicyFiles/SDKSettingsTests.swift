import PolicyFiles
import TestSupport
import Testing

/// Whoever moves from the SDK finds each of its keys (ledger system SE).
@Suite struct SDKSettingsTests {
  static func page() throws -> String {
    let bytes = try SystemFiles().read("\(Repository.root)/docs/settings-of-the-sdk.md", limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// 33 rows of the ledger, one of which has two spellings; each in a row of the page.
  @Test func thePageNamesEveryKey() throws {
    let rows = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| SE-") }
    let numbers = rows.map { $0.split(separator: "|")[0].trimming }
    let expected: [String] = (1...33).map { number in number < 10 ? "SE-0\(number)" : "SE-\(number)" }
    #expect(numbers == expected)
    #expect(SDKSettings.dictionary.count == 34)
    for (key, here) in SDKSettings.dictionary {
      let named = rows.first { row in row.split(separator: "|")[1].contains("`\(key)`") }
      let row = try #require(named, "\(key)")
      let columns = row.split(separator: "|").map(\.trimming)
      #expect(columns.count == 4, "\(key)")
      #expect((columns[2] == "none") == (here == nil), "\(key)")
    }
  }

  /// The page and the hints say the same of the service's own names.
  @Test func thePageNamesTheServicesSettings() throws {
    let rows = try Self.page().split(separator: "\n")
    for (key, here) in SDKSettings.protection {
      #expect(rows.contains { $0.hasPrefix("| `\(key)` | `\(here)` |") }, "\(key)")
    }
  }

  @Test(arguments: SDKSettings.dictionary.map(\.key))
  func everyKeyHasAHintWhereverItIsWritten(_ key: String) {
    let files = [
      "apps: { x: { \"\(key)\": 1 } }", "apps: { x: {} }\n\"\(key)\": 1",
      "apps: { x: {} }\nprotections: { p: { \"\(key)\": 1 } }",
    ].map { ["policy.d/a.yaml": $0] }
    let settings = ["policy.d/a.yaml": "apps: { x: {} }", "webviewguard.yaml": "\"\(key)\": 1"]
    for files in files + [settings] {
      let found = load(files).diagnostics.sorted
      #expect(found.map(\.code) == [.unknownKey])
      #expect(found.first?.hint?.contains("here") == true)
    }
  }

  @Test(arguments: [
    ("apps: { x: { MultiManagedIdentities: true } }", "here it is `managedAccounts` of an app: `several` or `one`"),
    ("apps: { x: { SplashDuration: 2 } }", "it has no meaning here; `docs/settings-of-the-sdk.md` says why"),
    (
      "apps: { x: {} }\nIntuneMAMSettings: {}",
      "`docs/settings-of-the-sdk.md` says for each of its keys what to write here"
    ),
    ("apps: { x: {} }\nprotections: { p: { saveAsBlocked: true } }", "here it is `save.allowed`"),
  ])
  func keysOfTheSDKHaveOurs(_ yaml: String, _ hint: String) {
    #expect(load(["policy.d/a.yaml": yaml]).diagnostics.sorted.map(\.hint) == [hint])
  }

  /// CB-15: those of other platforms too.
  @Test(arguments: [
    ("send: allApps", "any"), ("send: managedApps", "managed"), ("receive: managedApps", "managed"),
    ("clipboard: { level: managedAppsWithPasteIn }", "managedWithPasteIn"),
    ("save: { exceptions: [oneDrive] }", "oneDriveForBusiness"), ("save: { exceptions: [localDrive] }", "localStorage"),
    ("open: { exceptions: [cameraRoll] }", "photoLibrary"), ("notifications: blockOrganizationalData", "blockOrgData"),
    ("webTransfer: notConfigured", "any"), ("printing: blocked", "block"),
    ("receive: allAppsWithIncomingOrgData", "anyTagOrg"),
    ("clipboard: { level: anyDestinationAnySource }", "any"),
    ("clipboard: { level: orgDestinationAnySource }", "managedWithPasteIn"),
    ("clipboard: { level: orgDestinationOrgSource }", "managed"),
  ])
  func valuesOfTheSDKHaveOurs(_ text: String, _ word: String) {
    let found = load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"]).diagnostics.sorted
    #expect(found.map(\.code) == [.unknownValue])
    #expect(found.map(\.hint) == ["did you mean `\(word)`?"])
  }
}

extension Substring {
  /// Without the spaces at both ends.
  fileprivate var trimming: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
