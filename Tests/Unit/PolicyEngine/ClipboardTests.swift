import GuardModel
import PolicyEngine
import Testing

/// Ledger E.2 with the amendments: copies, pastes, selections, displays and clip numbers.
struct ClipboardTests {
  private let notOwned: (inout Event) -> Void = { $0.selfOwned = .no }
  private let owned: (inout Event) -> Void = { $0.selfOwned = .yes }

  // MARK: Copy

  @Test
  func aCopyIsRecordedAndOnlyManagedDataGetsANumber() throws {
    var example = try Example()
    let managed = example.clip(.copy)
    #expect(Answer(managed) == Answer(.allow, .clipRecorded))
    #expect(managed.clip == ClipID(epoch: 42, number: 1))
    #expect(example.clip(.copy).clip == ClipID(epoch: 42, number: 2))
    let free = example.clip(.copy, in: "P")
    #expect(Answer(free) == Answer(.allow, .noManagedIdentity))
    #expect(free.clip == nil && free.clipOwner == .unmanaged)
    try example.set("private@home.example")
    #expect(Answer(example.clip(.copy)) == Answer(.allow, .unmanaged))
  }

  @Test
  func untilAnIdentityIsSetNothingIsCopiedIfTheAppSaysSo() throws {
    var example = try Example(ExamplePolicy().with { $0.app.untilIdentity = .block }, as: nil)
    #expect(Answer(example.clip(.copy)) == Answer(.block, .noIdentity))
    #expect(Answer(example.clip(.paste)) == Answer(.block, .noIdentity))
  }

  // MARK: Paste

  /// CB-01, CB-02, CB-03, CB-04, CB-05: level, direction, and what comes of it: out of the portal into the unmanaged viewer; into it from outside; to
  /// another app of the same account; and back into the portal.
  @Test(arguments: [
    (
      ClipboardLevel.any, Answer(.allow, .clipboardAllowed), Answer(.allow, .clipboardAllowed),
      Answer(.allow, .clipboardAllowed)
    ),
    (
      .managedWithPasteIn, Answer(.block, .orgData), Answer(.allow, .clipboardAllowed),
      Answer(.allow, .clipboardAllowed)
    ),
    (.managed, Answer(.block, .orgData), Answer(.block, .incomingRestricted), Answer(.allow, .clipboardAllowed)),
    (.blocked, Answer(.block, .orgData), Answer(.block, .incomingRestricted), Answer(.block, .orgData)),
  ])
  func theLevelsOfBothSidesDecide(_ level: ClipboardLevel, _ out: Answer, _ into: Answer, _ across: Answer) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.level = level })
    let notes = try example.attach("com.contoso.notes", as: "work@contoso.com")
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "P")) == out)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == across)
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .sameAccount))
    example.copied(in: "P")
    #expect(Answer(example.clip(.paste)) == into)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  /// CB-09: whose a copy or paste is goes by the place where it happens: its window, and before that the viewer's policy.
  @Test
  func thePlaceOfTheActionSaysWhoseItIs() throws {
    var example = try Example(as: nil)
    for (window, account) in [("work", "work@contoso.com"), ("home", "private@home.example")] {
      try example.set(account, window: window)
      try example.register(ViewerDescription(window, window: window))
    }
    _ = example.clip(.copy, in: "work")
    #expect(Answer(example.clip(.paste, in: "work")) == Answer(.allow, .sameAccount))
    #expect(Answer(example.clip(.paste, in: "home")) == Answer(.block, .orgData))
    try example.tag("work", .unmanaged)
    #expect(Answer(example.clip(.paste, in: "work")) == Answer(.block, .orgData))
    example.copied(in: "work")
    #expect(Answer(example.clip(.paste, in: "home")) == Answer(.allow, .unmanaged))
  }

  /// CB-10: a side that is nobody's, or that no protection binds, restricts nothing of its own.
  @Test(arguments: ["", "private@home.example"])
  func aSideThatIsUnmanagedRestrictsNothing(_ account: String) throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: account)
    _ = example.clip(.copy, in: "V", of: notes)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)).outcome == .allow)
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .clipboardAllowed), "pasting in is allowed")
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData), "the owner's level counts")
  }

  /// CB-11: what is exempt from transfer is not exempt here: neither schemes, nor links, nor `send`.
  @Test
  func exemptionsAreNotForTheClipboard() throws {
    let policy = ExamplePolicy().with {
      $0.protection.send = .any
      $0.protection.receive = .any
      $0.protection.exemptSchemes = ["https", "text", "org.gnome.texteditor"].map { Array($0.utf8) }
      $0.protection.managedApps = [Array("com.contoso.notes".utf8)]
    }
    var example = try Example(policy)
    let notes = try example.attach("com.contoso.notes", as: "private@home.example")
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
  }

  @Test
  func aManagedCounterpartIsTheSameAccount() throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "other@contoso.com")
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    try example.set("private@home.example", in: notes)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
  }

  @Test
  func nothingIsPastedWhereUploadsAreBlocked() throws {
    var example = try Example()
    try example.tag("D", .currentIdentityBlockUpload)
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste)) == Answer(.block, .uploadBlockedViewer))
    #expect(Answer(example.clip(.paste, in: "unheard-of")) == Answer(.block, .uploadBlockedViewer))
    try example.set("private@home.example")
    #expect(Answer(example.clip(.paste)) == Answer(.block, .orgData))
  }

  @Test
  func afterARestartNobodyKnowsUntilTheNextChange() throws {
    var example = try Example()
    for selection in Selection.allCases {
      #expect(Answer(example.clip(.paste, selection)) == Answer(.block, .ownerUnknown))
      #expect(Answer(example.clip(.paste, selection, in: "P")) == Answer(.block, .ownerUnknown))
    }
    _ = example.clip(.clipboardChanged, with: notOwned)
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .clipboardAllowed))
    #expect(Answer(example.clip(.paste, .primary)) == Answer(.block, .ownerUnknown))
  }

  // MARK: Selections and displays

  @Test
  func selectionsAreSeparateAndAnUnknownOneIsTheStrictest() throws {
    var example = try Example()
    _ = example.clip(.copy, .clipboard)
    _ = example.clip(.copy, .primary, in: "P")
    #expect(Answer(example.clip(.paste, .primary, in: "P")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, .clipboard, in: "P")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, .unknown, in: "P")) == Answer(.block, .orgData))
    example.copied(.clipboard, in: "P")
    #expect(Answer(example.clip(.paste, .unknown, in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func aCopyToAnUnknownSelectionOnlyRaises() throws {
    var example = try Example()
    _ = example.clip(.copy, .clipboard)
    _ = example.clip(.copy, .primary, in: "P")
    _ = example.clip(.copy, .unknown, in: "P")
    #expect(Answer(example.clip(.paste, .clipboard, in: "P")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, .primary, in: "P")) == Answer(.allow, .noManagedIdentity))
    _ = example.clip(.copy, .unknown)
    #expect(Answer(example.clip(.paste, .primary, in: "P")) == Answer(.block, .orgData))
  }

  @Test
  func dragsEnd() throws {
    var example = try Example()
    _ = example.clip(.copy, .drag, in: "P")
    #expect(Answer(example.clip(.paste, .drag, in: "P")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.dragEnd, .drag)) == Answer(.allow, .changeRecorded))
    #expect(Answer(example.clip(.paste, .drag, in: "P")) == Answer(.block, .ownerUnknown))
  }

  @Test
  func displaysAreSeparateAndAnUnnamedOneIsTheStrictest() throws {
    var example = try Example()
    _ = example.clip(.copy, display: ":0")
    example.copied(in: "P", display: ":1")
    #expect(Answer(example.clip(.paste, in: "P", display: ":0")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, in: "P", display: ":1")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, in: "P", display: ":2")) == Answer(.block, .ownerUnknown))
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "P", display: ":1")) == Answer(.block, .orgData))
    example.copied(in: "P", display: ":1")
    #expect(Answer(example.clip(.paste, in: "P", display: ":1")) == Answer(.allow, .noManagedIdentity))
  }

  /// The report of one app must not wash what another copied without saying on which display.
  @Test
  func aReportOnANamedDisplayDoesNotHideACopyOnAnUnnamedOne() throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "private@home.example")
    _ = example.clip(.clipboardChanged, in: "V", of: notes, display: ":0", with: notOwned)
    _ = example.clip(.copy)
    _ = example.clip(.clipboardChanged, in: "V", of: notes, display: ":0", with: notOwned)
    #expect(Answer(example.clip(.paste, in: "V", of: notes, display: ":0")) == Answer(.block, .orgData))
    _ = example.clip(.clipboardChanged, in: "V", of: notes, display: ":0")
    #expect(Answer(example.clip(.paste, in: "V", of: notes, display: ":0")) == Answer(.block, .orgData))
  }

  @Test
  func pastTheCapDisplaysShareOneThatIsOnlyRaised() throws {
    var example = try Example()
    for number in 0..<16 { _ = example.clip(.copy, in: "P", display: ":\(number)") }
    _ = example.clip(.copy, display: ":98")
    _ = example.clip(.copy, in: "P", display: ":99")
    #expect(Answer(example.clip(.paste, in: "P", display: ":98")) == Answer(.block, .ownerUnknown))
    #expect(Answer(example.clip(.paste, in: "P", display: ":99")) == Answer(.block, .ownerUnknown))
  }

  @Test
  func usersAreSeparate() throws {
    var example = try Example()
    let other = try example.attach("com.contoso.notes", uid: 1001, as: "")
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "V", of: other)) == Answer(.block, .ownerUnknown))
    _ = example.clip(.clipboardChanged, in: "V", of: other, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "V", of: other)) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
  }

  // MARK: Clip numbers

  @Test
  func aClipNumberOnlyRaises() throws {
    var example = try Example()
    let managed = try #require(example.clip(.copy).clip)
    example.copied(in: "P")
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .id(managed) }) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste) { $0.clip = .id(managed) }) == Answer(.allow, .sameAccount))
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .unreadable }) == Answer(.block, .ownerUnknown))
    let earlier = ClipID(epoch: 41, number: 1)
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .id(earlier) }) == Answer(.block, .ownerUnknown))
    try example.set("other@contoso.com")
    example.copied()
    #expect(Answer(example.clip(.paste) { $0.clip = .id(managed) }) == Answer(.block, .ownerUnknown))
  }

  @Test
  func anEchoDoesNotPushOutOldClipNumbers() throws {
    var example = try Example()
    let first = try #require(example.clip(.copy).clip)
    for _ in 0..<255 {
      _ = example.clip(.copy)
      _ = example.clip(.clipboardChanged, with: owned)
    }
    _ = example.clip(.copy, in: "P")
    #expect(Answer(example.clip(.paste) { $0.clip = .id(first) }) == Answer(.allow, .sameAccount))
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste) { $0.clip = .id(first) }) == Answer(.block, .ownerUnknown))
  }

  @Test
  func anotherUsersClipNumberIsUnknown() throws {
    var example = try Example()
    let other = try example.attach("com.contoso.notes", uid: 1001, as: "work@contoso.com")
    let clip = try #require(example.clip(.copy).clip)
    #expect(Answer(example.clip(.paste, in: "V", of: other) { $0.clip = .id(clip) }) == Answer(.block, .ownerUnknown))
  }
}
