/// A decision with every name spelled out, for the wire, the log and the command line.
///
/// Made from a `Decision` and the snapshot that took it; it no longer needs that snapshot.
package struct DecisionReport: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent
  package var flags: DecisionFlags = []
  package var policy: WebViewPolicy?
  package var policySource: PolicySource?
  /// The viewer's class; nil when it has none.
  package var viewerClass: String?
  /// The account the action counts as: nil when none is set, `""` for explicitly no account.
  package var identity: String?
  package var identityLevel = IdentityLevel.none
  package var protection: String?
  /// The way that protection came to bind its account, for the log (ledger MI-26); nil where no protection decided.
  package var protectionSource: ProtectionSource?
  package var verdict: Verdict?
  package var ruleSet: String?
  /// The rule's id, or `default`.
  package var rule: String?
  /// `file:line:column` of the rule.
  package var ruleLocation: String?
  /// The timed exception by which the URL counts as internal, against the rules.
  package var exception: ExceptionReport?
  /// The text for the user.
  package var message: String?
  package var open: OpenOffer?
  package var offered: Outcome?
  /// `file:line:column` of the link list's entry that takes the URL.
  package var linkLocation: String?
  package var clip: String?
  package var proposal: String?
  /// The account that owns the clip; nil unless the decision is about a clip.
  package var clipOwner: String?
  package var limit: Int?
  /// `Share` as a chooser: the programs that the person may choose from; nil for any program, or without a choice.
  package var programs: [String]?
  /// The text that a toolkit may insert in place of a refused paste, or of a wrapped clip.
  package var replacement: String?
  /// The account that the file or item belongs to from now on.
  package var setOwner: String?
  /// The account that unmanaged data becomes.
  package var tagAs: String?
  /// The account to show before the question is asked again, `""` for none; nil unless the outcome says so.
  package var switchTo: String?
  package var switchRequest: String?
  package var location: Location?
  package var notes: DecisionNotes = []
  /// The answer that an enforced policy would give, where the policy only monitors.
  package var advice: AdviceReport?
  package var generation = Generation()
  /// It concerns this one event, such as its URL or a new clip: it may not answer any other event.
  package var isOfOneEvent = true

  package init() {}

  /// The same without the list of programs, of which a batch would hold hundreds.
  package var withoutPrograms: DecisionReport {
    guard programs != nil else { return self }
    var report = self
    report.programs = nil
    return report
  }
}

/// Another program that may open the URL. Only the app can start it, in its user's session.
package struct OpenOffer: Sendable, Hashable {
  /// `managedBrowser`, `unmanagedBrowser`, `exemptLink`, `managedLink` or `schemeHandler`.
  package var target: String
  /// The `.desktop` file to start; nil leaves it to the desktop's own handler.
  package var desktopID: String?
  /// The command to start instead, ready to run.
  package var argv: [String]?
  package var url: String
  /// The offers for a managed link that its program cannot open.
  package var fallback: [OpenOffer]

  package init(target: String, desktopID: String? = nil, argv: [String]? = nil, url: String, fallback: [OpenOffer] = [])
  {
    self.target = target
    self.desktopID = desktopID
    self.argv = argv
    self.url = url
    self.fallback = fallback
  }
}

/// The policy that decided: a number that grows with every load, and the digest of the loaded files.
package struct Generation: Sendable, Hashable {
  /// 0 before any policy loaded.
  package var number: UInt64 = 0
  /// SHA-256 over the files, in lower-case hexadecimal; empty before any policy loaded.
  package var digest = ""

  package init() {}

  package init(number: UInt64, digest: String) {
    self.number = number
    self.digest = digest
  }
}

/// The way a protection came to bind an account (ledger MI-26). The SDK's `MAM`, a policy of the account, corresponds
/// to `account` and `pattern`; its `MDM`, a policy of the machine, to `group`.
package enum ProtectionSource: String, Sendable, Hashable, CaseIterable {
  /// The account's entry states it.
  case account
  /// One of its own names or patterns takes the account.
  case pattern
  /// It binds all accounts of a group of the machine's users.
  case group
}

/// A timed exception as a decision names it: its id, its grantor, and its cause.
package struct ExceptionReport: Sendable, Hashable {
  /// The id in the log and in `exception list`: `k7m2q9xw`
  package let id: String
  /// ``host `files.example` ``, or ``domain `files.example` `` with everything below it.
  package let site: String
  /// The person who granted it, `alice (uid 1000)`.
  package let grantor: String
  /// In the grantor's words.
  package let cause: String
  /// The first moment in which it no longer holds, in milliseconds since 1970.
  package let until: UInt64

  package init(id: String, site: String, grantor: String, cause: String, until: UInt64) {
    self.id = id
    self.site = site
    self.grantor = grantor
    self.cause = cause
    self.until = until
  }

  /// ``exception `k7m2q9xw`: host `files.example` counts as internal until 2026-11-21T18:00:00.000Z, granted by …``
  package var sentence: String {
    "exception `\(id)`: \(site) counts as internal until \(RFC3339.text(until)), granted by \(grantor): `\(cause)`"
  }
}
