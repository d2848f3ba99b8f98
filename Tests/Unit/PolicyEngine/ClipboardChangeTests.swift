import GuardModel
import PolicyEngine
import Testing

/// What apps report of selections that changed, and what that may lower.
struct ClipboardChangeTests {
  private let notOwned: (inout Event) -> Void = { $0.selfOwned = .no }
  private let owned: (inout Event) -> Void = { $0.selfOwned = .yes }

  // MARK: ClipboardChanged

  /// Beside another account's viewer: without a copy, what the app put there may be of either.
  @Test
  func anEchoOfACopyTellsNothingNew() throws {
    var example = try Example()
    try example.register(ViewerDescription("X", window: "other"))
    try example.set("other@contoso.com", window: "other")
    example.copied(length: 5)
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .sameAccount))
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
    for (time, owner) in [(0 as UInt64, ClipOwner.account(account)), (9_999, .account(account)), (10_000, .unmanaged)] {
      let decision = example.clip(.clipboardChanged) { ($0.selfOwned, $0.time) = (.yes, time) }
      #expect(decision.clipOwner == owner, "what was shown up to ten seconds ago may be what was copied")
    }
  }

  /// Whatever takes a work page away a moment before: its window, its viewer, its viewer's policy, the whole scope.
  @Test(arguments: ["window", "viewer", "policy", "other class of window"])
  func aPageThatIsGoneCountsForTenSeconds(_ way: String) throws {
    var example = try Example(as: "")
    try example.set("work@contoso.com", window: "w")
    try example.register(ViewerDescription("X", window: "w"))
    #expect(example.clip(.clipboardChanged, with: owned).clipOwner != .unmanaged)
    switch way {
    case "window": try example.set("", window: "w")
    case "viewer": try example.state.forget(viewer: "X", in: example.portal, example.snapshot)
    case "policy": try example.tag("X", .unmanaged)
    default: try example.register(ViewerDescription("X", window: "free"))
    }
    func owner(at time: UInt64) -> ClipOwner? {
      example.clip(.clipboardChanged) { ($0.selfOwned, $0.time) = (.yes, time) }.clipOwner
    }
    #expect(owner(at: 9_000) != .unmanaged)
    #expect(owner(at: 10_000) == .unmanaged)
  }

  @Test
  func anAppWithoutViewersOwnsAsItsProcess() throws {
    var example = try Example()
    for viewer in ["D", "C", "P"] {
      try example.state.forget(viewer: viewer, in: example.portal, example.snapshot)
    }
    #expect(example.clip(.clipboardChanged, with: owned).clipOwner != .unmanaged)
    let scoped = example.clip(.clipboardChanged) { ($0.selfOwned, $0.scope, $0.time) = (.yes, .nobody, 10_000) }
    #expect(scoped.clipOwner == .unmanaged)
  }

  /// Once it may be older than the copy. Then the app lost the selection, and another length shows that it is another clip.
  @Test
  func aStaleReportOfTheCopyingAppIsSwallowedOnce() throws {
    var example = try Example()
    _ = example.clip(.copy, length: 5)
    _ = example.clip(.clipboardChanged, length: 6, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.block, .orgData))
    _ = example.clip(.clipboardChanged, length: 6, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func anotherAppsReportNeverLowersWhatALivingAppCopied() throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "")
    example.copied(length: 5)
    for length in [nil, 5] { _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned) }
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    // Another length is another clip, or an older one: until the holder speaks, nobody knows whose.
    _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 6, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .ownerUnknown))
    #expect(Answer(example.clip(.paste)) == Answer(.block, .ownerUnknown), "nor may it come in as the account's own")
    example.state.end(example.portal)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.allow, .noManagedIdentity))
  }

  /// A clipboard manager takes the text over, also after its program has ended (review M5).
  @Test
  func aTextOfTheSameLengthIsStillTheClip() throws {
    for length in [nil, 5] {
      var example = try Example()
      let notes = try example.attach("com.contoso.notes", as: "")
      example.copied(length: 5)
      _ = example.clip(.clipboardChanged, length: length, with: notOwned)
      example.state.end(example.portal)
      for _ in 0..<20 { _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned) }
      #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
      _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 6, with: notOwned)
      #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.allow, .noManagedIdentity))
    }
  }

  /// Its holder's loss and another text may be told in either order.
  @Test(arguments: [true, false])
  func whatTheHolderLostAndAnotherSawIsUnmanaged(_ holderFirst: Bool) throws {
    var example = try Example()
    let notes = try example.attach("com.contoso.notes", as: "")
    example.copied(length: 5)
    for isHolder in [holderFirst, !holderFirst] {
      #expect(Answer(example.clip(.paste, in: "V", of: notes)).outcome == .block)
      if isHolder {
        _ = example.clip(.clipboardChanged, with: notOwned)
      } else {
        _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 6, with: notOwned)
      }
    }
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
    example.copied(at: 20_000)
    #expect(example.clip(.clipboardChanged) { $0.time = 20_000 }.clipOwner == .unmanaged)
    #expect(example.clip(.clipboardChanged, .primary).clipOwner == .unknownManaged)
  }
}
