import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What counts as the identity of file tasks, which windows have no say in: backups, saving, opening and receiving in the
/// background, and whose a new file is. Ledger MI-09, MI-11, MI-15, IS-07, FO-02; amendments, uploads and files.
struct FileIdentityTests {
  /// The portal's process shows one account and its window `w` another; `W` is a viewer in that window. The protection
  /// refuses whatever file tasks can ask.
  private func example(
    process: String?, window: String?, _ change: (inout ExamplePolicy) -> Void = { _ in }
  ) throws -> Example {
    let policy = ExamplePolicy().with { policy in
      (policy.protection.send, policy.protection.receive, policy.protection.backup) = (.none, .none, .block)
      change(&policy)
    }
    var example = try Example(policy, as: process)
    try example.register(ViewerDescription("W", class: "company", window: "w"))
    try example.set(window, window: "w")
    return example
  }

  private static let background: [Event] = [
    .data(.save, in: nil, at: .box), .data(.open, in: nil, at: .box), .data(.receive, in: nil, with: Name.notes),
    .data(.download, in: nil, url: "https://contoso.com/a.pdf"),
  ]
  private static func backup(in viewer: String?) -> Event { .data(.exchange, in: viewer) { $0.channel = .backup } }

  private func answer(_ event: Event, _ example: inout Example) -> Decision {
    decide(event, of: example.portal, &example.state, under: example.snapshot)
  }

  /// MI-09, MI-15: the process decides in both directions, and each decision says so.
  @Test(arguments: background + [backup(in: nil), backup(in: "W"), backup(in: "nobody registered it")])
  func theProcessDecidesOfFilesAndNoWindow(_ event: Event) throws {
    var managed = try example(process: Name.work, window: Name.home)
    let refused = answer(event, &managed)
    #expect(refused.outcome == .block && refused.identityLevel == .process && refused.protection == 0)
    var free = try example(process: Name.home, window: Name.work)
    let allowed = answer(event, &free)
    #expect(Answer(allowed) == Answer(.allow, .unmanaged))
    #expect(allowed.identityLevel == .process)
  }

  /// MI-15: a scope goes before the process.
  @Test(arguments: background + [backup(in: "W")])
  func aScopeGoesBeforeTheProcess(_ event: Event) throws {
    var example = try example(process: Name.home, window: Name.home)
    var scoped = event
    scoped.scope = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    let refused = answer(scoped, &example)
    #expect(refused.outcome == .block && refused.identityLevel == .scope)
    #expect(answer(event, &example).outcome == .allow)
  }

  /// What names a viewer is of its window, as everything else that is shown.
  @Test(arguments: [EventKind.save, .open, .receive])
  func whatNamesAViewerIsOfItsWindow(_ kind: EventKind) throws {
    var example = try example(process: Name.home, window: Name.work)
    #expect(answer(.data(kind, in: "W", at: .box, with: Name.notes), &example).outcome == .block)
    #expect(answer(.data(kind, in: "C", at: .box, with: Name.notes), &example).outcome == .allow)
    let unknown = answer(.data(kind, in: "nobody registered it", at: .box, with: Name.notes), &example)
    #expect(unknown.outcome == .block && unknown.flags[.viewerIsUnknown] && unknown.identityLevel == .strictest)
  }

  /// What is done in the background is told without a viewer's policy, and no viewer that takes nothing is in the way.
  @Test
  func workInTheBackgroundHasNoViewer() throws {
    var example = try example(process: Name.work, window: nil) { $0.protection.receive = .any }
    for event in [Self.background[1], Self.background[2]] {
      let decision = answer(event, &example)
      #expect(Answer(decision) == Answer(.allow, .transferAllowed))
      #expect(!decision.flags[.viewerIsUnknown] && decision.policy == nil && decision.policySource == nil)
    }
  }

  /// A window of several accounts locks down what is shown in it; files go by the process.
  @Test
  func aMixedWindowDoesNotLockFiles() throws {
    var example = try example(process: Name.home, window: nil)
    let identities = try [Name.work, Name.home].map {
      try example.state.identity($0, in: example.portal, example.snapshot)
    }
    _ = try example.state.setIdentities(identities, ofWindow: "w", in: example.portal, example.snapshot)
    #expect(Answer(answer(.data(.save, in: "W"), &example)) == Answer(.block, .mixedViewLockdown))
    #expect(Answer(answer(.data(.save, in: nil), &example)) == Answer(.allow, .unmanaged))
    #expect(Answer(answer(Self.backup(in: "W"), &example)) == Answer(.allow, .unmanaged))
  }

  /// A channel that nobody named may be the backup.
  @Test
  func anUnknownChannelMayBeTheBackup() throws {
    var example = try example(process: Name.work, window: Name.home)
    let event = Event.data(.exchange, in: "W")
    #expect(Answer(answer(event, &example)) == Answer(.block, .channelBlocked))
    try example.set(Name.home)
    #expect(answer(event, &example).outcome == .allow)
  }

  /// The account of the process may not work: nothing of its files passes, though the window's may.
  @Test(arguments: background + [backup(in: "W")])
  func anAccountInBadStandingKeepsItsFiles(_ event: Event) throws {
    var example = try example(process: Name.work, window: Name.home) { $0.work.state = .nonCompliant }
    #expect(Answer(answer(event, &example)) == Answer(.block, .accountNotCompliant))
  }

  // MARK: Nobody said whose

  /// In single mode, with more than one account that it may be, and after an identity was refused: files pass as little as
  /// anything else.
  @Test(arguments: background + [backup(in: nil), backup(in: "C")])
  func nothingPassesBeforeItIsSaidWhoseFilesTheyAre(_ event: Event) throws {
    let single = ExamplePolicy().with {
      $0.app.identityMode = .single
      $0.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    }
    var example = try Example(single, as: nil)
    #expect(Answer(answer(event, &example)) == Answer(.block, .noIdentity))
    try example.set("")
    #expect(answer(event, &example).outcome == .allow)
    example.state.refuseIdentity(in: example.portal, example.snapshot)
    #expect(Answer(answer(event, &example)) == Answer(.block, .noIdentity))
  }

  /// An account that may not be shown was said of a window, and nothing of the process: whose files are nobody knows. A
  /// process that said whose it is, and a scope, are known.
  @Test(arguments: background + [backup(in: "W")])
  func aRefusedWindowBlocksFilesUnlessTheProcessIsKnown(_ event: Event) throws {
    var example = try Example(ExamplePolicy().with { $0.work.state = .blocked }, as: nil)
    try example.register(ViewerDescription("W", class: "company", window: "w"))
    let work = try example.state.identity(Name.work, in: example.portal, example.snapshot)
    let said = try example.state.state(work, ofWindow: "w", in: example.portal, example.snapshot)
    #expect(said.refusal == .failed)
    #expect(Answer(answer(event, &example)) == Answer(.block, .accountBlocked))
    try example.set(Name.home)
    #expect(answer(event, &example).outcome == .allow)
  }

  // MARK: Whose a new file is

  /// FO-02: what a personal window saves lies in a file of the process's account, unless its app says whose the data is.
  @Test
  func aNewFileBelongsToTheProcess() throws {
    var example = try example(process: Name.work, window: Name.home)
    for kind in [EventKind.save, .download] {
      let decision = answer(.data(kind, in: "W", url: "https://contoso.com/a.pdf"), &example)
      #expect(Answer(decision) == Answer(.allow, .unmanaged))
      #expect(name(decision.setOwner, example) == Name.work && decision.flags[.mustEncrypt])
      let said = answer(.data(kind, in: "W", owner: Name.home, url: "https://contoso.com/a.pdf"), &example)
      #expect(said.outcome == .allow && said.setOwner == nil && !said.flags[.mustEncrypt])
    }
    let printed = answer(.data(.print, in: "W", path: "/home/ada/plan.pdf"), &example)
    #expect(printed.outcome == .allow && name(printed.setOwner, example) == Name.work)
    let inPlace = answer(.data(.save, in: "W") { $0.isInPlace = true }, &example)
    #expect(inPlace.outcome == .allow && inPlace.setOwner == nil)
  }

  /// SL-15: the organisation's data keeps its owner, whose files they may be; what an unmanaged viewer saves is nobody's.
  @Test
  func theOrganisationsDataKeepsItsOwner() throws {
    var example = try example(process: Name.home, window: Name.work) { $0.protection.send = .any }
    let managed = answer(.data(.save, in: "W"), &example)
    #expect(managed.outcome == .allow && name(managed.setOwner, example) == Name.work && managed.flags[.mustEncrypt])
    try example.set(Name.work)
    let ofPublic = answer(.data(.save, in: "P"), &example)
    #expect(ofPublic.outcome == .allow && ofPublic.setOwner == nil && !ofPublic.flags[.mustEncrypt])
  }

  private func name(_ account: AccountID?, _ example: Example) -> String? {
    account.map { example.state.accounts.displayName($0) }
  }
}
