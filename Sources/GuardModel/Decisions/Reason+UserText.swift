/// The texts for an app's user when an action does not happen (ledger SL-16), for policies that state no texts of their own:
/// those about the life of an account in the languages of `AccountNotice`, the others in English.
extension Reason {
  /// The text in the first of these languages that is built in; else in English.
  package func userText(in languages: [LanguageTag]) -> String? {
    accountNotice?.text(in: languages) ?? userText
  }

  private var accountNotice: AccountNotice? {
    switch self {
    case .policyRequired: .signIn
    case .accountNotAllowed: .otherAccount
    case .accountBlocked: .blocked
    case .accountNotCompliant: .notCompliant
    case .notChecked: .notChecked
    case .locked: .locked
    case .accountWiped: .wiped
    default: nil
    }
  }

  /// The text; nil for reasons that never refuse.
  ///
  ///     Reason.printBlocked.userText     // "Your organization does not allow printing here."
  package var userText: String? {
    switch self {
    case .noPolicy, .unknownApp, .unknownEvent:
      "This is not possible at the moment: no policy of your organization is known."
    case .noIdentity, .accountBlocked, .accountNotCompliant, .accountWiped, .policyRequired, .accountNotAllowed,
      .notChecked, .locked, .unknownAccount, .wrongAccount,
      .identitySwitchNeeded, .identitySwitchFailed, .mixedViewLockdown:
      accountText
    case .invalidURL, .popupBlocked, .external, .externalBlocked, .blockedByRule, .exemptLink, .managedLink,
      .managedBrowserUnavailable, .sendAny, .schemeClassAllowed, .schemeClassBlocked, .exemptScheme, .managedScheme,
      .handOffBlocked, .webTransferAny, .storeLinkBlocked:
      pageText
    case .orgData, .ownerUnknown: "Your organization's data cannot be pasted here."
    case .orgDataOverLimit: "This text is too long to be pasted here: it is your organization's data."
    case .incomingRestricted, .incomingDisallowed: "Your organization does not allow this data to come in here."
    case .personalDataOverLimit: "This text is too long to be pasted into your organization's data."
    case .uploadBlockedViewer: "Your organization does not allow pasting or uploading here."
    case .outgoingRestricted, .shareBlocked: "Your organization's data may go to managed apps only."
    case .outgoingDisallowed: "Your organization's data may not leave this app."
    case .saveLocationNotListed: "Your organization does not allow saving to this place."
    case .openLocationNotListed: "Your organization does not allow opening from this place."
    case .downloadBlocked: "Your organization does not allow downloads here."
    case .printBlocked: "Your organization does not allow printing here."
    case .captureBlocked: "Your organization does not allow pictures of this screen."
    case .notificationBlocked: "Your organization does not allow notifications here."
    case .indexBlocked: "Your organization's data does not appear in searches."
    case .channelBlocked: "Your organization does not allow this with its data."
    case .scanRequired, .scanBlocked, .scanTooLarge, .scanOffline, .scanCancelled: scanText
    // If rules apply always, a frame's link to another program is refused without an account, too.
    case .noManagedIdentity, .unmanaged: Self.opensElsewhere
    case .sameDocument, .handledInViewer, .subFrame, .resource, .noRules, .internal, .exception,
      .externalInPlace, .isManagedBrowser, .clipRecorded, .sameAccount, .clipboardAllowed, .withinLimit,
      .changeRecorded,
      .inPlace, .transferAllowed, .locationAllowed, .printAllowed, .captureAllowed, .captureOwnImage,
      .notificationAllowed, .notificationRedacted, .indexAllowed, .channelAllowed, .monitored:
      nil
    }
  }

  private var accountText: String? {
    switch self {
    case .noIdentity: "Sign in first: this app has not said whose data it shows."
    case .accountBlocked, .accountNotCompliant, .accountWiped, .policyRequired, .accountNotAllowed, .notChecked,
      .locked:
      accountNotice?.text(in: [])
    case .unknownAccount: "This account is not known to your organization."
    case .wrongAccount: "This data belongs to another account of your organization: {owner}."
    case .identitySwitchNeeded: "Switch to another account first."
    case .identitySwitchFailed: "This data is not your organization's, and no other account was chosen for it."
    case .mixedViewLockdown: "This window shows data of several accounts: nothing may leave or enter it."
    default: nil
    }
  }

  private static let opensElsewhere = "This link opens in another app only."

  private var pageText: String? {
    switch self {
    case .invalidURL: "This address cannot be opened."
    case .popupBlocked: "Your organization does not allow new windows here."
    case .external: "This page opens in your organization's browser only."
    case .externalBlocked, .blockedByRule: "Your organization does not allow this page here."
    case .managedBrowserUnavailable: "This page opens in your organization's browser only, and that is not installed."
    case .exemptLink, .managedLink, .sendAny, .schemeClassAllowed, .exemptScheme, .managedScheme, .webTransferAny:
      Self.opensElsewhere
    case .schemeClassBlocked, .handOffBlocked: "Your organization does not allow this link."
    case .storeLinkBlocked: "Your organization does not allow this store. Ask it for the apps that you need."
    default: nil
    }
  }

  private var scanText: String? {
    switch self {
    case .scanBlocked: "Your organization does not allow copying this."
    case .scanTooLarge: "This is too large to be copied: your organization checks what is copied."
    case .scanCancelled: "The check of what was to be copied was cancelled."
    case .scanRequired, .scanOffline: "Your organization checks what is copied, and the check is not available now."
    default: nil
    }
  }

  /// Whether a URL was read before this was answered, so that a text may name it.
  package var isAboutURL: Bool {
    switch self {
    case .external, .externalBlocked, .blockedByRule, .exemptLink, .managedLink, .managedBrowserUnavailable, .sendAny,
      .schemeClassAllowed, .schemeClassBlocked, .exemptScheme, .managedScheme, .handOffBlocked, .webTransferAny,
      .storeLinkBlocked:
      true
    default: false
    }
  }

  /// Whether the data's owner is known for this answer.
  package var isAboutOwner: Bool { self == .wrongAccount || self == .orgData || self == .orgDataOverLimit }
}
