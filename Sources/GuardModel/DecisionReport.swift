/// A decision with every name spelled out: what the wire, the log and the command line print.
///
/// Made from a `Decision` and the snapshot that took it; nothing in it needs that snapshot any more.
package struct DecisionReport: Sendable, Hashable {
  package var outcome = Outcome.block
  package var reason = Reason.unknownEvent
  package var viewerIsUnknown = false
  package var policy: WebViewPolicy?
  package var policySource: PolicySource?
  /// The viewer's class; nil when it has none.
  package var viewerClass: String?
  /// The account the action counts as: nil when none is set, `""` for explicitly nobody.
  package var identity: String?
  package var identityLevel = IdentityLevel.none
  package var protection: String?
  /// How that came to bind its account, for the log (ledger MI-26); nil where no protection decided.
  package var protectionSource: ProtectionSource?
  package var verdict: Verdict?
  package var ruleSet: String?
  /// The rule's id, or `default`.
  package var rule: String?
  /// `file:line:column` of the rule.
  package var ruleLocation: String?
  /// The timed exception by which the URL counts as internal, whatever the rules said.
  package var exception: ExceptionReport?
  /// What the user may be told.
  package var message: String?
  package var open: OpenOffer?
  package var offered: Outcome?
  /// `file:line:column` of the link list's entry that takes the URL.
  package var linkLocation: String?
  package var bodyDropped = false
  package var clip: String?
  package var proposal: String?
  /// The account that owns the clip; nil unless the decision is about a clip.
  package var clipOwner: String?
  package var limit: Int?
  package var onlyPlainText = false
  package var mimeWrap = false
  /// `Share` as a chooser: the programs that the person may choose from; nil where that is any, or nothing was chosen from.
  package var programs: [String]?
  package var blurPreview = false
  /// What a toolkit may insert in place of a refused paste, or of a clip that is wrapped.
  package var replacement: String?
  /// The account that the file or item belongs to from now on.
  package var setOwner: String?
  package var mustEncrypt = false
  /// The account that data becomes which was nobody's.
  package var tagAs: String?
  /// The account to show before the question is asked again, `""` for nobody; nil unless the outcome says so.
  package var switchTo: String?
  package var switchRequest: String?
  package var location: Location?
  package var notes: DecisionNotes = []
  /// What would have been answered, where the policy only monitors.
  package var advice: AdviceReport?
  package var generation = Generation()
  /// It says something of this one event, such as its URL or a new clip: no other event may be answered with it.
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
  /// Where a managed link goes when its program cannot open it.
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

/// Which policy decided: a number that grows with every load, and the digest of what was loaded.
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

/// How a protection came to bind an account (ledger MI-26). The SDK's `MAM` is what `account` and `pattern` say, a policy of
/// the account; its `MDM`, a policy of the machine, is what `group` says.
package enum ProtectionSource: String, Sendable, Hashable, CaseIterable {
  /// The account's entry states it.
  case account
  /// One of its own names or patterns takes the account.
  case pattern
  /// It binds all accounts of a group of the machine's users.
  case group
}

/// A timed exception as a decision names it: which, who granted it, and why.
package struct ExceptionReport: Sendable, Hashable {
  /// How the log and `exception list` name it: `k7m2q9xw`
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
