package import GuardModel
package import URLRules

/// A program that embeds viewers, as the policy describes it.
package struct App: Sendable {
  package var name: String
  package var peers: [PeerRule] = []
  package var identityMode = IdentityMode.single
  package var managedAccounts = ManagedAccounts.one
  /// The fixed process account, for apps without sign-in; `""` explicitly means no account.
  package var account: String?
  package var untilIdentity = UntilIdentity.allow
  /// Its accounts: the sources that confirm a sign-in, and the accounts that it takes.
  package var accounts = AppAccounts()
  /// Directories that belong to one account alone; a wipe removes them (ledger WP-02).
  package var dataDirectories: [DataDirectory] = []
  /// Its word that its user unlocked counts, if a protection asks for it (ledger IS-02).
  package var unlocks = false
  package var treatAllWebViewsAsUnmanaged = false
  /// Views for signing in are unprotected, so that the sign-in works: data that they show may leak (ledger SE-03,
  /// HS-02).
  package var authViewersUnprotected = false
  /// Schemes the app handles in its own viewers, in lower case.
  package var handledSchemes: [[UInt8]] = []
  package var popups = Popups.inherit
  package var classes: [ViewerClass] = []
  package var record = RecordPolicy.all
  /// Until this second, since 1970 UTC, restrictions of this app are recorded and not enforced; nil: they are enforced.
  package var monitoredUntil: Int64?
  /// `file:line:column` of the app in the policy.
  package var location = ""

  // Made by the snapshot from the classes.
  /// The rule sets of all classes, which judge an unknown viewer.
  private(set) var strictestRuleSets: [RuleSetIndex] = []
  private(set) var unknownViewersAreAlwaysJudged = false

  package init(name: String) { self.name = name }

  /// It is only monitored. A snapshot has no clock: it does not contain monitoring that is over.
  package var isMonitored: Bool { monitoredUntil != nil }

  package subscript(viewerClass: ViewerClassIndex) -> ViewerClass {
    @inline(__always) get { classes[Int(viewerClass.place)] }
  }

  package func viewerClass(named name: String) -> ViewerClassIndex? {
    classes.firstIndex { $0.name == name }.map(ViewerClassIndex.init)
  }

  /// The rule sets of all its classes, each once.
  fileprivate var ruleSetsOfClasses: [RuleSetIndex] {
    var found: [RuleSetIndex] = []
    for case let ruleSet? in classes.map(\.ruleSet) where !found.contains(ruleSet) { found.append(ruleSet) }
    return found
  }

  /// The same app with the rule sets for its unknown viewers filled in.
  func completed() -> App {
    var copy = self
    copy.strictestRuleSets = ruleSetsOfClasses
    copy.unknownViewersAreAlwaysJudged = classes.contains { $0.rulesApply == .always }
    return copy
  }
}

/// The name under which policy is written for viewers.
package struct ViewerClass: Sendable {
  package var name: String
  /// Fixed by the configuration; nil leaves it to the app.
  package var policy: WebViewPolicy?
  /// Index of the rule set; nil leaves it to the app.
  package var ruleSet: RuleSetIndex?
  package var rulesApply = RulesApply.managed
  /// Sub-frame navigations are judged as well.
  package var subFrames = false
  /// The sign-in pages that its managed views visit with the proof that their account's person is signed in.
  package var signIn: [LoginHost] = []
  package var location = ""

  package init(name: String) { self.name = name }
}

/// A condition for peers that may speak for an app. The peer must meet every stated part.
package struct PeerRule: Sendable, Hashable {
  package var uid: UInt32?
  package var group: UInt32?
  package var unit: String?
  package var label: String?
  /// The app's own socket, by name. A peer on this socket is that app and no other, by this fact alone; a peer on
  /// another socket is not.
  package var socket: String?
  /// The peer runs as the daemon's own user: for user services and for trying things out.
  package var sameUser: Bool

  package init(
    uid: UInt32? = nil, group: UInt32? = nil, unit: String? = nil, label: String? = nil, socket: String? = nil,
    sameUser: Bool = false
  ) {
    self.uid = uid
    self.group = group
    self.unit = unit
    self.label = label
    self.socket = socket
    self.sameUser = sameUser
  }

  /// Whether the rule speaks of this peer; an empty rule speaks of no peer.
  package func speaks(of peer: Peer) -> Bool {
    guard socket == peer.socket else { return false }
    guard sameUser || uid != nil || group != nil || unit != nil || label != nil || socket != nil else { return false }
    if sameUser, !peer.isSameUser { return false }
    if let uid, peer.uid != uid { return false }
    if let group, !peer.groups.contains(group) { return false }
    if let unit, peer.unit != unit { return false }
    if let label, peer.label != label { return false }
    return true
  }
}

/// The other end of a connection, as the kernel describes it.
package struct Peer: Sendable, Hashable {
  package var uid: UInt32
  /// The user that the uid counts as: itself, or the owner of the range of subordinate uids that contains it.
  package var person: UInt32
  package var pid: Int32
  package var groups: [UInt32]
  /// The systemd unit of its cgroup; nil when it runs in none.
  package var unit: String?
  /// The AppArmor label; nil when unconfined.
  package var label: String?
  /// The name of the app's own socket it came through; nil for the guard socket, which all apps share.
  package var socket: String?
  /// It runs as the daemon's own user.
  package var isSameUser = false

  package init(uid: UInt32, pid: Int32 = 0, groups: [UInt32] = [], unit: String? = nil, label: String? = nil) {
    self.uid = uid
    person = uid
    self.pid = pid
    self.groups = groups
    self.unit = unit
    self.label = label
  }
}

package enum IdentityMode: String, Sendable, Hashable, CaseIterable {
  /// One account for the whole app, as in the SDK (ledger MI-01, SE-04).
  case single
  /// Identities are set per window and scope (ledger MI-02).
  case multi
}

/// Number of managed accounts that an instance may show at one time (ledger MI-04, SE-05, D-25).
package enum ManagedAccounts: String, Sendable, Hashable, CaseIterable {
  /// A second one is refused until the first is gone.
  case one
  case several
}

/// The rule in multi mode before the app has named its identity (ledger MI-03).
package enum UntilIdentity: String, Sendable, Hashable, CaseIterable {
  case block
  case allow
}

package enum Popups: String, Sendable, Hashable, CaseIterable {
  case block
  /// A popup takes its opener's tag and rules.
  case inherit
}

package enum RulesApply: String, Sendable, Hashable, CaseIterable {
  case managed
  /// Also if no managed identity is in force.
  case always
}

/// The browsers that a protection may send external pages to.
package struct Browsers: Sendable {
  package var managed: ManagedBrowser?
  package var unmanaged: UnmanagedBrowser?

  package init(managed: ManagedBrowser? = nil, unmanaged: UnmanagedBrowser? = nil) {
    self.managed = managed
    self.unmanaged = unmanaged
  }
}

package struct ManagedBrowser: Sendable, Hashable {
  /// The program to start.
  package var program: Program
  /// The app that is this browser; it is never redirected to itself.
  package var app: String?
  /// The apps whose pages open in it; none are all.
  package var apps: [String] = []
  /// Other managed browsers, in the order in which they are tried (ledger WT-07).
  package var alternatives: [ManagedBrowser] = []

  package init(program: Program, app: String? = nil) {
    self.program = program
    self.app = app
  }

  /// The app is one of these browsers.
  func isApp(_ name: String) -> Bool { app == name || alternatives.contains { $0.app == name } }

  /// Some of these browsers opens the app's pages.
  func serves(_ name: String) -> Bool { opens(name) || alternatives.contains { $0.opens(name) } }

  /// The programs in which the app's pages open, the first one to try before the others.
  package func programs(for name: String) -> [Program] {
    ([self] + alternatives).filter { $0.opens(name) }.map(\.program)
  }

  private func opens(_ name: String) -> Bool { apps.isEmpty || apps.contains(name) }
}

/// A browser that takes URLs under a scheme of its own (ledger WT-04):
/// with `scheme` `mybrowser`, `https://x/` becomes `mybrowsers://x/`.
package struct UnmanagedBrowser: Sendable, Hashable {
  package var program: Program
  package var scheme: String?

  package init(program: Program, scheme: String? = nil) {
    self.program = program
    self.scheme = scheme
  }
}

/// The way the app starts another program: a desktop file, or a command; neither leaves it to the desktop.
package struct Program: Sendable, Hashable {
  package var desktopID: String?
  /// The command; `{url}` in it stands for the URL.
  package var command: [String]?
  /// The form of the URL for this program; `{url}` is the unchanged URL.
  package var template = "{url}"

  package init(desktopID: String? = nil, command: [String]? = nil, template: String = "{url}") {
    self.desktopID = desktopID
    self.command = command
    self.template = template
  }
}

/// External links that belong elsewhere than in a browser (ledger WT-08 to WT-10).
package struct Links: Sendable {
  /// Links that may leave for an unmanaged program.
  package var exempt: LinkList
  /// Links that belong to a managed program, with the protected browser as fallback.
  package var managed: LinkList

  package init(exempt: LinkList = LinkList(), managed: LinkList = LinkList()) {
    self.exempt = exempt
    self.managed = managed
  }
}

/// Links by condition, each with the program it belongs to. Unknown conditions do not match, and every frame counts.
package struct LinkList: Sendable {
  package let rules: RuleSet
  /// The program of each entry, in the order of the rules.
  package let programs: [Program]

  package init(rules: [Rule] = [], programs: [Program] = [], lists: HostLists = .empty) {
    self.rules = RuleSet(name: "links", default: .external, rules: rules.map(Self.link), lists: lists)
    self.programs = programs
  }

  /// An `internal` rule needs certainty; an `external` one would take an unreadable link.
  private static func link(_ rule: Rule) -> Rule {
    var link = rule
    link.verdict = .internal
    link.takesCredentials = false
    link.monitoredUntil = nil
    link.purposes = [.page, .frame]
    return link
  }
}
