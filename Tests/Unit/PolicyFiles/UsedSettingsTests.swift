import GuardModel
import PolicyEngine
import PolicyFiles
import Testing

/// Which settings an explanation names: for every reason, and for every kind of event that it may answer.
@Suite struct UsedSettingsTests {
  private static let files = [
    "policy.d/a.yaml": """
    apps:
      reader: { classes: { pages: { policy: currentIdentity, rulesApply: always } } }
    accounts: [{ upn: work@contoso.com, protection: p }]
    protections:
      p: { send: managed, receive: managed, save: { allowed: false }, open: { allowed: false } }
    """
  ]

  private func keys(
    _ reason: Reason, _ kind: EventKind, _ channel: Channel = .unknown, in files: [String: String] = Self.files
  ) throws -> [String] {
    let policy = try #require(load(files).policy)
    var report = DecisionReport()
    (report.reason, report.protection, report.identity) = (reason, "p", "work@contoso.com")
    (report.viewerClass, report.limit) = ("pages", 5)
    let snapshot = policy.snapshot(generation: 1, at: 0)
    let used = UsedSettings(
      report, of: "reader", asking: kind, through: channel, url: "sms:1", in: snapshot, policy.places)
    return used.values.map(\.key)
  }

  private static let clipboard = ["clipboard.level", "clipboard.exceptionLength"]

  /// What each reason names, whatever was asked.
  private static func expected(_ reason: Reason) -> [String] {
    switch reason {
    case .noIdentity: ["untilIdentity"]
    case .popupBlocked: ["popups"]
    case .handledInViewer: ["handledSchemes"]
    case .subFrame: ["subFrames"]
    case .noRules: ["externalURLs"]
    case .accountBlocked, .accountWiped: ["state"]
    case .locked: ["unlock"]
    case .policyRequired: ["accounts.source"]
    case .accountNotAllowed: ["allowedAccounts"]
    case .external, .externalInPlace, .externalBlocked, .webTransferAny: ["webTransfer"]
    case .isManagedBrowser: ["webTransfer", "managed.app"]
    case .managedBrowserUnavailable: ["webTransfer", "managed"]
    case .sendAny, .handOffBlocked, .storeLinkBlocked: ["send"]
    case .schemeClassAllowed, .schemeClassBlocked: ["send", "messaging"]
    case .exemptScheme: ["send", "exemptSchemes"]
    case .managedScheme: ["send", "managedSchemes"]
    case .clipboardAllowed, .withinLimit, .orgData, .orgDataOverLimit, .personalDataOverLimit: clipboard
    case .transferAllowed, .wrongAccount: ["send", "receive"]
    case .outgoingRestricted, .outgoingDisallowed, .downloadBlocked, .shareBlocked: ["send"]
    case .incomingRestricted, .incomingDisallowed, .identitySwitchNeeded, .identitySwitchFailed: ["receive"]
    case .locationAllowed, .saveLocationNotListed: ["save.allowed", "save.exceptions"]
    case .openLocationNotListed: ["open.allowed", "open.exceptions"]
    case .printAllowed, .printBlocked: ["printing"]
    case .captureAllowed, .captureBlocked: ["screenCapture"]
    case .notificationAllowed, .notificationRedacted, .notificationBlocked: ["notifications"]
    case .indexAllowed, .indexBlocked: ["indexing"]
    case .scanRequired, .scanBlocked, .scanTooLarge, .scanOffline, .scanCancelled: ["inspection.required"]
    // Of a channel that nobody named, those that block: sending is not free.
    case .channelBlocked: ["assistants"]
    case .noPolicy, .unknownApp, .unknownEvent, .noManagedIdentity, .unmanaged, .invalidURL, .sameDocument, .resource,
      .internal, .exception,
      .blockedByRule, .exemptLink, .managedLink, .clipRecorded, .sameAccount, .uploadBlockedViewer, .ownerUnknown,
      .changeRecorded, .inPlace, .unknownAccount, .captureOwnImage, .mixedViewLockdown,
      .channelAllowed, .monitored:
      []
    // Nothing here can bring them about; see `conditionsAreNamed`.
    case .accountNotCompliant, .notChecked: []
    }
  }

  @Test(arguments: Reason.allCases)
  func everyReasonNamesItsSettings(_ reason: Reason) throws {
    for kind in EventKind.allCases {
      let expected: [String]
      switch (reason, kind) {
      case (.incomingRestricted, .paste): expected = Self.clipboard
      case (.locationAllowed, .open), (.locationAllowed, .upload), (.openLocationNotListed, _):
        expected = ["open.allowed", "open.exceptions"]
      case (.saveLocationNotListed, _): expected = ["save.allowed", "save.exceptions"]
      default: expected = Self.expected(reason)
      }
      #expect(try keys(reason, kind) == expected, "\(kind)")
    }
  }

  /// The account's own state where it has one; else the conditions that may block, and how long silence is borne.
  @Test func conditionsAreNamed() throws {
    let conditions = """
      protections:
        p:
          notCheckedAfter: 3d
          conditionalLaunch:
            - { check: diskEncrypted, operator: equals, value: true, action: warn }
            - { check: osVersion, operator: atLeast, value: "12.4" }
      """
    let stated = "apps: { reader: {} }\naccounts: [{ upn: work@contoso.com, protection: p"
    let active = ["policy.d/a.yaml": "\(stated) }]\n\(conditions)\n"]
    let marked = ["policy.d/a.yaml": "\(stated), state: nonCompliant }]\n\(conditions)\n"]
    #expect(try keys(.accountNotCompliant, .print, in: active) == ["conditionalLaunch"])
    #expect(try keys(.notChecked, .print, in: active) == ["conditionalLaunch", "notCheckedAfter"])
    #expect(try keys(.accountNotCompliant, .print, in: marked) == ["state"])
  }

  @Test(arguments: [
    (Channel.assistant, ["assistants"]), (.automation, ["assistants"]), (.writingTools, ["writingTools"]),
    (.inputMethod, ["inputMethods"]), (.contacts, ["contacts"]), (.widgets, ["widgets"]), (.backup, ["backup"]),
    (.nativeMessaging, []),
  ])
  func aChannelNamesItsOwn(_ channel: Channel, _ expected: [String]) throws {
    #expect(try keys(.channelBlocked, .exchange, channel) == expected)
    #expect(try keys(.channelAllowed, .exchange, channel) == expected)
  }
}
