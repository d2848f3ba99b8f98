import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Ledger E.5 and system IS: switches that the app wants, and those that the daemon asks for.
struct IdentitySwitchTests {
  private func example(_ change: (inout ExamplePolicy) -> Void = { _ in }) throws -> Example {
    var policy = ExamplePolicy()
    policy.app.managedAccounts = .one
    policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    change(&policy)
    return try Example(policy, as: nil)
  }

  private func result(
    _ account: String?, window: String? = "w", scope: String? = nil, gates: SwitchResult = .success,
    _ example: inout Example
  ) throws -> SwitchResult {
    let identity = try example.state.identity(account, in: example.portal, example.snapshot)
    let scope = try example.state.identity(scope, in: example.portal, example.snapshot)
    return try example.state.switchIdentity(
      to: identity, ofWindow: window, scope: scope, gates: gates, in: example.portal, example.snapshot)
  }

  private func shown(_ example: Example) -> String? {
    let window = Array("w".utf8)
    return example.state.instance(example.portal).flatMap {
      example.state.name(of: $0.effectiveUI(window: window.span, scope: .absent).identity)
    }
  }

  /// IS-01, IS-02: an app asks for any account; the gates decide of a managed one, and of no other. The scenarios
  /// IS-SUCCESS, IS-UNMANAGED, IS-FAILED.
  @Test(arguments: [
    (Name.work, SwitchResult.success, SwitchResult.success), (Name.work, .canceled, .canceled),
    (Name.work, .failed, .failed), (Name.work, .notAllowed, .notAllowed), (Name.home, .failed, .success),
    ("", .canceled, .success),
  ])
  func theGatesDecideOfManagedAccounts(_ account: String, _ gates: SwitchResult, _ expected: SwitchResult) throws {
    var example = try example()
    #expect(try result(account, gates: gates, &example) == expected)
    #expect(shown(example) == (expected == .success ? account : nil))
  }

  /// IS-03: until success, and after anything else, the identity that was is the one in force.
  @Test(arguments: [SwitchResult.canceled, .notAllowed, .failed])
  func untilSuccessTheIdentityStays(_ gates: SwitchResult) throws {
    var example = try example { $0.protection.printing = .block }
    try example.register(ViewerDescription("V", window: "w"))
    #expect(try result(Name.home, &example) == .success)
    #expect(try result(Name.work, gates: gates, &example) == gates)
    #expect(shown(example) == Name.home)
    let print = Event.data(.print, in: "V")
    #expect(
      Answer(decide(print, of: example.portal, &example.state, under: example.snapshot)) == Answer(.allow, .unmanaged))
    #expect(try result(Name.work, &example) == .success)
    #expect(
      Answer(decide(print, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.block, .printBlocked))
  }

  /// IS-04: the four results, in the order in which the SDK numbers them.
  @Test
  func theResultsAreTheSDKs() {
    #expect(SwitchResult.allCases.map(\.rawValue) == ["success", "canceled", "notAllowed", "failed"])
  }

  /// IS-07: a switch is of what is seen; files go by the process as before.
  @Test
  func aSwitchIsNotOfFiles() throws {
    var example = try example()
    try example.set(Name.home)
    #expect(try result(Name.work, &example) == .success)
    let instance = try #require(example.state.instance(example.portal))
    #expect(shown(example) == Name.work)
    #expect(example.state.name(of: instance.effectiveFile(scope: .absent).identity) == Name.home)
  }

  /// IS-08: a switch to nothing falls back to the process; one to nobody stops there.
  @Test
  func nothingFallsBackAndNobodyStops() throws {
    var example = try example()
    try example.set(Name.home)
    #expect(try result("", &example) == .success)
    #expect(shown(example) == "")
    #expect(try result(nil, &example) == .success)
    #expect(shown(example) == Name.home)
  }

  /// IS-11, DT-10: data that a URL brings, and data of a document, ask for a switch with a cause each.
  @Test
  func aURLIsACauseOfItsOwn() throws {
    let policy = ExamplePolicy().with { $0.protection.receive = .managed }
    for (url, cause) in [(nil, SwitchCause.documentImport), ("contoso-portal:open?x", .openURL)]
      as [(String?, SwitchCause)]
    {
      var example = try Example(policy, features: [.switchIdentity])
      try example.register(ViewerDescription("W", class: "company", window: "w"))
      try example.set(Name.work, window: "w")
      let event = Event.data(.receive, in: "W", with: Name.editor, url: url)
      let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
      #expect(Answer(decision) == Answer(.switchIdentity, .identitySwitchNeeded))
      #expect(example.state.openRequests(of: example.portal, at: 0).map(\.cause) == [cause])
    }
  }

  /// IS-11: why the daemon asks, in the words of the SDK.
  @Test
  func theCausesAreTheSDKs() {
    #expect(SwitchCause.allCases.map(\.rawValue) == ["openURL", "cancelConditionalLaunch", "documentImport"])
  }

  /// IS-14: data that comes from the wrong place has a reason and a text of its own each: nobody's, another account's,
  /// and a switch that did not come about.
  @Test
  func refusedDataSaysWhichItWas() throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    try asked.answer(request, .failed, at: 2_000)
    let failed = asked.ask()
    asked.event = .data(.receive, in: "V", owner: Name.second, with: Name.notes, as: Name.second)
    let wrong = asked.ask()
    let plain = try asked.example.attach(Name.notes, as: Name.work)
    let foreign = decide(
      .data(.receive, in: "V", with: Name.editor), of: plain, &asked.example.state, under: asked.example.snapshot)
    let decisions = [failed, wrong, foreign]
    #expect(decisions.map(\.outcome) == [.block, .block, .block])
    #expect(decisions.map(\.reason) == [.identitySwitchFailed, .wrongAccount, .incomingRestricted])
    let texts = decisions.compactMap { asked.example.state.report($0, asked.example.snapshot).message }
    #expect(Set(texts).count == 3)
  }

  /// IS-05, MI-04, MI-28: until the first is gone. The scenarios IS-NOT-ALLOWED-ORG, MI-LOGIN-TWO-MANAGED.
  @Test
  func aSecondManagedAccountWaitsForTheFirstToGo() throws {
    var example = try example()
    #expect(try result(Name.work, &example) == .success)
    #expect(try result(Name.second, &example) == .notAllowed)
    #expect(try result(Name.second, window: "other", &example) == .notAllowed)
    #expect(try result(Name.second, window: nil, &example) == .notAllowed)
    #expect(shown(example) == Name.work)
    #expect(try result("6D5C", window: "other", &example) == .success, "the same account by another name")
    #expect(try result(Name.home, window: "third", &example) == .success)
    #expect(try result("", &example) == .success)
    #expect(try result(Name.second, &example) == .notAllowed, "the other window still shows it")
    #expect(try result(nil, window: "other", &example) == .success)
    #expect(try result(Name.second, &example) == .success)
    #expect(throws: Refusal.secondManagedAccount(Name.second)) { try example.set(Name.work) }
    #expect(throws: Refusal.secondManagedAccount(Name.second)) { try example.set(Name.work, window: "x") }
  }

  /// A scope counts as well, whichever comes first.
  @Test
  func aScopeIsAPlaceToBeSignedInToo() throws {
    var example = try example()
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    example.state.setScope(work, ofConnection: 7, in: example.portal)
    #expect(try result(Name.second, &example) == .notAllowed)
    example.state.setScope(.absent, ofConnection: 7, in: example.portal)
    #expect(try result(Name.second, &example) == .success)
    #expect(throws: Refusal.secondManagedAccount(Name.second)) {
      try example.state.requireOneManaged(work, in: example.portal, example.snapshot)
    }
  }

  /// MI-04: and both are managed.
  @Test
  func anAppMaySaySeveral() throws {
    var example = try example { $0.app.managedAccounts = .several }
    #expect(try result(Name.work, &example) == .success)
    #expect(try result(Name.second, window: "other", &example) == .success)
    #expect(try result(Name.second, &example) == .success)
  }

  /// IS-06, IS-NOT-ALLOWED-SCOPE: another thread identity stands in the way of a managed account.
  @Test(arguments: [
    (Name.work, Name.home, SwitchResult.notAllowed), (Name.work, "", .notAllowed), (Name.work, Name.work, .success),
    (Name.home, Name.work, .success), ("", Name.work, .success),
  ])
  func anOpenScopeOfAnotherAccountStandsInTheWay(_ account: String, _ scope: String, _ expected: SwitchResult) throws {
    var example = try example()
    #expect(try result(account, scope: scope, &example) == expected)
  }

  /// IS-13: an account that may not work is not switched to; one that is shown already is blocked.
  @Test(arguments: [AccountState.blocked, .nonCompliant, .wiped])
  func aBlockedAccountIsNotSwitchedTo(_ state: AccountState) throws {
    var example = try example { $0.work.state = state }
    #expect(try result(Name.work, &example) == .failed)
    #expect(shown(example) == nil)
  }

  /// IS-13, IS-11: window by window, with nobody to be shown instead.
  @Test
  func theAppIsAskedToHideABlockedAccount() throws {
    var example = try example()
    try example.register(ViewerDescription("V", window: "w"))
    #expect(try result(Name.work, &example) == .success)
    var policy = ExamplePolicy()
    policy.app.managedAccounts = .one
    policy.work.state = .blocked
    example.reload(policy)
    let event = Event.data(.print, in: "V")
    #expect(
      Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.block, .accountBlocked))
    let requests = example.state.requestSwitchesFromBlocked(in: example.portal, at: 5_000, example.snapshot)
    #expect(requests.map(\.cause) == [.cancelConditionalLaunch])
    #expect(requests.map(\.window) == [Array("w".utf8)])
    #expect(requests.map(\.to) == [.nobody])
    #expect(example.state.requestSwitchesFromBlocked(in: example.portal, at: 6_000, example.snapshot) == requests)
    try example.state.answer(requests[0].id, .success, in: example.portal, at: 6_000, example.snapshot)
    #expect(shown(example) == "")
    #expect(
      Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.allow, .noManagedIdentity))
    #expect(example.state.openRequests(of: example.portal, at: 6_000).isEmpty)
  }

  // MARK: Requests

  private struct Asked {
    var example: Example
    let id: InstanceID
    var event = Event.data(.receive, in: "V", with: Name.editor)

    init(limits: StateLimits = StateLimits()) throws {
      example = try Example(ExamplePolicy().with { $0.protection.receive = .managed }, limits: limits)
      id = try example.state.attach(app: 0, peer: Peer(uid: 1000), features: .switchIdentity, example.snapshot)
      try example.set(Name.work, window: "w", in: id)
      try example.state.register(ViewerDescription("V", window: "w"), in: id, example.snapshot)
      event.time = 1_000
    }

    mutating func ask() -> Decision { decide(event, of: id, &example.state, under: example.snapshot) }

    mutating func answer(_ request: SwitchRequestID, _ result: SwitchResult, at time: UInt64) throws(Refusal) {
      try example.state.answer(request, result, in: id, at: time, example.snapshot)
    }
  }

  /// IS-09, IS-SDK-INITIATED: success puts the identity in force, and the operation goes on.
  @Test
  func aSuccessPutsTheIdentityInForce() throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    try asked.answer(request, .success, at: 2_000)
    #expect(Answer(asked.ask()) == Answer(.allow, .noManagedIdentity))
    #expect(throws: Refusal.unknownRequest(request.text)) { try asked.answer(request, .success, at: 2_000) }
  }

  /// IS-09, IS-10: an answer is one of the results of a switch, and all but one stop the operation.
  @Test(arguments: [SwitchResult.canceled, .notAllowed, .failed])
  func anythingElseStopsTheOperation(_ result: SwitchResult) throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    try asked.answer(request, result, at: 2_000)
    #expect(Answer(asked.ask()) == Answer(.block, .identitySwitchFailed))
  }

  /// SetIdentity is as good as the answer.
  @Test
  func settingTheIdentityEndsTheRequest() throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    try asked.example.set("", window: "w", in: asked.id)
    #expect(Answer(asked.ask()) == Answer(.allow, .noManagedIdentity))
    #expect(throws: Refusal.unknownRequest(request.text)) { try asked.answer(request, .failed, at: 2_000) }
  }

  /// Bad input: an answer after the time is an error, and nothing changes.
  @Test
  func anAnswerAfterTheTimeChangesNothing() throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    let late = 1_000 + asked.example.state.limits.switchMilliseconds + 1
    #expect(throws: Refusal.requestIsOver(request.text)) { try asked.answer(request, .success, at: late) }
    asked.event.time = late
    #expect(Answer(asked.ask()) == Answer(.block, .identitySwitchFailed))
    #expect(asked.example.state.openRequests(of: asked.id, at: late).isEmpty)
  }

  /// Numbers invented, old, or another instance's find nothing.
  @Test
  func inventedRequestsAreRefused() throws {
    var asked = try Asked()
    let request = try #require(asked.ask().switchRequest)
    let invented = [
      SwitchRequestID(epoch: request.epoch, number: request.number + 1),
      SwitchRequestID(epoch: request.epoch - 1, number: request.number),
    ]
    for id in invented {
      #expect(throws: Refusal.unknownRequest(id.text)) { try asked.answer(id, .success, at: 1_000) }
    }
    let snapshot = asked.example.snapshot
    #expect(throws: Refusal.unknownRequest(request.text)) {
      try asked.example.state.answer(request, .success, in: asked.example.portal, at: 1_000, snapshot)
    }
    #expect(Answer(asked.ask()) == Answer(.switchIdentity, .identitySwitchNeeded))
    #expect(SwitchRequestID(request.text) == request)
    for text in ["", "switch-1-1", "clip-000000000000002a-1", "switch-000000000000002a-01", request.text + "x"] {
      #expect(SwitchRequestID(text) == nil)
    }
  }

  /// Past the cap nothing is forgotten: the data is refused.
  @Test
  func tooManyRequestsAreRefused() throws {
    var limits = StateLimits()
    limits.requestsPerInstance = 1
    var asked = try Asked(limits: limits)
    let first = try #require(asked.ask().switchRequest)
    try asked.example.set(Name.work, window: "w2", in: asked.id)
    try asked.example.state.register(ViewerDescription("V2", window: "w2"), in: asked.id, asked.example.snapshot)
    var other = Event.data(.receive, in: "V2", with: Name.editor)
    other.time = 1_000
    #expect(
      Answer(decide(other, of: asked.id, &asked.example.state, under: asked.example.snapshot))
        == Answer(.block, .identitySwitchFailed))
    try asked.answer(first, .failed, at: 1_000)
    #expect(decide(other, of: asked.id, &asked.example.state, under: asked.example.snapshot).switchRequest != nil)
  }

  /// Only a view that can be switched is asked to: not an app with one identity, not a scope, not a viewer that nobody
  /// knows.
  @Test
  func whereNothingCanBeSwitchedTheDataIsRefused() throws {
    var asked = try Asked()
    var unknown = Event.data(.receive, in: "who", with: Name.editor)
    unknown.time = 1_000
    #expect(
      Answer(decide(unknown, of: asked.id, &asked.example.state, under: asked.example.snapshot))
        == Answer(.block, .uploadBlockedViewer))
    asked.event.scope = try asked.example.state.identity(Name.work, in: asked.id, asked.example.snapshot)
    #expect(Answer(asked.ask()) == Answer(.block, .incomingRestricted))
    var single = ExamplePolicy().with { $0.protection.receive = .managed }
    single.app.identityMode = .single
    asked = try Asked()
    asked.example.reload(single)
    try asked.example.set(Name.work, in: asked.id)
    #expect(Answer(asked.ask()) == Answer(.block, .incomingRestricted))
  }
}
