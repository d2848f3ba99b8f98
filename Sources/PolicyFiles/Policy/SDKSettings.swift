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
    ("AutoEnrollOnLaunch", nil),
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
