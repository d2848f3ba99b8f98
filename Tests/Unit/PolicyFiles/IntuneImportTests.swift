import GuardModel
import JSONText
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// App protection policies of Intune as protections: what is taken, what becomes stricter, and what is told.
@Suite struct IntuneImportTests {
  private static func policy(_ members: String, kind: String = "iosManagedAppProtection") throws -> IntunePolicy {
    let text = ##"{"@odata.type":"#microsoft.graph.\##(kind)","displayName":"Contoso – iOS, level 2""##
    let tree = try JSONTree(parsing: text + (members.isEmpty ? "" : "," + members) + "}")
    return try #require(IntunePolicy(tree))
  }

  /// The protection that comes of it, by the loader; it has to load without an error.
  private static func protection(_ policy: IntunePolicy) throws -> Protection {
    let result = load([
      "policy.d/app.yaml":
        "apps: { x: { peers: [{ sameUser: true }] } }\nbrowsers: { managed: { desktopId: e.desktop } }\n",
      "policy.d/imported.yaml": policy.protection(accounts: ["*@contoso.com"]),
    ])
    #expect(!result.diagnostics.hasErrors, "\(result.diagnostics.description)\n\(policy.protection(accounts: []))")
    return try #require(result.policy?.protections.first)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let members: String
    let fates: [ImportFinding.Fate]
    /// A line of the protection, without its comment; nil when there is none.
    let line: String?

    init(_ members: String, _ fates: ImportFinding.Fate..., line: String?) {
      (self.members, self.fates, self.line) = (members, fates, line)
    }

    var testDescription: String { members }
  }

  @Test(
    "each setting becomes its equal, or a stricter one, or is told",
    arguments: [
      Case(#""allowedInboundDataTransferSources":"managedApps""#, .taken, line: "receive: managed"),
      Case(#""allowedInboundDataTransferSources":"newWord""#, .stricter, line: "receive: none"),
      Case(
        #""allowedInboundDataTransferSources":"allApps","protectInboundDataFromUnknownSources":true"#, .taken, .taken,
        line: "receive: anyTagOrg"),
      Case(
        #""allowedInboundDataTransferSources":"none","protectInboundDataFromUnknownSources":true"#, .taken, .off,
        line: "receive: none"),
      Case(#""allowedOutboundDataTransferDestinations":"allApps""#, .taken, line: "send: any"),
      Case(
        #""allowedOutboundDataTransferDestinations":"managedApps","filterOpenInToOnlyManagedApps":true"#, .taken,
        .taken,
        line: "send: managedFiltered"),
      Case(
        #""allowedOutboundDataTransferDestinations":"managedApps","disableProtectionOfManagedOutboundOpenInData":true"#,
        .taken, .taken, line: "send: managedOsSharing"),
      Case(
        #""allowedOutboundDataTransferDestinations":"none","disableProtectionOfManagedOutboundOpenInData":true"#,
        .taken, .off, line: "send: none"),
      Case(
        #""allowedOutboundClipboardSharingLevel":"managedAppsWithPasteIn""#, .taken, line: "level: managedWithPasteIn"),
      Case(#""allowedOutboundClipboardSharingLevel":"orgDestinationOrgSource""#, .taken, line: "level: managed"),
      Case(#""allowedOutboundClipboardSharingExceptionLength":20"#, .taken, line: "exceptionLength: 20"),
      Case(#""allowedOutboundClipboardSharingExceptionLength":-1"#, .stricter, line: "exceptionLength: 0"),
      Case(#""allowedOutboundClipboardSharingExceptionLength":"many""#, .stricter, line: "exceptionLength: 0"),
      Case(
        #""saveAsBlocked":true,"allowedDataStorageLocations":["sharePoint","oneDriveForBusiness"]"#, .stricter, .taken,
        line: "exceptions: [sharePoint, oneDriveForBusiness]"),
      Case(
        #""saveAsBlocked":true,"allowedDataStorageLocations":["sharePoint","moon"]"#, .stricter, .stricter,
        line: "exceptions: [sharePoint]"),
      Case(#""saveAsBlocked":true"#, .stricter, line: "send: managed"),
      Case(
        #""allowedOutboundDataTransferDestinations":"managedApps","saveAsBlocked":true"#, .taken, .taken,
        line: "allowed: false"),
      Case(
        #""saveAsBlocked":true,"allowedDataStorageLocations":[],"allowedOutboundDataTransferDestinations":"allApps""#,
        .off, .off, .taken, line: "send: any"),
      Case(
        #""saveAsBlocked":true,"allowedDataStorageLocations":["box"],"allowedOutboundDataTransferDestinations":"none""#,
        .taken, .off, .taken, line: "allowed: false"),
      Case(
        #""saveAsBlocked":false,"allowedOutboundDataTransferDestinations":"none""#, .off, .taken, line: "send: none"),
      Case(#""saveAsBlocked":false,"allowedDataStorageLocations":["sharePoint"]"#, .taken, .off, line: "allowed: true"),
      Case(
        #""blockDataIngestionIntoOrganizationDocuments":true,"allowedDataIngestionLocations":["camera"]"#,
        .stricter, .taken, line: "exceptions: [camera]"),
      Case(#""blockDataIngestionIntoOrganizationDocuments":true"#, .stricter, line: "receive: managed"),
      Case(
        #""allowedInboundDataTransferSources":"allApps","blockDataIngestionIntoOrganizationDocuments":true"#, .taken,
        .off, line: "receive: any"),
      Case(
        #""allowedInboundDataTransferSources":"none","blockDataIngestionIntoOrganizationDocuments":false"#, .taken,
        .off, line: "receive: none"),
      Case(#""printBlocked":true"#, .taken, line: "printing: block"),
      Case(#""printBlocked":"yes""#, .stricter, line: "printing: block"),
      Case(#""contactSyncBlocked":false"#, .taken, line: "contacts: allow"),
      Case(#""allowWidgetContentSync":false"#, .taken, line: "widgets: block"),
      Case(#""thirdPartyKeyboardsBlocked":true"#, .taken, line: "inputMethods: block"),
      Case(#""notificationRestriction":"blockOrganizationalData""#, .taken, line: "notifications: blockOrgData"),
      Case(
        #""writingToolsConfigurationState":"blocked","genmojiConfigurationState":"notBlocked""#, .taken, .taken,
        line: "writingTools: block"),
      Case(
        #""genmojiConfigurationState":"notBlocked","writingToolsConfigurationState":"blocked""#, .taken, .taken,
        line: "writingTools: block"),
      Case(#""managedBrowserToOpenLinksRequired":true"#, .taken, line: "webTransfer: managedBrowser"),
      Case(#""dialerRestrictionLevel":"managedApps""#, .stricter, line: "telecommunication: none"),
      Case(#""dialerRestrictionLevel":"blocked""#, .stricter, line: "send: managed"),
      Case(
        #""allowedOutboundDataTransferDestinations":"allApps","dialerRestrictionLevel":"blocked""#, .taken, .off,
        line: "send: any"),
      Case(
        #""allowedOutboundDataTransferDestinations":"none","dialerRestrictionLevel":"blocked""#, .taken, .taken,
        line: "telecommunication: none"),
      Case(#""protectedMessagingRedirectAppType":"anyManagedApp""#, .stricter, line: "messaging: none"),
      Case(
        #""exemptedAppProtocols":[{"name":"Default","value":"skype;app-settings;itms;"},{"name":"a","value":"ZoomUS"}]"#,
        .taken, line: "exemptSchemes: [skype, zoomus]"),
      Case(#""exemptedAppProtocols":[{"name":"Default","value":"a b;%;"}]"#, .stricter, line: "exemptSchemes: [a, b]"),
      Case(#""exemptedAppProtocols":[]"#, .taken, line: nil),
      Case(#""appDataEncryptionType":"useDeviceSettings""#, .taken, line: "encrypt: false"),
      Case(
        #""minimumRequiredAppVersion":"2.10""#, .taken,
        line: #"- { check: appVersion, operator: atLeast, value: "2.10", action: block }"#),
      Case(
        #""minimumWarningAppVersion":"3""#, .taken,
        line: #"- { check: appVersion, operator: atLeast, value: "3", action: warn }"#),
      Case(
        #""minimumWipeAppVersion":"1.0""#, .blocks,
        line: #"- { check: appVersion, operator: atLeast, value: "1.0", action: block }"#),
      Case(#""minimumRequiredAppVersion":"two""#, .unknown, line: nil),
      Case(#""minimumRequiredAppVersion":null"#, line: nil),
      Case(#""appActionIfDeviceComplianceRequired":"wipe""#, .blocks, line: nil),
      Case(#""periodOfflineBeforeWipeIsEnforced":"P90D""#, .blocks, line: nil),
      Case(
        #""minimumRequiredAppVersion":"1","periodOfflineBeforeAccessCheck":"PT12H""#, .taken, .taken,
        line: "notCheckedAfter: 12h"),
      Case(#""periodOfflineBeforeAccessCheck":"PT12H""#, .notHere, line: nil),
      Case(#""pinRequired":true"#, .notHere, line: nil), Case(#""pinRequired":false"#, .off, line: nil),
      Case(#""deviceComplianceRequired":true"#, .notHere, line: nil),
      Case(#""maximumAllowedDeviceThreatLevel":"notConfigured""#, .off, line: nil),
      Case(#""somethingOf2031":true"#, .unknown, line: nil),
      Case(#""id":"T_1","createdDateTime":"x","apps@odata.context":"y""#, line: nil),
    ])
  func settings(_ test: Case) throws {
    let policy = try Self.policy(test.members)
    #expect(policy.findings.map(\.fate) == test.fates, "\(policy.findings)")
    let text = policy.protection(accounts: ["*@contoso.com"])
    let lines = text.split(separator: "\n").dropFirst(4).map { line in
      line.split(separator: " # ")[0].drop { $0 == " " }
    }
    if let line = test.line {
      #expect(lines.contains { $0 == line }, "\(text)")
    } else {
      #expect(lines.isEmpty, "\(text)")
    }
    _ = try Self.protection(policy)
  }

  @Test("nothing that is imported wipes, whatever the source says")
  func nothingWipes() throws {
    let policy = try Self.policy(
      #""minimumWipeAppVersion":"9","appActionIfMaximumPinRetriesExceeded":"wipe","periodOfflineBeforeWipeIsEnforced":"P90D""#
    )
    let text = policy.protection(accounts: ["*@contoso.com"])
    #expect(!text.contains("action: wipe") && !text.contains("wipe:"))
    #expect(policy.findings.allSatisfy { $0.fate == .blocks && $0.words.contains("nothing is deleted") })
    #expect(try Self.protection(policy).conditions.map(\.action) == [.block])
  }

  @Test("the loaded protection is what the source says")
  func loaded() throws {
    let protection = try Self.protection(
      Self.policy(
        """
        "allowedOutboundDataTransferDestinations":"managedApps","allowedInboundDataTransferSources":"none",
        "allowedOutboundClipboardSharingLevel":"blocked","saveAsBlocked":true,
        "allowedDataStorageLocations":["sharePoint"],"printBlocked":true,"notificationRestriction":"block"
        """))
    #expect(protection.name == "contoso-ios-level-2" && protection.accountPatterns == ["*@contoso.com"])
    #expect(protection.send == .managed && protection.receive == .none && protection.clipboard.level == .blocked)
    #expect(!protection.save.allowed && protection.save.exceptions == LocationSet([.sharePoint]))
    #expect(protection.printing == .block && protection.notifications == .block)
  }

  @Test(
    "other JSON is no policy",
    arguments: ["[]", "1", "{}", ##"{"@odata.type":"#microsoft.graph.androidCompliancePolicy","printBlocked":true}"##])
  func otherJSON(_ text: String) throws {
    #expect(try IntunePolicy(JSONTree(parsing: text)) == nil)
  }

  @Test(
    "times are hours of ISO 8601",
    arguments: [
      ("PT12H", 12), ("P90D", 2160), ("P1DT12H", 36), ("PT30M", 0), ("PT720M", 12), ("PT0S", 0), ("P1W", nil),
      ("12", nil),
      ("PTH", nil), ("P5", nil), ("", nil), ("P1H", nil), ("P99999999999999999D", nil),
    ] as [(String, Int?)])
  func hours(_ text: String, _ hours: Int?) throws {
    let policy = try Self.policy(#""minimumRequiredAppVersion":"1","periodOfflineBeforeAccessCheck":"\#(text)""#)
    let line = policy.protection(accounts: ["a"]).split(separator: "\n").first { $0.contains("notCheckedAfter") }
    #expect(line.map { $0.contains("notCheckedAfter: \(hours ?? -1)h ") } == (hours ?? 0 == 0 ? nil : true))
    #expect(policy.findings.last?.fate == (hours == nil ? .unknown : hours == 0 ? .off : .taken))
  }

  @Test("a title that tries to be YAML, or a terminal, is text")
  func hostileTitles() throws {
    let tree = try JSONTree(
      parsing: #"{"@odata.type":"x.iosManagedAppProtection","displayName":"a\nb: {\u001b[2J","printBlocked":true}"#)
    let policy = try #require(IntunePolicy(tree))
    #expect(policy.name == "a-b-2j")
    #expect(policy.protection(accounts: ["a"]).split(separator: "\n").count == 5)
    _ = try Self.protection(policy)
  }
}
