import GuardModel
import PolicyEngine
import Testing

/// Ledger E.2 with the amendments: each reason at least once, and the bookkeeping behind it.
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

  /// Level, direction, and what comes of it: out of the portal into the unmanaged viewer; into it from outside; to
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
    _ = example.clip(.copy, in: "P")
    #expect(Answer(example.clip(.paste)) == into)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
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
    _ = example.clip(.copy, .clipboard, in: "P")
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
    _ = example.clip(.copy, in: "P", display: ":1")
    #expect(Answer(example.clip(.paste, in: "P", display: ":0")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, in: "P", display: ":1")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste, in: "P", display: ":2")) == Answer(.block, .ownerUnknown))
    _ = example.clip(.copy)
    #expect(Answer(example.clip(.paste, in: "P", display: ":1")) == Answer(.block, .orgData))
    _ = example.clip(.copy, in: "P", display: ":1")
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
    _ = example.clip(.copy, in: "P")
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .id(managed) }) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste) { $0.clip = .id(managed) }) == Answer(.allow, .sameAccount))
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .unreadable }) == Answer(.block, .ownerUnknown))
    let earlier = ClipID(epoch: 41, number: 1)
    #expect(Answer(example.clip(.paste, in: "P") { $0.clip = .id(earlier) }) == Answer(.block, .ownerUnknown))
    try example.set("other@contoso.com")
    _ = example.clip(.copy)
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

  // MARK: ClipboardChanged

  @Test
  func anEchoOfACopyTellsNothingNew() throws {
    var example = try Example()
    try example.register(ViewerCall("X", window: "other"))
    try example.set("other@contoso.com", window: "other")
    _ = example.clip(.copy, length: 5)
    _ = example.clip(.clipboardChanged, length: 9, with: owned)
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .sameAccount))
    // A second one is no echo: the app put something there without a copy, of one of its two accounts.
    #expect(example.clip(.clipboardChanged, with: owned).clipOwner == .unknownManaged)
    #expect(Answer(example.clip(.paste)) == Answer(.block, .ownerUnknown))
  }

  @Test
  func selfOwnedWithoutACopyIsTheStrictestIdentitys() throws {
    var example = try Example()
    let work = example.navigate("https://contoso.com/").identity
    guard case .account(let account) = work else { return }
    #expect(example.clip(.clipboardChanged, in: "P", with: owned).clipOwner == .account(account))
    try example.set("private@home.example")
    #expect(example.clip(.clipboardChanged, with: owned).clipOwner == .unmanaged)
  }

  @Test
  func anAppWithoutViewersOwnsAsItsProcess() throws {
    var example = try Example()
    for viewer in ["D", "C", "P"] { try example.state.forget(viewer: viewer, in: example.portal) }
    #expect(example.clip(.clipboardChanged, with: owned).clipOwner != .unmanaged)
    #expect(example.clip(.clipboardChanged) { ($0.selfOwned, $0.scope) = (.yes, .nobody) }.clipOwner == .unmanaged)
  }

  @Test
  func aStaleReportOfTheCopyingAppIsSwallowedOnce() throws {
    var example = try Example()
    _ = example.clip(.copy)
    _ = example.clip(.clipboardChanged, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
    _ = example.clip(.clipboardChanged, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func anotherAppsReportNeverLowersWhatALivingAppCopied() throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "")
    _ = example.clip(.copy, length: 5)
    for length in [nil, 5, 6] {
      _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned)
    }
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    example.state.end(example.portal)
    for length in [nil, 5] { _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned) }
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 6, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.allow, .noManagedIdentity))
  }

  /// Either of two apps may hold what went to an unknown selection: neither can say that it is gone.
  @Test
  func aClipOfTwoPossibleHoldersStands() throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "work@contoso.com")
    _ = example.clip(.copy, .clipboard, in: "V", of: notes)
    _ = example.clip(.copy, .unknown)
    for _ in 0..<3 { _ = example.clip(.clipboardChanged, with: notOwned) }
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
  }

  @Test
  func whoOwnsItIsNotKnownIsTheStricter() throws {
    var example = try Example()
    _ = example.clip(.clipboardChanged, with: notOwned)
    #expect(example.clip(.clipboardChanged, in: "P").clipOwner != .unmanaged)
    try example.set("")
    _ = example.clip(.copy)
    #expect(example.clip(.clipboardChanged).clipOwner == .unmanaged)
    #expect(example.clip(.clipboardChanged, .primary).clipOwner == .unknownManaged)
  }

  // MARK: Length exception

  /// Limit, length at copy, length at paste, and whether it is let through.
  @Test(
    arguments: [
      (10, 5, 5, true), (10, 10, 10, true), (10, 10, 11, false), (10, 11, 10, false), (10, 0, 0, false),
      (10, 0, 1, true),
      (10, nil, 5, nil), (10, 5, nil, nil), (0, 5, 5, nil), (-1, 5, 5, nil), (1, 1, 1, true), (10, -5, -5, false),
      (10, Int.max, Int.max, false),
    ] as [(Int, Int?, Int?, Bool?)])
  func shortTextsAreExcepted(_ limit: Int, _ copied: Int?, _ offered: Int?, _ isLetThrough: Bool?) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = limit })
    _ = example.clip(.copy, length: copied)
    let decision = example.clip(.paste, in: "P", length: offered)
    switch isLetThrough {
    case true: #expect(Answer(decision) == Answer(.allow, .withinLimit))
    case false: #expect(Answer(decision) == Answer(.block, .orgDataOverLimit))
    case nil: #expect(Answer(decision) == Answer(.block, .orgData))
    }
    #expect(decision.onlyPlainText == (isLetThrough == true))
    #expect(decision.limit == (limit > 0 ? limit : nil))
  }

  /// Of two clips that may be meant, one without text must not be let through on the other's length.
  @Test
  func anExceptionHoldsOnlyWhereItHoldsOfBoth() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = 10 })
    for (first, second, reason) in [(0, 5, Reason.orgData), (5, 11, .orgDataOverLimit), (5, 10, .withinLimit)] {
      _ = example.clip(.copy, .clipboard, length: first)
      _ = example.clip(.copy, .primary, length: second)
      #expect(example.clip(.paste, .unknown, in: "P", length: 5).reason == reason)
    }
  }

  @Test
  func onlyPlainTextIsExcepted() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = 10 })
    _ = example.clip(.copy, length: 5)
    #expect(Answer(example.clip(.paste, in: "P", length: 5) { $0.offersPlainText = false }) == Answer(.block, .orgData))
  }

  @Test
  func dataFromOutsideIsExceptedTheSameWay() throws {
    var example = try Example(
      ExamplePolicy().with {
        $0.protection.clipboard.level = .managed
        $0.protection.clipboard.exceptionLength = 10
      })
    _ = example.clip(.clipboardChanged, length: 5, with: notOwned)
    #expect(Answer(example.clip(.paste, length: 5)) == Answer(.allow, .withinLimit))
    let over = example.clip(.paste, length: 11)
    #expect(Answer(over) == Answer(.block, .personalDataOverLimit))
    #expect(over.protection == 0 && over.limit == 10)
  }

  @Test
  func whereBothSidesRefuseBothMustExcept() throws {
    var other = Protection(name: "fabrikam")
    other.accountPatterns = ["*@fabrikam.example"]
    other.clipboard.level = .managed
    other.clipboard.exceptionLength = 3
    let policy = ExamplePolicy().with {
      $0.protection.clipboard.level = .managed
      $0.protection.clipboard.exceptionLength = 10
      $0.otherProtections = [other]
    }
    var example = try Example(policy)
    let notes = try example.attach("com.contoso.notes", as: "boss@fabrikam.example")
    _ = example.clip(.copy, length: 3)
    #expect(Answer(example.clip(.paste, in: "V", of: notes, length: 3)) == Answer(.allow, .withinLimit))
    let over = example.clip(.paste, in: "V", of: notes, length: 5)
    #expect(Answer(over) == Answer(.block, .orgDataOverLimit))
    #expect(over.limit == 3 && over.protection == 0)
    // An owner whom a reload left without a protection excepts nothing.
    example.reload(policy.with { $0.protection.accountPatterns = [] })
    #expect(Answer(example.clip(.paste, in: "V", of: notes, length: 3)) == Answer(.block, .orgData))
  }

  @Test
  func theMinutesBudgetStopsManySmallPastes() throws {
    var example = try Example(
      ExamplePolicy().with {
        $0.protection.clipboard.exceptionLength = 10
        $0.protection.clipboard.exceptionPerMinute = 12
      })
    _ = example.clip(.copy, length: 5)
    func paste(_ length: Int, at time: UInt64) -> Answer {
      Answer(example.clip(.paste, in: "P", length: length) { $0.time = time })
    }
    #expect(paste(5, at: 60_000) == Answer(.allow, .withinLimit))
    #expect(paste(5, at: 119_999) == Answer(.allow, .withinLimit))
    #expect(paste(5, at: 119_999) == Answer(.block, .orgDataOverLimit))
    #expect(paste(5, at: 0) == Answer(.block, .orgDataOverLimit))
    #expect(paste(5, at: 120_000) == Answer(.allow, .withinLimit))
    #expect(paste(7, at: 120_000) == Answer(.allow, .withinLimit))
    #expect(paste(5, at: 120_000) == Answer(.block, .orgDataOverLimit))
  }

  // MARK: Groups

  @Test
  func aGroupsProtectionOutlivesTheInstanceThatCopied() throws {
    let policy = ExamplePolicy().with {
      $0.protection.accountPatterns = []
      $0.protection.groups = [50]
      $0.protection.clipboard.level = .any
    }
    var example = try Example(policy)
    var staff: [InstanceID] = []
    for app in ["com.contoso.portal", "com.contoso.notes"] {
      let id = try example.state.attach(
        app: example.snapshot.app(named: app) ?? 0, peer: Peer(uid: 1000, groups: [50]), example.snapshot)
      try example.set("someone@else.example", in: id)
      try example.state.register(ViewerCall("V"), in: id, example.snapshot)
      staff.append(id)
    }
    _ = example.clip(.copy, in: "V", of: staff[0])
    #expect(Answer(example.clip(.paste, in: "V", of: staff[1])) == Answer(.allow, .clipboardAllowed))
    example.state.end(staff[0])
    #expect(Answer(example.clip(.paste, in: "V", of: staff[1])) == Answer(.allow, .clipboardAllowed))
    // An instance without the group does not know what binds the data.
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
  }
}
