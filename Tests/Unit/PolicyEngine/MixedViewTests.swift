import GuardModel
import PolicyEngine
import Testing

/// Views of several accounts: ledger MI-24, FC-06, CB-12, D-26.
struct MixedViewTests {
  private func example(_ accounts: [String]) throws -> Example {
    var policy = ExamplePolicy()
    policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    var example = try Example(policy, as: nil)
    try show(accounts, in: "w", &example)
    try example.register(ViewerDescription("M", window: "w"))
    return example
  }

  private func show(_ accounts: [String], in window: String, _ example: inout Example) throws {
    var identities: [Identity] = []
    for account in accounts {
      identities.append(try example.state.identity(account, in: example.portal, example.snapshot))
    }
    _ = try example.state.setIdentities(identities, ofWindow: window, in: example.portal, example.snapshot)
  }

  private static let dataEvents = EventKind.allCases.filter {
    ![.unknown, .navigate, .clipboardChanged, .dragEnd].contains($0)
  }

  /// FC-06, CB-12, MI-24: one managed account is enough, whatever the settings say. The scenario MI-ACTIVE-MULTI-VIEW.
  @Test(arguments: dataEvents, [[Name.work, Name.home], [Name.work, ""], [Name.work, Name.second]])
  func nothingPassesThroughAMixedView(_ kind: EventKind, _ accounts: [String]) throws {
    var example = try example(accounts)
    let event = Event.data(kind, in: "M", owner: Name.home, with: Name.notes, url: "https://contoso.com/") {
      $0.isInPlace = true
      $0.capture = .ownImage
    }
    let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
    #expect(Answer(decision) == Answer(.block, .mixedViewLockdown))
  }

  /// A scope does not lift it, and a viewer that nobody knows may be in that window.
  @Test
  func neitherScopesNorUnknownViewersLiftIt() throws {
    var example = try example([Name.work, Name.home])
    let home = try example.state.identity(Name.home, in: example.portal, example.snapshot)
    for viewer in ["M", "who"] {
      let event = Event.data(.share, in: viewer, with: Name.editor) { $0.scope = home }
      let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
      #expect(Answer(decision) == Answer(.block, .mixedViewLockdown))
    }
  }

  @Test
  func withoutAManagedAccountItIsNoLockdown() throws {
    var example = try example([Name.home, ""])
    let decision = decide(.data(.print, in: "M"), of: example.portal, &example.state, under: example.snapshot)
    #expect(decision.outcome == .allow)
  }

  /// MI-24: of none it is nobody's; of one it is that one's; of the same twice it is no mixture.
  @Test(arguments: [
    ([], Answer(.allow, .noManagedIdentity)), ([Name.work], Answer(.allow, .printAllowed)),
    ([Name.work, "6D5C"], Answer(.allow, .printAllowed)),
  ])
  func oneAccountIsNoMixture(_ accounts: [String], _ answer: Answer) throws {
    var example = try example(accounts)
    #expect(
      Answer(decide(.data(.print, in: "M"), of: example.portal, &example.state, under: example.snapshot)) == answer)
  }

  @Test
  func aSingleIdentityEndsTheMixture() throws {
    var example = try example([Name.work, Name.home])
    try example.set(Name.home, window: "w")
    #expect(
      Answer(decide(.data(.print, in: "M"), of: example.portal, &example.state, under: example.snapshot))
        == Answer(.allow, .unmanaged))
    try show([Name.work, Name.home], in: "w", &example)
    try example.set(nil, window: "w")
    #expect(
      Answer(decide(.data(.print, in: "M"), of: example.portal, &example.state, under: example.snapshot))
        == Answer(.allow, .noIdentity))
  }

  /// Navigation goes by the strictest of them, before and after a reload.
  @Test
  func navigationGoesByTheStrictest() throws {
    var example = try example([Name.home, Name.work])
    try example.register(ViewerDescription("R", class: "documents", window: "w"))
    #expect(Answer(example.navigate("https://news.example/", in: "R")) == Answer(.redirect, .external))
    var policy = ExamplePolicy()
    policy.protection.accountPatterns = ["*@home.example"]
    policy.protection.webTransfer = .block
    example.reload(policy)
    #expect(Answer(example.navigate("https://news.example/", in: "R")) == Answer(.block, .externalBlocked))
  }

  /// A viewer whose window nobody knows is a view of all managed accounts that are shown.
  @Test
  func anUnknownViewerBesideSeveralManagedAccountsIsLockedDown() throws {
    var example = try example([Name.work])
    let event = Event.data(.print, in: "who")
    #expect(
      Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.allow, .printAllowed))
    try example.set(Name.second, window: "w2")
    #expect(
      Answer(decide(event, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.block, .mixedViewLockdown))
    var scoped = event
    scoped.scope = try example.state.identity(Name.second, in: example.portal, example.snapshot)
    #expect(
      Answer(decide(scoped, of: example.portal, &example.state, under: example.snapshot))
        == Answer(.allow, .printAllowed))
  }

  @Test
  func onlyAppsThatMayShowSeveralMixManagedAccounts() throws {
    var policy = ExamplePolicy()
    policy.app.managedAccounts = .one
    policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    var example = try Example(policy, as: nil)
    #expect(throws: Refusal.secondManagedAccount(Name.second)) {
      try show([Name.work, Name.second], in: "w", &example)
    }
    try show([Name.work, Name.home], in: "w", &example)
    #expect(throws: Refusal.limitReached(.accounts, maximum: 16)) {
      try show((0..<17).map { "user\($0)@contoso.com" }, in: "w", &example)
    }
    var single = policy
    single.app.identityMode = .single
    example.reload(single)
    #expect(throws: Refusal.identityModeSingle) { try show([Name.work, ""], in: "w", &example) }
  }

  /// What the app itself put on the clipboard there belongs to nobody knows whom.
  @Test
  func aClipOfTheAppItselfIsOfAllOfThem() throws {
    var example = try example([Name.work, Name.second])
    let change = example.clip(.clipboardChanged, in: "M") { $0.selfOwned = .yes }
    #expect(change.clipOwner == .unknownManaged)
  }
}
