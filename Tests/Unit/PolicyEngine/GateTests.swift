import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What has to hold before an account is shown. Ledger IS-02, MI-22; review, behaviour 5.
struct GateTests {
  /// IS-02, MI-22: leaving `gates` out sets no account in bad standing, at no level, and what is done there is blocked with
  /// the reason of that.
  @Test(arguments: [
    (AccountState.blocked, Reason.accountBlocked), (.nonCompliant, .accountNotCompliant), (.wiped, .accountWiped),
  ])
  func anAccountInBadStandingIsNotSet(_ state: AccountState, _ reason: Reason) throws {
    var policy = ExamplePolicy()
    policy.work.state = state
    for window in [nil, "w"] {
      var example = try Example(policy, as: nil)
      try example.register(ViewerDescription("W", class: "company", window: "w"))
      let said = try example.state(Name.work, window)
      #expect(said.refusal == .failed && said.previous == .absent)
      let viewer = window == nil ? "C" : "W"
      #expect(example.answer(.data(.print, in: viewer)) == Answer(.block, reason))
      #expect(try example.state(Name.home, window).refusal == nil)
      #expect(example.answer(.data(.print, in: viewer)) == Answer(.allow, .unmanaged))
    }
  }

  /// An account that no protection binds and that is blocked all the same.
  @Test
  func anUnmanagedAccountInBadStandingIsNotSwitchedTo() throws {
    var policy = ExamplePolicy()
    policy.otherAccounts[0].state = .blocked
    var example = try Example(policy, as: nil)
    let home = try example.state.identity(Name.home, in: example.portal, example.snapshot)
    for gates in SwitchResult.allCases {
      #expect(
        try example.state.switchIdentity(to: home, ofWindow: nil, gates: gates, in: example.portal, example.snapshot)
          == .failed)
    }
  }

  /// IS-02: where the policy wants it unlocked, silence fails, and `success` counts only of an app that is trusted for it.
  @Test(arguments: [
    (Unlock.none, false, SwitchResult?.none, SwitchResult?.none), (.none, false, .success, nil),
    (.none, false, .canceled, .canceled), (.none, true, .failed, .failed), (.app, false, nil, .failed),
    (.app, true, nil, .failed), (.app, false, .success, .failed), (.app, true, .success, nil),
    (.app, true, .canceled, .canceled), (.app, false, .notAllowed, .notAllowed),
  ])
  func gatesCountWhereThePolicyTrustsTheApp(
    _ unlock: Unlock, _ isTrusted: Bool, _ gates: SwitchResult?, _ refusal: SwitchResult?
  ) throws {
    var policy = ExamplePolicy()
    (policy.protection.unlock, policy.app.unlocks) = (unlock, isTrusted)
    var example = try Example(policy, as: nil)
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    #expect(example.state.refusal(of: work, gates: gates, in: example.portal, example.snapshot) == refusal)
  }

  /// Of two protections one that wants it unlocked is enough.
  @Test
  func oneProtectionIsEnough() throws {
    var policy = ExamplePolicy()
    var second = Protection(name: "second")
    (second.accountPatterns, second.unlock) = (["work@contoso.com"], .app)
    policy.otherProtections = [second]
    var example = try Example(policy, as: nil)
    #expect(try example.state(Name.work, nil).refusal == .failed)
    #expect(example.answer(.data(.print, in: "C")) == Answer(.block, .noIdentity))
  }

  /// An account that has to be unlocked is not taken for granted, be it the only one or the fixed one.
  @Test(arguments: [nil, Name.work])
  func nothingIsUnlockedByItself(_ fixed: String?) throws {
    let policy = ExamplePolicy().with {
      ($0.app.identityMode, $0.app.managedAccounts, $0.app.account) = (.single, .one, fixed)
      ($0.app.unlocks, $0.protection.unlock) = (true, .app)
      $0.protection.accountPatterns = [Name.work]
    }
    var example = try Example(policy.with { $0.app.account = nil }, as: nil)
    example.reload(policy)
    let id = try example.state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    try example.state.register(ViewerDescription("C", class: "company"), in: id, example.snapshot)
    func printed() -> Answer { Answer(decide(.data(.print, in: "C"), of: id, &example.state, under: example.snapshot)) }
    #expect(printed() == Answer(.block, .noIdentity))
    let work = try example.state.identity(Name.work, in: id, example.snapshot)
    #expect(
      try example.state.switchIdentity(to: work, ofWindow: nil, gates: .success, in: id, example.snapshot) == .success)
    #expect(printed() == Answer(.allow, .printAllowed))
  }
}

extension Example {
  fileprivate mutating func state(
    _ account: String?, _ window: String?
  ) throws -> (previous: Identity, refusal: SwitchResult?) {
    let identity = try state.identity(account, in: portal, snapshot)
    return try state.state(identity, ofWindow: window, in: portal, snapshot)
  }

  fileprivate mutating func answer(_ event: Event) -> Answer {
    Answer(decide(event, of: portal, &state, under: snapshot))
  }
}
