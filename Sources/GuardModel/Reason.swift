/// Why a decision came out as it did: one reason for each step that can end a procedure.
///
/// The names are the ledger's, in camelCase; they are part of the wire and of the log. The zero value goes with `block`.
package enum Reason: String, Sendable, Hashable, CaseIterable {
  // Before any policy speaks.
  /// No policy ever loaded; `policyRequired` says whether that blocks.
  case noPolicy
  /// The app of the asking instance is no longer in the policy.
  case unknownApp
  /// The daemon does not know this kind of event.
  case unknownEvent

  // Whose data it is.
  /// The app has not yet said whose data it shows (`untilIdentity` decides).
  case noIdentity
  /// The action counts as nobody's: the viewer is unmanaged, or the identity is explicitly empty.
  case noManagedIdentity
  /// The action counts as an account that no protection binds.
  case unmanaged
  /// The account is blocked by the organisation.
  case accountBlocked
  /// The account does not comply with the organisation's conditions.
  case accountNotCompliant
  /// The account's data was wiped.
  case accountWiped

  // Navigation.
  /// No browser would open this text, or it is longer than any URL may be.
  case invalidURL
  /// `javascript:` or a move inside the document that is already shown.
  case sameDocument
  /// A scheme that the app handles in its own viewer.
  case handledInViewer
  /// A sub-frame of a viewer whose class does not ask about sub-frames.
  case subFrame
  /// The app's policy allows no popups.
  case popupBlocked
  /// The viewer has no rule set: every URL counts as the organisation's own.
  case noRules
  /// The rules say that the URL is the organisation's own.
  case `internal`
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
  /// Who owns the clip is not known, so it counts as an unknown managed account's.
  case ownerUnknown
  /// A change of the selection or the end of a drag was recorded.
  case changeRecorded
}
