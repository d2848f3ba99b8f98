import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The ledger's system MI where it speaks of levels and names: whose an action is. Each test names its row.
struct EffectiveIdentityTests {
  private static let asked = EventKind.allCases.filter { ![.unknown, .clipboardChanged, .dragEnd].contains($0) }

  /// A policy that refuses everything, so that an answer of `allow` says that it was not asked.
  private static func strict(_ change: (inout ExamplePolicy) -> Void = { _ in }) -> ExamplePolicy {
    ExamplePolicy().with { policy in
      policy.protection.send = .none
      policy.protection.receive = .none
      policy.protection.printing = .block
      policy.protection.screenCapture = .block
      policy.protection.notifications = .block
      policy.protection.clipboard.level = .blocked
      policy.protection.webTransfer = .block
      policy.protection.requiresInspection = true
      change(&policy)
    }
  }

  private func answer(_ kind: EventKind, in viewer: String, _ example: inout Example) -> Answer {
    let event = Event.data(kind, in: viewer, with: Name.editor, url: "https://evil.example/") {
      $0.frame = .main
      $0.capture = .screenshot
      $0.channel = .assistant
      $0.selection = .clipboard
    }
    return Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
  }

  // MARK: Levels

  /// What each level has, and what counts for what is seen and for files; `-` is a level that inherits.
  private static let levels: [(scope: String?, window: String?, process: String?, shown: String, files: String)] = [
    (nil, nil, nil, "- none", "- none"),
    (nil, nil, Name.home, "\(Name.home) process", "\(Name.home) process"),
    (nil, Name.work, Name.home, "\(Name.work) window", "\(Name.home) process"),
    (nil, Name.work, nil, "\(Name.work) window", "- none"),
    (Name.work, Name.home, Name.home, "\(Name.work) scope", "\(Name.work) scope"),
    (Name.work, nil, nil, "\(Name.work) scope", "\(Name.work) scope"),
    (nil, "", Name.work, " window", "\(Name.work) process"),
    (nil, nil, "", " process", " process"),
    ("", Name.work, Name.work, " scope", " scope"),
  ]

  /// MI-11, MI-15: what is seen goes by scope, window, process; files by scope, process. MI-08, MI-09, MI-10: so the
  /// process counts for both, the window only for what is seen, and the scope before all. MI-13, MI-14: absent inherits,
  /// and nobody stops.
  @Test(arguments: levels)
  func theNearestLevelThatSaysSomethingCounts(
    _ scope: String?, _ window: String?, _ process: String?, _ shown: String, _ files: String
  ) throws {
    var example = try Example(as: process)
    try example.set(window, window: "w")
    let scope = try example.state.identity(scope, in: example.portal, example.snapshot)
    let instance = try #require(example.state.instance(example.portal))
    let name = Array("w".utf8)
    let interface = instance.effectiveUI(window: name.span, scope: scope)
    let file = instance.effectiveFile(scope: scope)
    #expect(text(interface.identity, interface.level, example) == shown)
    #expect(text(file.identity, file.level, example) == files)
    try example.register(ViewerDescription("V", window: "w"))
    let decision = example.navigate("https://contoso.com/", in: "V") { $0.scope = scope }
    #expect(text(decision.identity, decision.identityLevel, example) == shown, "each decision says which it was")
  }

  private func text(_ identity: Identity, _ level: IdentityLevel, _ example: Example) -> String {
    "\(example.state.name(of: identity) ?? "-") \(level.rawValue)"
  }

  /// MI-02: an app with several identities starts without any, whatever the policy names.
  @Test
  func anAppOfSeveralIdentitiesStartsWithNone() throws {
    let example = try Example(as: nil)
    let instance = try #require(example.state.instance(example.portal))
    #expect(instance.process == .absent)
    for resolved in [instance.effectiveUI(window: nil, scope: .absent), instance.effectiveFile(scope: .absent)] {
      #expect(resolved.identity == .absent && resolved.level == .none)
    }
  }

  /// MI-01: an app with one identity shows the account that the policy has for it from the start, and no other.
  @Test
  func anAppOfOneIdentityStartsWithIt() throws {
    var example = try Example(ExamplePolicy().with { $0.app.identityMode = .single }, as: Name.work)
    let started = try example.state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    #expect(example.state.name(of: example.state.instance(started)?.process ?? .absent) == Name.work)
    #expect(throws: Refusal.identityModeSingle) { try example.set(Name.home, window: "w", in: started) }
  }

  /// MI-03: until then it counts as an account that nobody manages, and every event is free.
  @Test(arguments: asked)
  func whoSaidNothingYetIsNobody(_ kind: EventKind) throws {
    var example = try Example(Self.strict(), as: nil)
    _ = example.clip(.clipboardChanged) { $0.selfOwned = .no }
    try example.register(ViewerDescription("V"))
    #expect(answer(kind, in: "V", &example) == Answer(.allow, .noIdentity))
  }

  /// MI-12, MI-04: no policy binds nobody, nor an account that no protection takes, while the managed one is bound.
  @Test(arguments: asked)
  func onlyTheManagedAccountIsBound(_ kind: EventKind) throws {
    var example = try Example(Self.strict(), as: nil)
    _ = example.clip(.clipboardChanged) { $0.selfOwned = .no }
    for (account, free) in [("", Answer(.allow, .noManagedIdentity)), (Name.home, Answer(.allow, .unmanaged))] {
      try example.set(account)
      #expect(answer(kind, in: "D", &example) == free)
    }
    try example.set(Name.work)
    #expect(answer(kind, in: "D", &example).outcome == .block)
  }

  /// MI-21: each window has its own, and an event is judged by the window of its viewer.
  @Test
  func eachWindowHasItsOwn() throws {
    var example = try Example(as: nil)
    for (window, account) in [("one", Name.work), ("two", Name.home), ("three", "")] {
      try example.set(account, window: window)
      try example.register(ViewerDescription(window, class: "documents", window: window))
    }
    #expect(Answer(example.navigate("https://news.example/", in: "one")) == Answer(.redirect, .external))
    #expect(Answer(example.navigate("https://news.example/", in: "two")) == Answer(.allow, .unmanaged))
    #expect(Answer(example.navigate("https://news.example/", in: "three")) == Answer(.allow, .noManagedIdentity))
    try example.set(Name.home, window: "one")
    #expect(Answer(example.navigate("https://news.example/", in: "one")) == Answer(.allow, .unmanaged))
  }

  // MARK: Scopes

  /// MI-16, MI-17, MI-18: an event carries the scope it was asked in; what the connection's scope is by the time it is
  /// decided does not matter, and a scope of its own goes before the one it inherited.
  @Test
  func anEventKeepsTheScopeItWasAskedIn() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.printing = .block }, as: "")
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    let home = try example.state.identity(Name.home, in: example.portal, example.snapshot)
    example.state.setScope(work, ofConnection: 7, in: example.portal)
    let asked = Event.data(.print) { $0.scope = work }
    let changed = Event.data(.print) { $0.scope = home }
    example.state.setScope(home, ofConnection: 7, in: example.portal)
    for (event, answer) in [(asked, Answer(.block, .printBlocked)), (changed, Answer(.allow, .unmanaged))] {
      #expect(Answer(decide(event, of: example.portal, &example.state, under: example.snapshot)) == answer)
    }
  }

  /// MI-22, IS-02: a scope runs no checks, a switch does; what is done in the scope is checked all the same.
  @Test
  func aScopeRunsNoChecksButASwitchDoes() throws {
    var example = try Example(ExamplePolicy().with { $0.work.state = .nonCompliant }, as: nil)
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    try example.state.requireOneManaged(work, in: example.portal, example.snapshot)
    example.state.setScope(work, ofConnection: 7, in: example.portal)
    let result = try example.state.switchIdentity(to: work, ofWindow: "w", in: example.portal, example.snapshot)
    #expect(result == .failed)
    let event = Event.data(.print) { $0.scope = work }
    #expect(
      Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.block, .accountNotCompliant))
  }

  // MARK: Names

  /// MI-05, MI-07: the sign-in name and the object id are one account. MI-06: in any case, and nothing else is it.
  @Test(arguments: [
    (Name.work, true), ("WORK@CONTOSO.COM", true), ("wOrK@contoso.Com", true), ("6D5C", true), ("6d5c", true),
    ("work@contoso.co", false), ("wörk@contoso.com", false), ("6d5", false), ("work@ｃontoso.com", false),
  ])
  func twoNamesAreOneAccountWithoutCase(_ name: String, _ isSame: Bool) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.accountPatterns.append(name) })
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    let other = try example.state.identity(name, in: example.portal, example.snapshot)
    #expect((work == other) == isSame)
    if isSame { #expect(example.state.name(of: other) == Name.work, "as the policy spells it") }
  }

  /// MI-06, D-02: no locale has a say, so that a dotless i is never an i.
  @Test(arguments: [("INFO@CONTOSO.COM", "info@contoso.com"), ("ınfo@contoso.com", "ınfo@contoso.com")])
  func namesFoldTheSameEverywhere(_ name: String, _ folded: String) {
    #expect(AccountName.fold(name) == folded)
  }

  /// MI-23: a decision names the protection where an account is managed, and none where it is not.
  @Test(arguments: [
    (Name.work, "contoso-standard" as String?), ("6d5c", "contoso-standard"), (Name.home, nil), ("", nil),
  ])
  func aManagedAccountHasItsProtection(_ account: String, _ protection: String?) throws {
    var example = try Example(as: account)
    let decision = decide(.data(.print), of: example.portal, &example.state, under: example.snapshot)
    #expect(example.state.report(decision, example.snapshot).protection == protection)
  }
}
