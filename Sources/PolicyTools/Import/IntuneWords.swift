internal import JSONText

/// The words of one member of an app protection policy, and the setting that has the same meaning
/// (`microsoft.graph.managedAppProtection` and the types below it, Microsoft Graph).
struct IntuneWords: Sendable {
  let key: String
  let words: [String: String]
  /// For a word that has no equal here.
  let strictest: String
  /// Words without an equal, and why.
  let near: [String: String]

  private init(_ key: String, _ words: [String: String], strictest: String, near: [String: String] = [:]) {
    (self.key, self.words, self.strictest, self.near) = (key, words, strictest, near)
  }

  private static func blocked(_ key: String, by word: String = "true", free: String = "false") -> IntuneWords {
    IntuneWords(key, [word: "block", free: "allow"], strictest: "block")
  }

  private static let noSuchWord = "there is no word here for managed apps, or for one app"

  static let table: [String: IntuneWords] = [
    "allowedInboundDataTransferSources": IntuneWords(
      "receive", ["allApps": "any", "managedApps": "managed", "none": "none"], strictest: "none"),
    "allowedOutboundDataTransferDestinations": IntuneWords(
      "send", ["allApps": "any", "managedApps": "managed", "none": "none"], strictest: "none"),
    "allowedOutboundClipboardSharingLevel": IntuneWords(
      "clipboard.level",
      [
        "allApps": "any", "managedAppsWithPasteIn": "managedWithPasteIn", "managedApps": "managed",
        "blocked": "blocked",
        "anyDestinationAnySource": "any", "orgDestinationAnySource": "managedWithPasteIn",
        "orgDestinationOrgSource": "managed", "none": "blocked",
      ], strictest: "blocked"),
    "saveAsBlocked": IntuneWords("save.allowed", ["true": "false", "false": "true"], strictest: "false"),
    "blockDataIngestionIntoOrganizationDocuments": IntuneWords(
      "open.allowed", ["true": "false", "false": "true"], strictest: "false"),
    "printBlocked": blocked("printing"),
    "contactSyncBlocked": blocked("contacts"),
    "dataBackupBlocked": blocked("backup"),
    "screenCaptureBlocked": blocked("screenCapture"),
    "screenCaptureConfigurationState": blocked("screenCapture", by: "blocked", free: "notBlocked"),
    "writingToolsConfigurationState": blocked("writingTools", by: "blocked", free: "notBlocked"),
    "genmojiConfigurationState": blocked("writingTools", by: "blocked", free: "notBlocked"),
    "allowWidgetContentSync": blocked("widgets", by: "false", free: "true"),
    "thirdPartyKeyboardsBlocked": blocked("inputMethods"),
    "notificationRestriction": IntuneWords(
      "notifications", ["allow": "allow", "blockOrganizationalData": "blockOrgData", "block": "block"],
      strictest: "block"),
    "managedBrowserToOpenLinksRequired": IntuneWords(
      "webTransfer", ["true": "managedBrowser", "false": "any"], strictest: "block"),
    "dialerRestrictionLevel": IntuneWords(
      "telecommunication", ["allApps": "any", "blocked": "none"], strictest: "none",
      near: ["managedApps": noSuchWord, "customApp": noSuchWord]),
    "protectedMessagingRedirectAppType": IntuneWords(
      "messaging", ["anyApp": "any", "blocked": "none"], strictest: "none",
      near: ["anyManagedApp": noSuchWord, "specificApps": noSuchWord]),
    "appDataEncryptionType": IntuneWords(
      "encrypt",
      [
        "useDeviceSettings": "false", "afterDeviceRestart": "true",
        "whenDeviceLockedExceptOpenFiles": "true", "whenDeviceLocked": "true",
      ], strictest: "true"),
    "encryptAppData": IntuneWords("encrypt", ["true": "true", "false": "false"], strictest: "true"),
  ]

  /// The places of data, which have the same names here.
  static let places: Set<String> = [
    "oneDriveForBusiness", "sharePoint", "box", "iManage", "egnyte", "localStorage", "photoLibrary", "camera",
  ]

  /// Members about the object and not about apps, and annotations of the format.
  static func isAboutItself(_ member: String) -> Bool {
    member.contains("@")
      || [
        "id", "displayName", "description", "createdDateTime", "lastModifiedDateTime", "version", "isAssigned",
        "deployedAppCount", "roleScopeTagIds", "apps", "assignments", "targetedAppManagementLevels", "appGroupType",
        "deploymentSummary", "protectInboundDataFromUnknownSources", "filterOpenInToOnlyManagedApps",
        "disableProtectionOfManagedOutboundOpenInData",
      ].contains(member)
  }

  /// The reason why a member has no counterpart; nil for one that this program does not know.
  static func withoutCounterpart(_ member: String) -> String? {
    let name = member.lowercased()
    for (part, cause) in causes where name.contains(part) { return cause }
    return nil
  }

  /// The first that fits holds.
  private static let causes: [(part: String, cause: String)] = [
    ("universallinks", "state them under `links`: their patterns need a look, `*.host` leaves the host itself out"),
    ("faceid", "there is no PIN here: the session's lock and `unlock` stand for it"),
    ("fingerprint", "there is no PIN here: the session's lock and `unlock` stand for it"),
    ("biometric", "there is no PIN here: the session's lock and `unlock` stand for it"),
    ("pin", "there is no PIN here: the session's lock and `unlock` stand for it"),
    ("passcode", "the strength of passwords is the system's (PAM)"),
    ("devicelock", "the lock of the session is the system's"),
    ("osversion", "it is the version of another system: state the fact `osVersion` in `conditionalLaunch`"),
    ("sdkversion", "it is the version of another library: state the fact `clientVersion` in `conditionalLaunch`"),
    ("patchversion", "it is the version of another system"),
    ("companyportal", "there is no such program here"),
    ("threat", "no threat service speaks here: a posture file may state a fact for `conditionalLaunch`"),
    ("compliance", "nobody on this machine knows: `webviewguard compliance` tells Intune of the guard"),
    ("clockedout", "working hours are not known here"),
    ("unabletoauthenticate", "an account that no source of the app names is blocked; nothing is deleted"),
    ("safetynet", "there is no such service here"),
    ("devicemanufacturers", "there is no such condition here: a posture file may state a fact"),
    ("devicemodels", "there is no such condition here: a posture file may state a fact"),
    ("connecttovpn", "there is no such condition here: a posture file may state a fact"),
    ("offline", "see the findings about `notCheckedAfter`"),
    ("custombrowser", "name the browser under `browsers.managed`"),
    ("managedbrowser", "name the browser under `browsers.managed`"),
    ("customdialer", "name the program as `telecommunication`"),
    ("messagingredirect", "name the program as `messaging`"),
    ("organizationalcredentials", "the session's sign-in stands for it"),
    ("approvedkeyboards", "`inputMethods` knows all of them or none"),
    ("keyboards", "`inputMethods` knows all of them or none"),
    ("maximumallowed", "there is no such condition here"),
    ("shortcuts", "there is no such way here"),
    ("exempted", "name the programs under `managedApps`"),
    ("fileencryption", "`encrypt` stands for it"),
    ("period", "there is no such time here"),
    ("warnafter", "there is no such time here"),
    ("blockafter", "there is no such time here"),
    ("wipeafter", "there is no such time here, and nothing is deleted"),
  ]

  /// It restricts nothing, so that it is no loss.
  static func isQuiet(_ value: JSONTree) -> Bool {
    switch value {
    case .bool(let truth): !truth
    case .int(let number): number == 0
    case .array(let elements): elements.isEmpty
    case .string(let text): ["", "notConfigured", "none", "PT0S", "P0D"].contains(text)
    default: false
    }
  }

  static func word(of value: JSONTree) -> String {
    switch value {
    case .string(let text): text
    case .bool(let truth): "\(truth)"
    case .int(let number): "\(number)"
    case .array(let elements): "[" + elements.map(word).joined(separator: ", ") + "]"
    case .object(let members): members.compactMap { $0.value.string }.joined(separator: " ")
    default: value.text()
    }
  }
}
