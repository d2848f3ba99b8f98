/// Why a decision came out as it did: one reason for each step that can end a procedure.
///
/// The names are the ledger's, in camelCase; they are part of the wire and of the log. The zero value goes with `block`.
public enum Reason: String, Sendable, Hashable, CaseIterable {
  // Before any policy speaks.
  /// No policy ever loaded; `policyRequired` says whether that blocks.
  case noPolicy
  /// The app of the asking instance is no longer in the policy.
  case unknownApp
  /// The daemon does not know this kind of event.
  case unknownEvent

  // The identity.
  /// The app has not yet named the identity that it shows (`untilIdentity` decides).
  case noIdentity
  /// The action counts as unmanaged: the viewer is, or the identity is explicitly empty.
  case noManagedIdentity
  /// The action counts as an account that no protection binds.
  case unmanaged
  /// The account is blocked by the organisation.
  case accountBlocked
  /// The account does not comply with the organisation's conditions.
  case accountNotCompliant
  /// The account's data was wiped.
  case accountWiped
  /// A protection binds the account, and no source of the app says that it is signed in.
  case policyRequired
  /// The app takes only other accounts.
  case accountNotAllowed
  /// Nothing is known of the account's conditions, and the time of grace is over.
  case notChecked
  /// The account's user has to unlock it first.
  case locked

  // Navigation.
  /// No browser would open this text, or it is longer than any URL may be.
  case invalidURL
  /// `javascript:` or a move inside the document that is already shown.
  case sameDocument
  /// A scheme that the app handles in its own viewer.
  case handledInViewer
  /// A sub-frame of a viewer whose class does not ask about sub-frames.
  case subFrame
  /// A part that a page loads, which no rule names.
  case resource
  /// The app's policy allows no popups.
  case popupBlocked
  /// The viewer has no rule set: every URL counts as the organisation's own.
  case noRules
  /// The rules say that the URL is the organisation's own.
  case `internal`
  /// The rules say external, and an administrator's timed exception lets the site in.
  case exception
  /// The rules say external, and the protection wants such pages in another browser.
  case external
  /// The rules say external, and the protection lets such pages load in place.
  case externalInPlace
  /// The rules say external, and the protection blocks such pages.
  case externalBlocked
  /// The rule itself says `then: block`.
  case blockedByRule
  /// The link list of links that may leave for an unmanaged program.
  case exemptLink
  /// The link list of links that belong to a managed program.
  case managedLink
  /// The browser that the protection wants is not configured.
  case managedBrowserUnavailable
  /// The asking app is itself the managed browser.
  case isManagedBrowser

  // Hand-off of other schemes (E.4).
  /// The protection lets data go to any program.
  case sendAny
  /// The scheme belongs to telecommunication or messaging, and its own setting allows it.
  case schemeClassAllowed
  /// The scheme belongs to telecommunication or messaging, and its own setting forbids it.
  case schemeClassBlocked
  /// The scheme is on the protection's exempt list.
  case exemptScheme
  /// The scheme belongs to a managed program.
  case managedScheme
  /// No setting lets this scheme leave.
  case handOffBlocked

  // Clipboard.
  /// The clip is recorded, with its owner.
  case clipRecorded
  /// Owner and destination are one account in one app.
  case sameAccount
  /// Both sides' clipboard levels allow it.
  case clipboardAllowed
  /// Short enough for the character exception.
  case withinLimit
  /// The organisation's data may not go there.
  case orgData
  /// As `orgData`; a character exception exists, but the text is longer.
  case orgDataOverLimit
  /// Data from outside may not come in.
  case incomingRestricted
  /// As `incomingRestricted`; a character exception exists, but the text is longer.
  case personalDataOverLimit
  /// Nothing may be pasted or uploaded into this viewer.
  case uploadBlockedViewer
  /// The clip's owner is not known, so it counts as an unknown managed account's.
  case ownerUnknown
  /// A change of the selection or the end of a drag was recorded.
  case changeRecorded

  // Places and other programs (E.3).
  /// Saved where it came from, or opened where it is edited: nothing moves.
  case inPlace
  /// Both sides' settings allow it.
  case transferAllowed
  /// The owner's settings block such places, and except this one.
  case locationAllowed
  /// Data may go to managed programs of its account only.
  case outgoingRestricted
  /// Data may go to no program at all.
  case outgoingDisallowed
  /// Data may come in from no program at all.
  case incomingDisallowed
  /// The other side is managed, for another account.
  case wrongAccount
  /// The policy does not know an account that the event names: the strictest reading.
  case unknownAccount
  /// Saving copies is blocked, and the place is not excepted.
  case saveLocationNotListed
  /// Opening is blocked, and the place is not excepted.
  case openLocationNotListed
  /// Nothing may be downloaded, since the organisation's data may go nowhere.
  case downloadBlocked
  /// The other program is not known, and data may go to managed ones only.
  case shareBlocked
  /// The protection lets web pages open in any browser.
  case webTransferAny
  /// A link to a store of programs, which may not leave.
  case storeLinkBlocked

  // Other uses of the data that an app shows.
  /// The protection allows printing.
  case printAllowed
  /// The protection blocks printing.
  case printBlocked
  /// The protection allows recording the screen.
  case captureAllowed
  /// The protection blocks recording the screen.
  case captureBlocked
  /// The app takes an image of its own window.
  case captureOwnImage
  /// The protection allows notifications.
  case notificationAllowed
  /// A neutral text instead of the organisation's data.
  case notificationRedacted
  /// The protection blocks notifications, or wants a neutral text that the app cannot show.
  case notificationBlocked
  /// The protection allows search indexes.
  case indexAllowed
  /// The protection blocks search indexes.
  case indexBlocked
  /// The protection allows this channel.
  case channelAllowed
  /// The protection blocks this channel.
  case channelBlocked

  // Content inspection (CB-13).
  /// The content was not scanned, and the protection demands a scan.
  case scanRequired
  /// The scanner refused the content.
  case scanBlocked
  /// The content is too large for the scanner.
  case scanTooLarge
  /// The scanner could not be reached.
  case scanOffline
  /// The user did not wait for the scanner.
  case scanCancelled

  // Monitoring.
  /// Only monitored settings or rules would restrict it; the advice says what the enforced answer would be, and why.
  case monitored

  // Identities.
  /// The window shows several accounts, one of them managed: nothing passes.
  case mixedViewLockdown
  /// The data is unmanaged: the app must first show the unmanaged identity.
  case identitySwitchNeeded
  /// The app did not show another account in time.
  case identitySwitchFailed
}

extension Reason {
  /// The reason in words, for people.
  package var sentence: String {
    switch self {
    case .noPolicy: "no policy ever loaded"
    case .unknownApp: "the app is not in the policy"
    case .unknownEvent: "no such event"
    case .noIdentity: "the app has not said whose data it shows"
    case .noManagedIdentity: "the viewer shows no data of the organisation"
    case .unmanaged: "no protection binds the account"
    case .accountBlocked: "the organisation blocked the account"
    case .accountNotCompliant: "the account does not comply with the organisation's conditions"
    case .accountWiped: "the account's data was wiped"
    case .policyRequired: "no source of the app says that the account is signed in"
    case .accountNotAllowed: "the app takes only other accounts"
    case .notChecked: "nothing is known of the account's conditions"
    case .locked: "the account has to be unlocked first"
    case .invalidURL: "no browser would open this URL"
    case .sameDocument: "nothing loads"
    case .handledInViewer: "the app handles this scheme itself"
    case .subFrame: "sub-frames of this class are not judged"
    case .resource: "no rule names this part of a page"
    case .popupBlocked: "the app may open no popups"
    case .noRules: "the viewer has no rule set, so every URL counts as the organisation's own"
    case .internal: "the URL is the organisation's own"
    case .exception: "an administrator's exception lets this site in for a time"
    case .external: "the protection wants external pages in another browser"
    case .externalInPlace: "the protection lets external pages load in place"
    case .externalBlocked: "the protection blocks external pages"
    case .blockedByRule: "the rule itself blocks"
    case .exemptLink: "an exempt link, which may leave for its program"
    case .managedLink: "a link that belongs to a managed program"
    case .managedBrowserUnavailable: "the browser that the protection wants is not configured"
    case .isManagedBrowser: "the app is itself the managed browser"
    case .sendAny: "the protection lets data go to any program"
    case .schemeClassAllowed: "its class of schemes may leave"
    case .schemeClassBlocked: "its class of schemes may not leave"
    case .exemptScheme: "the scheme is exempt"
    case .managedScheme: "the scheme belongs to a managed program"
    case .handOffBlocked: "no setting lets this scheme leave"
    case .clipRecorded: "the clip is recorded with its owner"
    case .sameAccount: "owner and destination are one account in one app"
    case .clipboardAllowed: "both sides' clipboard levels allow it"
    case .withinLimit: "short enough for the character exception"
    case .orgData: "the organisation's data may not go there"
    case .orgDataOverLimit: "the organisation's data may not go there, and the text is too long for the exception"
    case .incomingRestricted: "data from outside may not come in"
    case .personalDataOverLimit: "data from outside may not come in, and the text is too long for the exception"
    case .uploadBlockedViewer: "nothing may be pasted or uploaded into this viewer"
    case .ownerUnknown: "whose the clip is cannot be known"
    case .changeRecorded: "the change is recorded"
    case .inPlace: "nothing moves"
    case .transferAllowed: "the settings of both sides allow it"
    case .locationAllowed: "the place is one of those excepted"
    case .outgoingRestricted: "the organisation's data may go to managed programs of its account only"
    case .outgoingDisallowed: "the organisation's data may go nowhere"
    case .incomingDisallowed: "nothing may come in"
    case .wrongAccount: "the other side is managed for another account"
    case .unknownAccount: "the policy does not know the account"
    case .saveLocationNotListed: "copies may be saved to some places only, and this is none of them"
    case .openLocationNotListed: "data may be opened from some places only, and this is none of them"
    case .downloadBlocked: "nothing may be downloaded"
    case .shareBlocked: "the other program is not known, and data may go to managed ones only"
    case .webTransferAny: "the protection lets web pages open in any browser"
    case .storeLinkBlocked: "links to stores of programs may not leave"
    case .printAllowed: "the protection allows printing"
    case .printBlocked: "the protection blocks printing"
    case .captureAllowed: "the protection allows recording the screen"
    case .captureBlocked: "the protection blocks recording the screen"
    case .captureOwnImage: "the app takes an image of its own window"
    case .notificationAllowed: "the protection allows notifications"
    case .notificationRedacted: "a neutral text stands in for the organisation's data"
    case .notificationBlocked: "the protection blocks notifications"
    case .indexAllowed: "the protection allows search indexes"
    case .indexBlocked: "the protection blocks search indexes"
    case .channelAllowed: "the protection allows this channel"
    case .channelBlocked: "the protection blocks this channel"
    case .scanRequired: "the protection wants content scanned, and nothing scanned it"
    case .scanBlocked: "the content scanner refused it"
    case .scanTooLarge: "too large for the content scanner"
    case .scanOffline: "the content scanner could not be reached"
    case .scanCancelled: "the user did not wait for the content scanner"
    case .monitored: "what would restrict it only monitors"
    case .mixedViewLockdown: "the window shows data of several accounts"
    case .identitySwitchNeeded: "the app must first show another account"
    case .identitySwitchFailed: "the app did not show another account"
    }
  }
}
