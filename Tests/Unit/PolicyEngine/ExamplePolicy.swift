import GuardModel
import PolicyEngine
import TestSupport
import URLRules

/// A small policy that each test bends where it needs to.
///
/// App `com.contoso.portal` with the classes `documents` (rules), `company` (no rules) and `public` (unmanaged); the
/// accounts of contoso.com are managed, `private@home.example` is known and free.
struct ExamplePolicy {
  var number: UInt64 = 1
  var policyRequired = true
  var app = App(name: "com.contoso.portal")
  var otherApps: [App] = ["com.contoso.notes", "com.contoso.browser"].map { name in
    var app = App(name: name)
    app.identityMode = .multi
    return app
  }
  var protection = Protection(name: "contoso-standard")
  var otherProtections: [Protection] = []
  var work = AccountEntry(upn: "work@contoso.com", objectID: "6D5C")
  var otherAccounts = [AccountEntry(upn: "private@home.example", objectID: nil)]
  var rules: [Rule] = []
  var ruleDefault = Verdict.external
  var otherRuleSets = [RuleSet(name: "everything", default: .internal, rules: [])]
  var browsers = Browsers()
  var links = Links()
  var texts = UserTexts()
  var enrollment = EnrollmentTimes()
  var wipe = WipeSettings()

  init() {
    protection.accountPatterns = ["*@contoso.com"]
    protection.webTransfer = .managedBrowser
    protection.clipboard.level = .managedWithPasteIn
    protection.send = .managed
    protection.exemptSchemes = [Array("skype".utf8)]
    protection.managedSchemes = [Array("onedrive".utf8)]
    app.identityMode = .multi
    app.managedAccounts = .several
    app.handledSchemes = [Array("contoso-portal".utf8)]
    app.classes = [viewerClass("documents", 0), viewerClass("company", nil), viewerClass("public", nil)]
    app.classes[2].policy = .unmanaged
    rules = [
      Rule(id: "tenant", verdict: .internal, condition: .domain(Array("contoso.com".utf8)), location: "r.yaml:4:5"),
      Rule(
        id: "sharing", verdict: .external, condition: .domain(Array("evil.example".utf8)), then: .block,
        message: "{host} is a file-sharing site: {url}"),
      Rule(id: "watched", verdict: .external, condition: .host(Array("watched.example".utf8)), then: .redirect),
    ]
    let edge = Program(desktopID: "com.microsoft.Edge.desktop", command: ["edge", "--new", "{url}"])
    browsers.managed = ManagedBrowser(program: edge, app: "com.contoso.browser")
    browsers.unmanaged = UnmanagedBrowser(program: Program(desktopID: "browser.desktop"), scheme: "mybrowser")
  }

  private func viewerClass(_ name: String, _ ruleSet: RuleSetIndex?) -> ViewerClass {
    var viewerClass = ViewerClass(name: name)
    viewerClass.policy = .currentIdentity
    viewerClass.ruleSet = ruleSet
    return viewerClass
  }

  var snapshot: Snapshot {
    let ruleSet = RuleSet(name: "contoso-documents", default: ruleDefault, rules: rules, defaultLocation: "r.yaml:2:1")
    return Snapshot(
      generation: number > 0 ? Generation(number: number, digest: "d\(number)") : Generation(),
      policyRequired: policyRequired, apps: [app] + otherApps,
      accounts: AccountDirectory(entries: [work] + otherAccounts), protections: [protection] + otherProtections,
      ruleSets: [ruleSet] + otherRuleSets, browsers: browsers, links: links, texts: texts,
      enrollment: enrollment, wipe: wipe)
  }

  /// This policy after a change.
  func with(_ change: (inout ExamplePolicy) -> Void) -> ExamplePolicy {
    var copy = self
    change(&copy)
    return copy
  }
}

/// The daemon's core under a policy, with one instance of the portal of user 1000 that shows `work@contoso.com`; the
/// viewers `D` (documents), `C` (company) and `P` (public) are registered.
struct Example {
  var snapshot: Snapshot
  var state: GuardState
  let portal: InstanceID

  init(
    _ policy: ExamplePolicy = ExamplePolicy(), as account: String? = "work@contoso.com",
    features: ClientFeatures = .usual, limits: StateLimits = StateLimits()
  )
    throws
  {
    snapshot = policy.snapshot
    state = GuardState(epoch: 42, limits: limits)
    portal = try state.attach(app: 0, peer: Peer(uid: 1000), features: features, snapshot)
    try set(account)
    for (viewer, name) in [("D", "documents"), ("C", "company"), ("P", "public")] {
      if policy.app.classes.contains(where: { $0.name == name }) {
        try register(ViewerDescription(viewer, class: name))
      }
    }
  }

  /// A second running app.
  mutating func attach(
    _ app: String, uid: UInt32 = 1000, as account: String?, features: ClientFeatures = .usual
  ) throws -> InstanceID {
    let id = try state.attach(app: snapshot.app(named: app) ?? 0, peer: Peer(uid: uid), features: features, snapshot)
    try set(account, in: id)
    try state.register(ViewerDescription("V"), in: id, snapshot)
    return id
  }

  /// Sets the identity of the process, or of a window.
  mutating func set(_ account: String?, window: String? = nil, in id: InstanceID? = nil) throws {
    let id = id ?? portal
    let identity = try state.identity(account, in: id, snapshot)
    if let window {
      _ = try state.setIdentity(identity, ofWindow: window, in: id, snapshot)
    } else {
      _ = try state.setProcessIdentity(identity, in: id, snapshot)
    }
  }

  mutating func register(_ call: ViewerDescription) throws(Refusal) { try state.register(call, in: portal, snapshot) }

  mutating func tag(_ viewer: String, _ policy: WebViewPolicy) throws(Refusal) {
    try state.setWebViewPolicy(policy, of: viewer, in: portal, snapshot)
  }

  mutating func setRules(_ ruleSet: String?, _ viewer: String) throws(Refusal) {
    try state.setExternalURLRules(ruleSet, of: viewer, in: portal, snapshot)
  }

  mutating func setDocument(_ url: String?, _ viewer: String) throws(Refusal) {
    try state.setDocument(url, of: viewer, in: portal, snapshot)
  }

  mutating func navigate(
    _ url: String?, in viewer: String? = "D", from: String? = nil, frame: Frame = .main,
    with change: (inout Event) -> Void = { _ in }
  ) -> Decision {
    var event = Event(.navigate)
    event.viewer = viewer.map { event.append($0) }
    event.url = url.map { event.append($0) }
    event.from = from.map { event.append($0) }
    event.frame = frame
    change(&event)
    return decide(event, of: portal, &state, under: snapshot)
  }

  mutating func clip(
    _ kind: EventKind, _ selection: Selection = .clipboard, in viewer: String = "D", of id: InstanceID? = nil,
    length: Int? = nil, display: String? = nil, with change: (inout Event) -> Void = { _ in }
  ) -> Decision {
    var event = Event(kind)
    event.viewer = event.append(viewer)
    event.display = display.map { event.append($0) }
    event.selection = selection
    event.length = length
    change(&event)
    return decide(event, of: id ?? portal, &state, under: snapshot)
  }

  /// A copy that happens, and that its app sees happen.
  @discardableResult
  mutating func copied(
    _ selection: Selection = .clipboard, in viewer: String = "D", of id: InstanceID? = nil, length: Int? = nil,
    display: String? = nil, at time: UInt64 = 0
  ) -> Decision {
    let decision = clip(.copy, selection, in: viewer, of: id, length: length, display: display) { $0.time = time }
    _ = clip(.clipboardChanged, selection, in: viewer, of: id, length: length, display: display) {
      ($0.selfOwned, $0.proposal, $0.time) = (.yes, decision.proposal, time)
    }
    return decision
  }

  mutating func reload(_ policy: ExamplePolicy) {
    snapshot = policy.snapshot
    state.adopt(snapshot)
  }
}

/// What most tests compare.
struct Answer: Equatable, CustomStringConvertible {
  let outcome: Outcome
  let reason: Reason

  init(_ outcome: Outcome, _ reason: Reason) {
    self.outcome = outcome
    self.reason = reason
  }

  init(_ decision: Decision) { self.init(decision.outcome, decision.reason) }

  var description: String { "\(outcome.name) \(reason.rawValue)" }
}

extension ClientFeatures {
  /// What most programs of these tests can do with clips.
  static let usual: ClientFeatures = [.wrap, .plainText]
}

extension GuardState {
  /// The report of the decision that this state took last.
  func report(_ decision: Decision, _ snapshot: Snapshot, for asker: InstanceID? = nil) -> DecisionReport {
    report(Ruling(decision, reading: input), snapshot, for: asker)
  }

  /// The URLs that it read for that decision, as the daemon asks for them.
  var readURLs: (url: URLText?, from: URLText?, isInvalid: Bool) {
    var ruling = Ruling(reading: input)
    return (ruling.judgedURL(), ruling.judgedFrom(), ruling.judgedURLIsInvalid)
  }
}
