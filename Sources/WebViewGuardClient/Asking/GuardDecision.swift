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
  public var id: String { members["id"]?.string ?? "" }
  /// The viewer is unregistered, so the strictest policy and rule set were taken.
  public var viewerIsUnknown: Bool { self[.viewerIsUnknown]?.bool ?? false }
  /// The policy of the viewer, as resolved.
  public var policy: WebViewPolicy? { self[.policy]?.string.flatMap(WebViewPolicy.init(named:)) }
  /// The source of that policy.
  public var policySource: PolicySource? { self[.policySource]?.string.flatMap(PolicySource.init) }
  /// The account that the action counts as; empty for explicitly no account, nil when none is set.
  public var identity: String? { self[.identity]?.string }
  /// The level that the identity came from.
  public var identityLevel: IdentityLevel { self[.identityLevel]?.string.flatMap(IdentityLevel.init) ?? .none }
  /// The protection whose settings decided.
  public var protection: String? { self[.protection]?.string }
  /// The verdict of the rule set on the URL; nil when it was not asked.
  public var verdict: Verdict? { self[.verdict]?.string.flatMap(Verdict.init(word:)) }
  /// The rule set that was asked.
  public var ruleSet: String? { self[.ruleSet]?.string }
  /// The rule that matched, or `default`.
  public var rule: String? { self[.rule]?.string }
  /// Where the rule stands: `file:line:column`.
  public var ruleLocation: String? { self[.ruleLocation]?.string }
  /// The id of the timed exception that makes the URL internal although the rules say external.
  public var exception: String? { self[.exception]?.string }
  /// A message for the user, in a language of theirs.
  public internal(set) var message: String?
  /// How to open the URL elsewhere. With `block` it may be offered to the user; open `opensNow` unasked.
  public var open: Offer? { self[.open].flatMap { Offer(reading: $0) } }
  /// The outcome that a main frame would have.
  public var offered: Outcome? { self[.offered].map(Outcome.init(word:)) }
  /// The request has a body that does not go along with the redirect.
  public var bodyDropped: Bool { self[.bodyDropped]?.bool ?? false }
  /// It is a sign-in page, to which the app may send the credential of the account in `identity` that the session's agent
  /// makes.
  public var signIn: Bool { self[.signIn]?.bool ?? false }
  /// Copy: the id of this clip, to be put on the selection beside it.
  public var clip: String? { self[.clip]?.string }
  /// Copy: the id that `clipboardChanged` names when the app sees that this copy has happened.
  public var proposal: String? { self[.proposal]?.string }
  /// Copy: programs that do not ask may not read this clip. Put `replacement` on the selection as text, and the content
  /// under a private type.
  public var mimeWrap: Bool { self[.mimeWrap]?.bool ?? false }
  /// The number of Unicode scalars up to which the text could pass.
  public var limit: Int? { self[.limit]?.integer }
  /// Only `text/plain` may be inserted.
  public var onlyPlainText: Bool { self[.onlyPlainText]?.bool ?? false }
  /// The text to show in place of content.
  public var replacement: String? { self[.replacement]?.string }
  /// `share` with `chooser`: the programs that the person may choose from; nil when any may be chosen.
  public var programs: [String]? { self[.programs]?.strings }
  /// Previews of the window must show nothing readable.
  public var blurPreview: Bool { self[.blurPreview]?.bool ?? false }
  /// The account that the file or item belongs to from now on; keep it beside the data.
  public var setOwner: String? { self[.setOwner]?.string }
  /// The stored data must be encrypted.
  public var mustEncrypt: Bool { self[.mustEncrypt]?.bool ?? false }
  /// The unmanaged data belongs to this account from now on.
  public var tagAs: String? { self[.tagAs]?.string }
  /// `switchIdentity`: the account to show before asking again; empty for no account.
  public var switchTo: String? { self[.switchTo]?.string }
  /// `switchIdentity`: the request that `answer` names.
  public var request: String? { self[.switchRequest]?.string }
  /// The place as it was judged.
  public var location: Location? { self[.location]?.string.flatMap(Location.init(word:)) }
  /// Unknown facts that may have made the answer stricter, in the words of the interface.
  public var notes: [String] { self[.notes]?.strings ?? [] }
  /// The answer that the policy would give if it did not only monitor.
  public var advice: Advice? { self[.advice].flatMap { Advice(reading: $0) } }
  /// The number of the policy that decided; 0 before any policy loaded.
  public var generation: Int { self[.generation]?.integer ?? 0 }
  /// SHA-256 of that policy in hexadecimal; empty before any policy loaded.
  public var digest: String { self[.digest]?.string ?? "" }
  /// The policy would be stricter if enforced; its answer was only recorded.
  public var isMonitored: Bool { self[.mode] == "monitored" }
  /// The same action was decided before, and this repeats that decision: its offer is open already.
  public var isRepeat: Bool { members["repeat"]?.bool ?? false }
  /// All members of the daemon's answer, including those that this library has no word for; empty when made here.
  public internal(set) var members: [String: GuardValue] = [:]

  /// A field as the daemon wrote it; nil when it is left out.
  private subscript(field: DecisionField) -> GuardValue? { GuardValue.object(members)[Self.names[Int(field.rawValue)]] }

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
