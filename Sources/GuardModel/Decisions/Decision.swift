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

/// The daemon's answer: may this happen?
///
/// The zero value is `block`: an unfilled decision stops the action. A client that reads an outcome it does not know
/// treats it as `block` (architecture, section 2).
public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
  /// It may not happen.
  case block = 0
  /// It may happen in the requested form.
  case allow
  /// It may happen after the user gave a justification.
  case warn
  /// It does not happen here; the same URL opens in the browser named by the offer.
  case redirect
  /// It leaves for another program, named by the offer.
  case handOff
  /// It may happen with its content replaced by a neutral text.
  case redact
  /// The app must first show another account, and then ask again.
  case switchIdentity

  /// The word on the wire, in the log and in tests: `Outcome.handOff.name` is `handOff`.
  public var name: String {
    switch self {
    case .block: "block"
    case .allow: "allow"
    case .warn: "warn"
    case .redirect: "redirect"
    case .handOff: "handOff"
    case .redact: "redact"
    case .switchIdentity: "switchIdentity"
    }
  }
}

/// The answer that a question would get: for an app that greys out forbidden actions. Nothing is recorded, so it never
/// stands in for the question (ledger SL-17).
package struct Hint: Sendable, Hashable {
  /// Its subject: a location's name, or a program's.
  package var subject: String
  package var outcome: Outcome
  package var reason: Reason

  package init(_ subject: String, _ outcome: Outcome, _ reason: Reason) {
    self.subject = subject
    self.outcome = outcome
    self.reason = reason
  }
}

/// The answer that an enforced policy would give, where the policy only monitors (`monitorOnly`).
///
/// The decision that holds it is the actual answer: mostly `allow`. A monitored rule is skipped, so that the answer
/// comes from the rules behind it.
package struct Advice: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason
  package var cause: MonitorCause
  /// Index of the rule set and of the rule that advised; nil when none did, and no rule for a default.
  package var ruleSet: RuleSetIndex?
  package var rule: RuleNumber?

  package init(_ outcome: Outcome, _ reason: Reason, _ cause: MonitorCause) {
    self.outcome = outcome
    self.reason = reason
    self.cause = cause
  }
}

/// The part of the policy that only monitors.
public enum MonitorCause: String, Sendable, Hashable, CaseIterable {
  case app
  case protection
  case rule
}

/// The effect of a decision: binding or only recorded.
package enum DecisionMode: String, Sendable, Hashable, CaseIterable {
  case enforced
  /// The policy is only watched: the answer is `allow`, and the log has the answer that the policy would have given.
  case monitored
}

/// An `Advice` with every name spelled out.
package struct AdviceReport: Sendable, Hashable {
  package var outcome: Outcome
  package var reason: Reason
  package var cause: MonitorCause
  package var ruleSet: String?
  /// The rule's id, or `default`.
  package var rule: String?
  /// `file:line:column` of the rule.
  package var ruleLocation: String?

  package init(_ outcome: Outcome, _ reason: Reason, _ cause: MonitorCause) {
    self.outcome = outcome
    self.reason = reason
    self.cause = cause
  }
}

/// Unknown or ignored parts of a question: why an answer is stricter than the person who asked expected.
package struct DecisionNotes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The policy does not know the account that owns the data: it counts as an unknown managed one.
  package static let unknownOwner = DecisionNotes(rawValue: 1)
  /// The policy does not know the account that the place belongs to.
  package static let unknownLocationAccount = DecisionNotes(rawValue: 2)
  /// The policy does not know the account of the other program.
  package static let unknownPeerAccount = DecisionNotes(rawValue: 4)
  /// The other program was not named, or is neither an app of the policy nor a managed one: it counts as unmanaged.
  package static let unknownPeer = DecisionNotes(rawValue: 8)
  /// The path leads through `..` or `//`, is relative, or holds control characters: the place counts as `other`.
  package static let unreadablePath = DecisionNotes(rawValue: 16)
  /// Such a place is not saved to, or not opened from: it counts as `other`.
  package static let otherLocation = DecisionNotes(rawValue: 32)
  /// Pictures belong to no account: the one that was given was not looked at (D-16).
  package static let accountIgnored = DecisionNotes(rawValue: 64)
  /// The app's own storage was named without its account while a managed one is shown: it counts as unmanaged (D-01).
  package static let localWithoutAccount = DecisionNotes(rawValue: 128)
  /// The app did not name the channel of the data.
  package static let unknownChannel = DecisionNotes(rawValue: 256)
  /// The app did not name the kind of screen recording.
  package static let unknownCapture = DecisionNotes(rawValue: 512)
  /// The app cannot replace content by a neutral text, so that it is blocked (D-20).
  package static let cannotRedact = DecisionNotes(rawValue: 1024)
  /// The app cannot switch identities when asked to, so that it is blocked (DT-10).
  package static let cannotSwitch = DecisionNotes(rawValue: 2048)
  /// The app named a place that this daemon has no word for: it counts as `other`.
  package static let unknownLocation = DecisionNotes(rawValue: 8192)
  /// It happens in a page that enforcing would not have opened.
  package static let afterAdvised = DecisionNotes(rawValue: 4096)
  /// A view for signing in, which the policy leaves unprotected (ledger HS-02).
  package static let unprotectedViewer = DecisionNotes(rawValue: 16384)
  /// The app cannot ask its user for a justification, so that it is blocked.
  package static let cannotWarn = DecisionNotes(rawValue: 32768)

  /// The app cannot lay a clip beside a notice, so that it is blocked.
  package static let cannotWrap = DecisionNotes(rawValue: 1 << 16)
  /// The app cannot take away all formats but plain text, so that it is blocked.
  package static let cannotStrip = DecisionNotes(rawValue: 1 << 17)

  /// The page that takes the data is external and counts as unmanaged (ledger WV-31).
  package static let externalReceiver = DecisionNotes(rawValue: 1 << 18)

  /// A rule of the policy names the place of the URL (ledger SL-05).
  package static let namedByRule = DecisionNotes(rawValue: 1 << 19)

  /// The words of the wire and the log, in the order of the interface.
  package static let names: [(name: String, note: DecisionNotes)] = [
    ("unknownOwner", .unknownOwner), ("unknownLocationAccount", .unknownLocationAccount),
    ("unknownPeerAccount", .unknownPeerAccount), ("unknownPeer", .unknownPeer), ("unreadablePath", .unreadablePath),
    ("unknownLocation", .unknownLocation), ("otherLocation", .otherLocation), ("accountIgnored", .accountIgnored),
    ("localWithoutAccount", .localWithoutAccount), ("unknownChannel", .unknownChannel),
    ("unknownCapture", .unknownCapture), ("cannotRedact", .cannotRedact), ("cannotSwitch", .cannotSwitch),
    ("afterAdvised", .afterAdvised), ("unprotectedViewer", .unprotectedViewer), ("cannotWarn", .cannotWarn),
    ("cannotWrap", .cannotWrap), ("cannotStrip", .cannotStrip),
    ("externalReceiver", .externalReceiver),
    ("namedByRule", .namedByRule),
  ]

  package var words: [String] { Self.names.filter { contains($0.note) }.map(\.name) }
}
