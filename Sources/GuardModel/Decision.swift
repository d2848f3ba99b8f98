/// The answer of the engine: outcome, reason, and who and what decided.
///
/// Plain numbers only. Names are looked up in the snapshot that decided when the answer is written (`DecisionReport`),
/// so deciding allocates nothing. `Decision()` is a block.
package struct Decision: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent

  /// Nobody registered the viewer; part of the reason.
  package var viewerIsUnknown = false
  /// The viewer's resolved policy, and what resolved it; nil when the procedure ended before.
  package var policy: WebViewPolicy?
  package var policySource: PolicySource?
  /// Index of the viewer's class in its app.
  package var viewerClass: Int32?
  /// Index of the app in the snapshot; nil when it is not there.
  package var app: Int32?

  package var identity = Identity.absent
  package var identityLevel = IdentityLevel.none
  /// Index of the protection whose settings decided: of several that bind the account, the one that gave the deciding
  /// value.
  package var protection: Int32?
  /// The same also where nobody is bound and rules apply always; nil where no setting of a protection decided.
  package var decider: Int32?

  /// What the rules said; nil when they were not asked.
  package var verdict: Verdict?
  /// Index of the rule set asked.
  package var ruleSet: Int32?
  /// Index of the rule that matched in it; nil for its default.
  package var rule: Int32?
  /// Index of the timed exception in the snapshot by which the URL counts as internal, whatever the rules said.
  package var exception: Int32?
  /// Where the URL may open instead.
  package var target = Target.none
  /// What would have been the outcome for a main frame, where a sub-frame is blocked: `redirect` or `handOff`.
  package var offered: Outcome?
  /// The request is no GET, and its body does not go along with the redirect.
  package var bodyDropped = false

  /// The number of the clip that a copy was given.
  package var clip: ClipID?
  /// What the app names when it sees that copy happen.
  package var proposal: ProposalID?
  /// The account that owns the clip, as far as it is known.
  package var clipOwner = ClipOwner.unmanaged
  /// The length exception that was asked, in Unicode scalars.
  package var limit: Int?
  /// Only `text/plain` may be inserted.
  package var onlyPlainText = false
  /// Programs that do not ask may not have the clip: what they read is a notice, and the content lies beside it under a
  /// private type (ledger CB-17).
  package var mimeWrap = false

  /// The person chooses one of the programs that are managed for the data's owner.
  package var offersPrograms = false
  /// Previews of the window show nothing that can be read (ledger SC-04).
  package var blurPreview = false

  // What to do beside the outcome.
  /// The account that the file or item belongs to from now on.
  package var setOwner: AccountID?
  /// What is stored must be encrypted (ledger FE-01, SL-15).
  package var mustEncrypt = false
  /// Data that was nobody's becomes this account's (ledger DT-09).
  package var tagAs: AccountID?
  /// `switchIdentity`: whose data the window must show before the question is asked again, and the request for it.
  package var switchTo: Identity?
  package var switchRequest: SwitchRequestID?

  /// Whose the data is, where that is why it may not pass (ledger DT-20) or what it may be given to.
  package var dataOwner: AccountID?
  /// The place as it was judged; nil when none was.
  package var location: Location?
  package var notes: DecisionNotes = []
  /// What would have been answered, where the policy only monitors.
  package var advice: Advice?

  package init() {}

  package init(_ outcome: Outcome, _ reason: Reason) {
    self.outcome = outcome
    self.reason = reason
  }
}

/// Whose a clip is. Stricter values win where two sources disagree (amendments, clipboard).
package enum ClipOwner: Sendable, Hashable {
  /// Some managed account, not known which: the strictest.
  case unknownManaged
  case account(AccountID)
  case unmanaged
}

/// Where a URL may open instead.
package enum Target: Sendable, Hashable {
  case none
  case managedBrowser
  case unmanagedBrowser
  /// Entry number of the link list of exempt links.
  case exemptLink(Int32)
  /// Entry number of the link list of managed links.
  case managedLink(Int32)
  /// Whatever the desktop opens the scheme with.
  case schemeHandler
  /// The one program that the protection names for schemes of this class.
  case schemeClassProgram(SchemeClass)
}

/// Schemes that have a setting of their own.
package enum SchemeClass: Sendable, Hashable {
  case telecommunication
  case messaging
}
