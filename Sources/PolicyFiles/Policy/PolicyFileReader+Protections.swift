internal import GuardModel
internal import PolicyEngine

extension PolicyFileReader {
  /// A protection that knows which of its settings could not be read.
  func protection(_ name: Located<String>) -> YAMLDecoder<ProtectionDraft> {
    YAMLDecoder("a mapping") { node, diagnostics in
      var own = Diagnostics()
      var draft = node.decode(
        .mapping(refusing: Self.refusedKeys) { reader in protection(name, &reader) }, into: &own)
      draft?.misread = node.mapping?.keys(of: own) ?? []
      diagnostics.merge(own)
      return draft
    }
  }

  /// The SDK's keys: an author who writes them counts on them.
  private static let refusedKeys = SDKSettings.protectionHints

  private static var warnable: YAMLDecoder<EventKind> { .word(EventSet.warnable.kinds.map { ($0.name, $0) }) }

  private func protection(_ name: Located<String>, _ reader: inout MappingReader) -> ProtectionDraft {
    var draft = ProtectionDraft(name)
    let bound = reader.value("accounts", .goodItems(of: bound), default: [])
    draft.protection.accountPatterns = bound.compactMap { if case .pattern(let text) = $0 { text } else { nil } }
    draft.protection.groups = bound.compactMap { if case .group(let number) = $0 { number } else { nil } }
    readTransfer(into: &draft.protection, &reader)
    readLeaks(into: &draft.protection, &reader)
    readConditions(into: &draft.protection, &reader)
    draft.protection.monitoredUntil = reader.optional("monitorOnly", .monitoring)
    reader.read("warn", .converting(.list(of: Self.warnable)) { EventSet($0) }, into: &draft.protection.warn)
    return draft
  }

  // MARK: Data that goes to other programs and places

  private func readTransfer(into protection: inout Protection, _ reader: inout MappingReader) {
    reader.read("webTransfer", .setting(WebTransfer.allCases, \.name), into: &protection.webTransfer)
    reader.read("externalInPlace", .setting(ExternalInPlace.allCases, \.rawValue), into: &protection.externalInPlace)
    reader.read("clipboard", .mapping { clipboard(&$0) }, into: &protection.clipboard)
    reader.read("send", .setting(SendLevel.allCases, \.rawValue), into: &protection.send)
    reader.read("receive", .setting(ReceiveLevel.allCases, \.rawValue), into: &protection.receive)
    reader.read("save", places(.listableForSave, protection.save), into: &protection.save)
    reader.read("open", places(.listableForOpen, protection.open), into: &protection.open)
    reader.read("managedApps", .list(of: desktopFile), into: &protection.managedApps)
    reader.read("telecommunication", schemeClass, into: &protection.telecommunication)
    reader.read("messaging", schemeClass, into: &protection.messaging)
    reader.read("exemptSchemes", .list(of: scheme), into: &protection.exemptSchemes)
    reader.read("managedSchemes", .list(of: scheme), into: &protection.managedSchemes)
  }

  private func clipboard(_ reader: inout MappingReader) -> ClipboardSettings {
    var clipboard = ClipboardSettings()
    reader.read("level", .setting(ClipboardLevel.allCases, \.rawValue), into: &clipboard.level)
    reader.read("exceptionLength", .int(in: 0...Self.maximumScalars), into: &clipboard.exceptionLength)
    clipboard.exceptionPerMinute = reader.optional("exceptionPerMinute", .int(in: 0...Self.maximumScalars))
    clipboard.replacement = reader.optional("replacement", .string)
    return clipboard
  }

  /// Maximum Unicode scalars that an exception may name; the author of a larger number means `any`.
  private static let maximumScalars = 1_000_000

  /// `{ allowed: false, exceptions: [sharePoint] }`; a missing key keeps its default.
  private func places(_ listable: LocationSet, _ standard: LocationSettings) -> YAMLDecoder<LocationSettings> {
    .mapping { reader in
      var settings = standard
      reader.read("allowed", .bool, into: &settings.allowed)
      let place = YAMLDecoder.setting(listable.locations, \.name)
      reader.read("exceptions", .converting(.list(of: place)) { LocationSet($0) }, into: &settings.exceptions)
      return settings
    }
  }

  private var scheme: YAMLDecoder<[UInt8]> { .converting(.scheme) { Array($0.utf8) } }

  /// `any`, `none`, or the one program that may have such links.
  private var schemeClass: YAMLDecoder<SchemeClassSetting> {
    .byShape(
      scalar: .word([("any", .any), ("none", .none)]),
      mapping: .mapping { reader in
        let program = program(&reader)
        guard reader.has("desktopId") || reader.has("command") || reader.has("template") else {
          reader.diagnostics.error(
            .missingKey, at: reader.location, "no program is named",
            hint: "write its `desktopId` or its `command`, or a `template` with a scheme that only it takes")
          return nil
        }
        return .program(program)
      })
  }

  /// The name of a desktop file, as an app names the program it sends data to.
  private var desktopFile: YAMLDecoder<[UInt8]> {
    YAMLDecoder("the name of a desktop file") { node, diagnostics in
      guard let name = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard Name.isValid(name), name.hasSuffix(".desktop"), name.count > 8, !name.contains("/") else {
        diagnostics.error(
          .invalidDesktopFile, at: node.location, "\(name.quoted) is not the name of a desktop file",
          hint: "write it as in `org.gnome.TextEditor.desktop`; apps of the policy need not be listed")
        return nil
      }
      return Array(name.utf8)
    }
  }

  // MARK: Data that an app shows, prints, stores

  private func readLeaks(into protection: inout Protection, _ reader: inout MappingReader) {
    let permission = YAMLDecoder<Permission>.setting(Permission.allCases, \.rawValue)
    for (key, path) in Protection.permissions { reader.read(key, permission, into: &protection[keyPath: path]) }
    protection.automation = reader.optional("automation", permission)
    reader.read(
      "notifications", .setting(NotificationLevel.allCases, \.rawValue), into: &protection.notifications)
    reader.read(
      "inspection",
      .mapping { reader in
        reader.value("required", .bool, default: false)
      }, into: &protection.requiresInspection)
    reader.read("encrypt", .bool, into: &protection.encrypt)
    reader.read("encryption", .mapping { encryption(&$0) }, into: &protection.encryptBy)
    readUnlock(into: &protection, &reader)
  }

  /// `{ by: envelope }`. A mapping without `by` would say nothing.
  private func encryption(_ reader: inout MappingReader) -> FileEncryption? {
    reader.required("by", way)
  }

  /// `none` is no way: it is said by the setting beside it, so that there is one place for whether.
  private var way: YAMLDecoder<FileEncryption> {
    let ways = YAMLDecoder.word(FileEncryption.ways.map { ($0.rawValue, $0) }, otherWords: Self.otherWays)
    return YAMLDecoder(ways.expectation) { node, diagnostics in
      guard node.scalar?.text == FileEncryption.none.rawValue else { return node.decode(ways, into: &diagnostics) }
      diagnostics.error(
        .unknownValue, at: node.location, "`none` is not \(ways.expectation)",
        hint: "write `encrypt: false` where files need not be encrypted")
      return nil
    }
  }

  /// Words for ways that have another name here.
  private static let otherWays = [
    "file": "envelope", "sealed": "envelope", "WVG1": "envelope", "ext4": "fscrypt", "fuse": "gocryptfs",
    "disk": "volume", "luks": "volume", "LUKS": "volume", "dm-crypt": "volume", "homed": "volume",
  ]
}

extension YAMLMapping {
  /// The keys, joined by dots, of the values in which errors lie, and of those that were refused.
  fileprivate func keys(of diagnostics: Diagnostics) -> Set<String> {
    let errors = diagnostics.sorted.filter { $0.severity == .error }
    let refused = entries.flatMap { entry in
      [entry.value.isRefused ? entry.key : nil]
        + (entry.value.mapping?.entries ?? []).map { $0.value.isRefused ? "\(entry.key).\($0.key)" : nil }
    }
    return Set(errors.compactMap { key(holding: $0.location) } + refused.compactMap(\.self))
  }

  /// The innermost key in front of a place; keys stand in the order of the file.
  private func key(holding place: SourceLocation) -> String? {
    guard let entry = entries.last(where: { $0.keyLocation <= place }) else { return nil }
    return entry.value.mapping?.key(holding: place).map { "\(entry.key).\($0)" } ?? entry.key
  }
}

extension YAMLDecoder {
  /// One of some words; a word that the SDK or its service uses for the same has ours as its hint.
  static func setting(_ cases: [Value], _ name: (Value) -> String) -> Self {
    .word(cases.map { (name($0), $0) }, otherWords: SDKSettings.words)
  }
}

/// The names of the SDK and its service for settings, for users who move from there.
///
///     SDKSettings.appHints["WebViewHandledURLSchemes"]    // "here it is `handledSchemes` of an app"
///
/// None of them is read: each is an unknown key with a hint. `docs/settings-of-the-sdk.md` explains them at length.
package enum SDKSettings {
  /// Every key of the SDK's settings dictionary (ledger system SE) with our setting for it; nil where there is none.
  package static let dictionary: [(key: String, here: String?)] = [
    ("TreatAllWebViewsAsUnmanaged", "`treatAllWebViewsAsUnmanaged` of an app"),
    ("WebViewHandledURLSchemes", "`handledSchemes` of an app"),
    ("SafariViewControllerBlockedOverride", "`authViewersUnprotected` of an app"),
    ("MultiIdentity", "`identityMode` of an app: `multi` or `single`"),
    ("MultiManagedIdentities", "`managedAccounts` of an app: `several` or `one`"),
    ("AutoEnrollOnLaunch", "`accounts.source` of an app: `[user]` or `[broker]` for true, `[app]` for false"),
    ("MAMPolicyRequired", "`policyRequired` in `webviewguard.yaml`"),
    ("MAMPolicyWarnAbsent", "`policyRequired: false` in `webviewguard.yaml`"),
    ("DebugSettingsEnabled", nil),
    ("AppGroupIdentifiers", "`peers` of an app"),
    ("ContainingAppBundleId", "`peers` of an app"),
    ("OpenInActionExtension", nil),
    ("MaxFileProtectionLevel", nil),
    ("DocumentBrowserFileCachePath", nil),
    ("ValuesToScrubFromLogging", "`log.redaction` in `webviewguard.yaml`"),
    ("VerboseLoggingEnabled", "`log.accounts` and `log.redaction` in `webviewguard.yaml`"),
    ("FinishLaunchingAtStartup", nil),
    ("ADALClientId", nil),
    ("ADALAuthority", nil),
    ("ADALRedirectUri", nil),
    ("ADALRedirectScheme", nil),
    ("ADALLogOverrideDisabled", nil),
    ("ADALCacheKeychainGroupOverride", nil),
    ("MAMTelemetryDisabled", nil),
    ("MAMTelemetryUsePPE", nil),
    ("SplashIconFile", nil),
    ("SplashIconFile~ipad", nil),
    ("SplashDuration", nil),
    ("BackgroundColor", nil),
    ("ForegroundColor", nil),
    ("AccentColor", nil),
    ("SecondaryBackgroundColor", nil),
    ("SecondaryForegroundColor", nil),
    ("SupportsDarkMode", nil),
  ]

  /// Hints for those keys, wherever an author may write them.
  static let hints: [String: String] = {
    var hints = dictionary.reduce(into: [:]) { hints, setting in
      hints[setting.key] =
        setting.here.map { "here it is \($0)" } ?? "it has no meaning here; `docs/settings-of-the-sdk.md` says why"
    }
    hints["IntuneMAMSettings"] = "`docs/settings-of-the-sdk.md` says for each of its keys what to write here"
    return hints
  }()

  /// The service's names for the settings of a protection, with ours.
  package static let protection: [(key: String, here: String)] = [
    ("allowedInboundDataTransferSources", "receive"),
    ("protectInboundDataFromUnknownSources", "receive: anyTagOrg"),
    ("allowedOutboundDataTransferDestinations", "send"),
    ("allowedOutboundClipboardSharingLevel", "clipboard.level"),
    ("allowedOutboundClipboardSharingExceptionLength", "clipboard.exceptionLength"),
    ("saveAsBlocked", "save.allowed"),
    ("allowedDataStorageLocations", "save.exceptions"),
    ("blockDataIngestionIntoOrganizationDocuments", "open.allowed"),
    ("allowedDataIngestionLocations", "open.exceptions"),
    ("printBlocked", "printing"),
    ("screenCaptureBlocked", "screenCapture"),
    ("contactSyncBlocked", "contacts"),
    ("dataBackupBlocked", "backup"),
    ("notificationRestriction", "notifications"),
    ("appDataEncryptionType", "encrypt"),
    ("managedBrowser", "webTransfer"),
    ("managedBrowserToOpenLinksRequired", "webTransfer"),
    ("customBrowserProtocol", "browsers.unmanaged.scheme"),
    ("dialerRestrictionLevel", "telecommunication"),
    ("customDialerAppProtocol", "telecommunication.template"),
    ("messagingRedirectAppUrlScheme", "messaging"),
    ("exemptedAppProtocols", "exemptSchemes"),
    ("exemptedUniversalLinks", "links.exempt"),
    ("managedUniversalLinks", "links.managed"),
  ]

  static let protectionHints: [String: String] = protection.reduce(into: hints) { hints, setting in
    hints[setting.key] = "here it is \(setting.here.quoted)"
  }

  /// Words that the SDK, its service or its console have for values, with ours.
  static let words: [String: String] = [
    "allApps": "any", "managedApps": "managed", "policyManagedApps": "managed",
    "managedAppsWithOsSharing": "managedOsSharing", "managedAppsWithOpenInShareFiltering": "managedFiltered",
    "anyDestinationAnySource": "any", "orgDestinationAnySource": "managedWithPasteIn",
    "orgDestinationOrgSource": "managed", "managedAppsWithPasteIn": "managedWithPasteIn",
    "allAppsWithIncomingOrgData": "anyTagOrg", "blockOrganizationalData": "blockOrgData", "notConfigured": "any",
    "microsoftEdge": "managedBrowser", "oneDrive": "oneDriveForBusiness", "oneDriveBusiness": "oneDriveForBusiness",
    "localDrive": "localStorage", "cameraRoll": "photoLibrary", "photos": "photoLibrary", "photo": "photoLibrary",
    "allowed": "allow", "blocked": "block",
  ]
}
