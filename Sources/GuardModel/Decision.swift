/// The answer of the engine: outcome, reason, and the parts that decided.
///
/// Plain numbers only. Names are looked up in the snapshot that decided when the answer is written (`DecisionReport`),
/// so deciding allocates nothing. `Decision()` is a block.
package struct Decision: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent
  package var flags: DecisionFlags = []

  /// The viewer's resolved policy, and its source; nil when the procedure ended before.
  package var policy: WebViewPolicy?
  package var policySource: PolicySource?
  /// Index of the viewer's class in its app.
  package var viewerClass: ViewerClassIndex?
  /// Index of the app in the snapshot; nil when the snapshot does not have it.
  package var app: AppIndex?

  package var identity = Identity.absent
  package var identityLevel = IdentityLevel.none
  /// Index of the protection whose settings decided: among several that bind the account, the one that gave the
  /// deciding value.
  package var protection: ProtectionIndex?
  /// The same also where no account is bound and rules apply always; nil where no setting of a protection decided.
  package var decider: ProtectionIndex?

  /// The answer of the rules; nil when they were not asked.
  package var verdict: Verdict?
  /// Index of the rule set asked.
  package var ruleSet: RuleSetIndex?
  /// Index of the rule that matched in it; nil for its default.
  package var rule: RuleNumber?
  /// Index of the timed exception in the snapshot by which the URL counts as internal, whatever the rules said.
  package var exception: ExceptionIndex?
  /// The program where the URL may open instead.
  package var target = Target.none
  /// The outcome that a main frame would have, where a sub-frame is blocked: `redirect` or `handOff`.
  package var offered: Outcome?

  /// The number of the clip that a copy was given.
  package var clip: ClipID?
  /// The number that the app names when it sees that copy happen.
  package var proposal: ProposalID?
  /// The account that owns the clip, as far as it is known.
  package var clipOwner = ClipOwner.unmanaged
  /// The length exception that was asked, in Unicode scalars.
  package var limit: Int?

  /// The person chooses one of the programs that are managed for the data's owner.
  package var offersPrograms = false

  // Duties beside the outcome.
  /// The account that the file or item belongs to from now on.
  package var setOwner: AccountID?
  /// Unmanaged data becomes this account's (ledger DT-09).
  package var tagAs: AccountID?
  /// `switchIdentity`: the identity that the window must show before the question is asked again, and the request for
  /// it.
  package var switchTo: Identity?
  package var switchRequest: SwitchRequestID?

  /// The data's owner, if that is why the data may not pass (ledger DT-20), or if it limits the receivers.
  package var dataOwner: AccountID?
  /// The place as it was judged; nil when none was.
  package var location: Location?
  package var notes: DecisionNotes = []
  /// The answer that an enforced policy would give, where the policy only monitors.
  package var advice: Advice?

  package init() {}

  package init(_ outcome: Outcome, _ reason: Reason) {
    self.outcome = outcome
    self.reason = reason
  }

  /// As `==`, which another module calls through a witness that copies both.
  package func equals(_ other: Decision) -> Bool { self == other }
}

/// The owner of a clip. Stricter values win where two sources disagree (amendments, clipboard).
package enum ClipOwner: Sendable, Hashable {
  /// Some managed account, not known which: the strictest.
  case unknownManaged
  case account(AccountID)
  case unmanaged
}

/// A program where a URL may open instead.
package enum Target: Sendable, Hashable {
  case none
  case managedBrowser
  case unmanagedBrowser
  /// Entry number of the link list of exempt links.
  case exemptLink(RuleNumber)
  /// Entry number of the link list of managed links.
  case managedLink(RuleNumber)
  /// The desktop's own choice for the scheme.
  case schemeHandler
  /// The one program that the protection names for schemes of this class.
  case schemeClassProgram(SchemeClass)
}

/// Schemes that have a setting of their own.
package enum SchemeClass: Sendable, Hashable {
  case telecommunication
  case messaging
}
