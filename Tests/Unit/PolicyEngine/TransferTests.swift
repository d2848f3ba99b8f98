import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The ledger's systems on data transfer between programs: DT, RX, SX, CT, SW; each case names its row.
struct TransferTests {
  @Test(arguments: sending + receiving + parties + duties)
  func rows(_ row: DataCase) throws { try row.check() }

  @Test
  func everyRowOfTheSystemsIsHere() {
    let tables = [Self.sending, Self.receiving, Self.parties, Self.duties]
    let found = Set(tables.flatMap(\.self).flatMap(\.rows))
    var expected = Set(DataCase.rows("DT", 1...21) + DataCase.rows("RX", 1...3) + DataCase.rows("SX", 1...2))
    expected.formUnion(["CT-01", "CT-02", "CT-04", "SW-01"])
    // DT-06 and DT-16 stand with what is viewed, DT-17 with files; DT-19 is of Apple's device management.
    expected.subtract(["DT-06", "DT-16", "DT-17", "DT-19"])
    #expect(expected.subtracting(found).isEmpty)
  }

  static let sending: [DataCase] = [
    DataCase(
      "DT-01 all apps", Answer(.allow, .transferAllowed), .data(.share, with: Name.editor),
      policy: { $0.protection.send = .any }),
    DataCase(
      "DT-01 DT-21 not configured is all apps", Answer(.allow, .transferAllowed), .data(.share, with: Name.editor),
      policy: { $0.protection.send = Protection(name: "").send }),
    DataCase(
      "DT-21 and so is what comes in", Answer(.allow, .transferAllowed), .data(.receive, with: Name.editor),
      policy: { $0.protection.receive = Protection(name: "").receive }),
    DataCase(
      "DT-02 none, managed apps included", Answer(.block, .outgoingDisallowed),
      .data(.share, with: Name.notes, as: Name.work), policy: { $0.protection.send = .none }),
    DataCase(
      "DT-03 DT-11 only to policy-managed apps", Answer(.block, .outgoingRestricted), .data(.share, with: Name.editor)),
    DataCase(
      "DT-03 DT-14 a managed app may have it", Answer(.allow, .transferAllowed),
      .data(.share, with: Name.notes, as: Name.work)),
    DataCase(
      "DT-03 DT-14 also one that is only listed", Answer(.allow, .transferAllowed),
      .data(.share, with: Name.word, as: Name.work)),
    DataCase(
      "DT-04 OS sharing is as managed", Answer(.block, .outgoingRestricted), .data(.share, with: Name.editor),
      policy: { $0.protection.send = .managedOsSharing }),
    DataCase(
      "DT-04 and so is where it may go", Answer(.allow, .transferAllowed),
      .data(.share, with: Name.word, as: Name.work), policy: { $0.protection.send = .managedOsSharing }),
    DataCase(
      "DT-05 CT-01 filtering is as managed", Answer(.block, .outgoingRestricted), .data(.share, with: Name.editor),
      policy: { $0.protection.send = .managedFiltered }),
    DataCase(
      "DT-05 CT-01 and so is where it may go", Answer(.allow, .transferAllowed),
      .data(.share, with: Name.word, as: Name.work), policy: { $0.protection.send = .managedFiltered }),
    DataCase(
      "DT-14 sharing as a whole is off", Answer(.block, .outgoingDisallowed), .data(.share),
      policy: { $0.protection.send = .none }),
    DataCase(
      "DT-18 nobody said with whom", Answer(.block, .shareBlocked), .data(.share),
      also: { decision, _ in decision.notes == .unknownPeer }),
    DataCase(
      "CT-02 an unmanaged handler", Answer(.block, .outgoingRestricted),
      .data(.share, with: Name.editor, as: Name.work), also: { decision, _ in decision.notes == .unknownPeer }),
    DataCase(
      "CT-04 Word signed in to the same account", Answer(.allow, .transferAllowed),
      .data(.share, with: Name.word, as: "WORK@contoso.com")),
    DataCase(
      "SW-01 an extension's unmanaged host", Answer(.block, .outgoingRestricted),
      .data(.exchange, with: Name.editor) { $0.channel = .nativeMessaging }),
    DataCase(
      "SW-01 an extension's managed host", Answer(.allow, .transferAllowed),
      .data(.exchange, with: Name.word, as: Name.work) { $0.channel = .nativeMessaging }),
  ]

  static let receiving: [DataCase] = [
    DataCase(
      "DT-07 all apps", Answer(.allow, .transferAllowed), .data(.receive, with: Name.editor),
      policy: { $0.protection.receive = .any }),
    DataCase(
      "DT-08 none, managed apps included", Answer(.block, .incomingDisallowed),
      .data(.receive, with: Name.notes, as: Name.work), policy: { $0.protection.receive = .none }),
    DataCase(
      "DT-07 DT-13 from managed apps", Answer(.allow, .transferAllowed),
      .data(.receive, with: Name.notes, as: Name.work)),
    DataCase("DT-07 DT-11 not from others", Answer(.block, .incomingRestricted), .data(.receive, with: Name.editor)),
    DataCase(
      "DT-09 from others, and tagged", Answer(.allow, .transferAllowed), .data(.receive, with: Name.editor),
      policy: { $0.protection.receive = .anyTagOrg },
      also: { decision, example in
        decision.tagAs.map { example.state.accounts.displayName($0) } == Name.work && decision.flags[.mustEncrypt]
          && decision.setOwner == nil
      }),
    DataCase(
      "DT-09 what has an owner is not tagged", Answer(.allow, .transferAllowed),
      .data(.receive, with: Name.notes, as: Name.work), policy: { $0.protection.receive = .anyTagOrg },
      also: { decision, _ in decision.tagAs == nil && decision.setOwner != nil }),
    DataCase(
      "DT-10 an app that cannot switch", Answer(.block, .incomingRestricted), .data(.receive, with: Name.editor),
      also: { decision, _ in decision.notes.contains(.cannotSwitch) }),
    DataCase("RX-01 RX-03 an item without a label is unmanaged", Answer(.block, .incomingRestricted), .data(.receive)),
    DataCase("RX-01 an item of the same account", Answer(.allow, .transferAllowed), .data(.receive, owner: Name.work)),
    DataCase(
      "RX-02 a file of the same account, by its object id", Answer(.allow, .transferAllowed),
      .data(.receive, owner: "6d5c", path: "/srv/x")),
    DataCase("RX-02 a file of another account", Answer(.block, .wrongAccount), .data(.receive, owner: Name.second)),
    DataCase(
      "RX-02 a file of a personal account", Answer(.block, .incomingRestricted), .data(.receive, owner: Name.home)),
    DataCase(
      "DT-18 an owner nobody knows", Answer(.block, .unknownAccount), .data(.receive, owner: "who@else.example"),
      also: { decision, _ in decision.notes.contains(.unknownOwner) }),
  ]

  static let parties: [DataCase] = [
    DataCase(
      "DT-11 the receiver's setting counts too", Answer(.block, .incomingRestricted),
      .data(.share, in: "P", with: Name.notes, as: Name.work)),
    DataCase(
      "DT-11 so does the sender's", Answer(.block, .outgoingRestricted),
      .data(.receive, in: "P", with: Name.notes, as: Name.work)),
    DataCase(
      "DT-12 unmanaged to unmanaged", Answer(.allow, .noManagedIdentity), .data(.share, in: "P", with: Name.editor)),
    DataCase(
      "DT-12 unmanaged from unmanaged", Answer(.allow, .noManagedIdentity),
      .data(.receive, in: "P", with: Name.editor, as: Name.home)),
    DataCase(
      "DT-12 personal data in a managed viewer", Answer(.allow, .unmanaged),
      .data(.share, owner: Name.home, with: Name.editor)),
    DataCase("DT-15 DT-13 the chooser saves", Answer(.allow, .transferAllowed), .data(.save)),
    DataCase(
      "DT-15 DT-13 the chooser opens", Answer(.block, .openLocationNotListed), .data(.open),
      policy: { $0.protection.open.allowed = false }),
    DataCase(
      "DT-20 DT-18 another managed account", Answer(.block, .wrongAccount),
      .data(.share, with: Name.notes, as: Name.second)),
    DataCase(
      "DT-20 nobody signed in there", Answer(.block, .outgoingRestricted), .data(.share, with: Name.notes, as: "")),
    DataCase(
      "DT-20 from another managed account", Answer(.block, .wrongAccount),
      .data(.receive, with: Name.notes, as: Name.second)),
    DataCase(
      "DT-20 an account nobody knows", Answer(.block, .unknownAccount),
      .data(.share, with: Name.notes, as: "who@else.example"),
      also: { decision, _ in decision.notes == .unknownPeerAccount }),
    DataCase(
      "DT-11 the data of another account than the viewer's", Answer(.block, .wrongAccount),
      .data(.share, owner: Name.second, with: Name.notes, as: Name.work)),
    DataCase(
      "SX-01 whose the payload is", Answer(.block, .outgoingRestricted),
      .data(.share, in: "P", owner: Name.work, with: Name.editor)),
    DataCase(
      "DT-18 the account is blocked", Answer(.block, .accountBlocked),
      .data(.share, in: "P", owner: Name.work, with: Name.editor), policy: { $0.work.state = .blocked }),
    DataCase(
      "DT-18 the other account was wiped", Answer(.block, .accountWiped),
      .data(.receive, in: "P", with: Name.notes, as: Name.work), policy: { $0.work.state = .wiped }),
  ]

  static let duties: [DataCase] = [
    DataCase(
      "SX-02 a shared file gets its owner", Answer(.allow, .transferAllowed),
      .data(.receive, with: Name.notes, as: Name.work),
      also: { decision, example in
        decision.setOwner.map { example.state.accounts.displayName($0) } == Name.work && decision.flags[.mustEncrypt]
      }),
    DataCase(
      "SX-02 encryption is the protection's to say", Answer(.allow, .transferAllowed),
      .data(.receive, with: Name.notes, as: Name.work), policy: { $0.protection.encrypt = false },
      also: { decision, _ in decision.setOwner != nil && !decision.flags[.mustEncrypt] }),
    DataCase(
      "SX-02 what is nobody's stays so", Answer(.allow, .transferAllowed), .data(.receive, with: Name.editor),
      policy: { $0.protection.receive = .any },
      also: { decision, _ in decision.setOwner == nil && decision.tagAs == nil && !decision.flags[.mustEncrypt] }),
  ]

  // MARK: DT-05, COPYTO-1

  @Test
  func theShareSheetShowsWhatSharingWouldAllow() throws {
    var policy = ExamplePolicy()
    policy.protection.managedApps = [Array(Name.word.utf8)]
    var example = try Example(policy)
    let peers = [Name.word, Name.editor, Name.notes]
    let event = Event.data(.share, as: Name.work)
    let answers = decidePeers(peers, event, of: example.portal, &example.state, under: example.snapshot)
    #expect(answers.map(\.outcome) == [.allow, .block, .allow])
  }

  // MARK: DT-10

  @Test
  func anAppThatCanSwitchIsAskedToAndThenRefused() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.receive = .managed })
    let id = try example.state.attach(
      app: 0, peer: Peer(uid: 1000), features: .switchIdentity, example.snapshot)
    try example.set(Name.work, window: "w", in: id)
    try example.state.register(ViewerDescription("V", window: "w"), in: id, example.snapshot)
    var event = Event.data(.receive, in: "V", with: Name.editor)
    event.time = 1_000
    let asked = decide(event, of: id, &example.state, under: example.snapshot)
    #expect(Answer(asked) == Answer(.switchIdentity, .identitySwitchNeeded))
    #expect(asked.switchTo == .nobody)
    let request = try #require(asked.switchRequest)
    #expect(decide(event, of: id, &example.state, under: example.snapshot).switchRequest == request)
    #expect(example.state.openRequests(of: id, at: 1_000).map(\.cause) == [.documentImport])

    // The app says that it could not: from now on the data is refused.
    try example.state.answer(request, .failed, in: id, at: 2_000, example.snapshot)
    #expect(
      Answer(decide(event, of: id, &example.state, under: example.snapshot)) == Answer(.block, .identitySwitchFailed))
    #expect(throws: Refusal.requestIsOver(request.text)) {
      try example.state.answer(request, .success, in: id, at: 2_000, example.snapshot)
    }
    #expect(
      Answer(decide(event, of: id, &example.state, under: example.snapshot)) == Answer(.block, .identitySwitchFailed))

    // Another identity, and the question is a new one.
    try example.set("", window: "w", in: id)
    #expect(
      Answer(decide(event, of: id, &example.state, under: example.snapshot)) == Answer(.allow, .noManagedIdentity))
    try example.set(Name.work, window: "w", in: id)
    #expect(
      Answer(decide(event, of: id, &example.state, under: example.snapshot))
        == Answer(.switchIdentity, .identitySwitchNeeded))
  }
}
