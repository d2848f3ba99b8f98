import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The exception for short texts, and the protection that a user's groups give.
struct ClipboardExceptionTests {
  private let notOwned: (inout Event) -> Void = { $0.selfOwned = .no }

  // MARK: Length exception

  /// CB-06, CB-07: all or nothing. Limit, length at copy, length at paste, and whether it is let through.
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
    #expect(decision.flags[.onlyPlainText] == (isLetThrough == true))
    #expect(decision.limit == (limit > 0 ? limit : nil))
  }

  /// Of two clips that may be meant, one without text must not be let through on the other's length.
  @Test
  func anExceptionHoldsOnlyWhereItHoldsOfBoth() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = 10 })
    for (first, second, reason) in [(0, 5, Reason.orgData), (5, 11, .orgDataOverLimit), (5, 10, .withinLimit)] {
      example.copied(.clipboard, length: first)
      example.copied(.primary, length: second)
      #expect(example.clip(.paste, .unknown, in: "P", length: 5).reason == reason)
    }
  }

  @Test
  func onlyPlainTextIsExcepted() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.clipboard.exceptionLength = 10 })
    _ = example.clip(.copy, length: 5)
    #expect(Answer(example.clip(.paste, in: "P", length: 5) { $0.offersPlainText = false }) == Answer(.block, .orgData))
  }

  /// CB-07: with a reason of its own.
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
    // An owner whom a reload left without a protection is unknown, and excepts nothing.
    example.reload(policy.with { $0.protection.accountPatterns = [] })
    #expect(Answer(example.clip(.paste, in: "V", of: notes, length: 3)) == Answer(.block, .ownerUnknown))
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
        app: example.snapshot.app(named: app) ?? 0, peer: Peer(uid: 1000, groups: [50]), features: .usual,
        example.snapshot)
      try example.set("someone@else.example", in: id)
      try example.state.register(ViewerDescription("V"), in: id, example.snapshot)
      staff.append(id)
    }
    _ = example.clip(.copy, in: "V", of: staff[0])
    #expect(Answer(example.clip(.paste, in: "V", of: staff[1])) == Answer(.allow, .clipboardAllowed))
    example.state.end(staff[0])
    #expect(Answer(example.clip(.paste, in: "V", of: staff[1])) == Answer(.allow, .clipboardAllowed))
    // An instance without the group does not know what binds the data.
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .ownerUnknown))
  }
}
