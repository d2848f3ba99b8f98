public import GuardModel

/// The answer to one event: the action that the app must take, and the reason.
///
///     let decision = await guardian.navigate(event)
///     if decision.isAllowed { load() } else { show(decision.message ?? decision.reason.rawValue) }
///     if let offer = decision.opensNow { start(offer) }
public struct GuardDecision: Sendable, Hashable {
  /// The outcome for the app; a word that this library does not know is `block`.
  public internal(set) var outcome = Outcome.block
  /// The step that ended the procedure.
  public internal(set) var reason = DecisionReason.noAnswer
  /// The answer was made here: the daemon did not answer, or with an error.
  public internal(set) var isLocal = true
  /// The id, as the log and `acknowledge` have it; empty when the answer was made here.
  public internal(set) var id = ""
  /// The viewer is unregistered, so the strictest policy and rule set were taken.
  public internal(set) var viewerIsUnknown = false
  /// The policy of the viewer, as resolved.
  public internal(set) var policy: WebViewPolicy?
  /// The source of that policy.
  public internal(set) var policySource: PolicySource?
  /// The account that the action counts as; empty for explicitly no account, nil when none is set.
  public internal(set) var identity: String?
  /// The level that the identity came from.
  public internal(set) var identityLevel = IdentityLevel.none
  /// The protection whose settings decided.
  public internal(set) var protection: String?
  /// The verdict of the rule set on the URL; nil when it was not asked.
  public internal(set) var verdict: Verdict?
  /// The rule set that was asked.
  public internal(set) var ruleSet: String?
  /// The rule that matched, or `default`.
  public internal(set) var rule: String?
  /// Where the rule stands: `file:line:column`.
  public internal(set) var ruleLocation: String?
  /// The id of the timed exception that makes the URL internal although the rules say external.
  public internal(set) var exception: String?
  /// A message for the user, in a language of theirs.
  public internal(set) var message: String?
  /// How to open the URL elsewhere. With `block` it may be offered to the user; open `opensNow` unasked.
  public internal(set) var open: Offer?
  /// The outcome that a main frame would have.
  public internal(set) var offered: Outcome?
  /// The request has a body that does not go along with the redirect.
  public internal(set) var bodyDropped = false
  /// Copy: the id of this clip, to be put on the selection beside it.
  public internal(set) var clip: String?
  /// Copy: the id that `clipboardChanged` names when the app sees that this copy has happened.
  public internal(set) var proposal: String?
  /// Copy: programs that do not ask may not read this clip. Put `replacement` on the selection as text, and the content
  /// under a private type.
  public internal(set) var mimeWrap = false
  /// The number of Unicode scalars up to which the text could pass.
  public internal(set) var limit: Int?
  /// Only `text/plain` may be inserted.
  public internal(set) var onlyPlainText = false
  /// The text to show in place of content.
  public internal(set) var replacement: String?
  /// `share` with `chooser`: the programs that the person may choose from; nil when any may be chosen.
  public internal(set) var programs: [String]?
  /// Previews of the window must show nothing readable.
  public internal(set) var blurPreview = false
  /// The account that the file or item belongs to from now on; keep it beside the data.
  public internal(set) var setOwner: String?
  /// The stored data must be encrypted.
  public internal(set) var mustEncrypt = false
  /// The unmanaged data belongs to this account from now on.
  public internal(set) var tagAs: String?
  /// `switchIdentity`: the account to show before asking again; empty for no account.
  public internal(set) var switchTo: String?
  /// `switchIdentity`: the request that `answer` names.
  public internal(set) var request: String?
  /// The place as it was judged.
  public internal(set) var location: Location?
  /// Unknown facts that may have made the answer stricter, in the words of the interface.
  public internal(set) var notes: [String] = []
  /// The answer that the policy would give if it did not only monitor.
  public internal(set) var advice: Advice?
  /// The number of the policy that decided; 0 before any policy loaded.
  public internal(set) var generation = 0
  /// SHA-256 of that policy in hexadecimal; empty before any policy loaded.
  public internal(set) var digest = ""
  /// The policy would be stricter if enforced; its answer was only recorded.
  public internal(set) var isMonitored = false
  /// The same action was decided before, and this repeats that decision: its offer is open already.
  public internal(set) var isRepeat = false
  /// All members of the daemon's answer, including those that this library has no word for; empty when made here.
  public internal(set) var members: [String: GuardValue] = [:]

  /// The event may happen unchanged. `warn` and `redact` may happen, too, but with changes: look at `outcome`.
  public var isAllowed: Bool { outcome == .allow }

  /// The offer to open at once, without asking the user, so one click opens one browser.
  ///
  /// The offer of a `redirect` or `handOff`; nil for a repetition of it, and for a `block`, whose offer is the user's
  /// to take.
  public var opensNow: Offer? {
    (outcome == .redirect || outcome == .handOff) && !isRepeat ? open : nil
  }

  /// Another program that may open the URL. The app starts it, in its user's session.
  public struct Offer: Sendable, Hashable {
    /// The kind of program: `managedBrowser`, `unmanagedBrowser`, `exemptLink`, `managedLink`, `schemeHandler`.
    public internal(set) var target: String
    /// The `.desktop` file to start; nil means the desktop's own handler of the scheme.
    public internal(set) var desktopID: String?
    /// The command to start instead, ready to run without a shell.
    public internal(set) var argv: [String]?
    /// The URL to open, which may differ from the one that was asked about.
    public internal(set) var url: String
    /// The offers to try when the program cannot open it, best first.
    public internal(set) var fallback: [Offer]
  }

  /// The answer that the policy would give if it did not only monitor.
  public struct Advice: Sendable, Hashable {
    /// The outcome.
    public internal(set) var outcome: Outcome
    /// The step that would have ended the procedure.
    public internal(set) var reason: DecisionReason
    /// The part of the policy that only monitors; nil for a word of a newer daemon.
    public internal(set) var cause: MonitorCause?
    /// The rule set that advised.
    public internal(set) var ruleSet: String?
    /// The rule that advised, or `default`.
    public internal(set) var rule: String?
    /// Where the rule stands: `file:line:column`.
    public internal(set) var ruleLocation: String?
  }
}

/// The reason for a decision, in one word.
///
/// Mostly a word of the policy (`known`). It is open, because a newer daemon has words that this library does not know,
/// and because the library itself has one for a missing answer.
///
///     switch decision.reason {
///     case .noAnswer: "the guard is away"
///     case let reason where reason.known == .external: "opens in another browser"
///     default: decision.reason.rawValue
///     }
public struct DecisionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The word: of the policy, `noAnswer`, or the last word of an error's name, such as `UnknownViewer`.
  public let rawValue: String

  /// The reason with any word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The reason that the policy has for this step.
  public init(_ reason: Reason) { rawValue = reason.rawValue }

  /// The word, as it is.
  public var description: String { rawValue }

  /// The step that ended the procedure; nil for `noAnswer`, errors, and words of a newer daemon.
  public var known: Reason? { Reason(rawValue: rawValue) }

  /// The daemon did not answer in time, so the failure contract did.
  public static let noAnswer = DecisionReason(rawValue: "noAnswer")
}
