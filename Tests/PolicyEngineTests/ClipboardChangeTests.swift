import GuardModel
import PolicyEngine
import Testing

/// What apps report of selections that changed, and what that may lower.
struct ClipboardChangeTests {
  private let notOwned: (inout Event) -> Void = { $0.selfOwned = .no }
  private let owned: (inout Event) -> Void = { $0.selfOwned = .yes }

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
    for viewer in ["D", "C", "P"] { try example.state.forget(viewer: viewer, in: example.portal, example.snapshot) }
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
    for length in [nil, 5] { _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned) }
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    // Another length is another clip, or an older one: until the holder speaks, nobody knows whose.
    _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 6, with: notOwned)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .ownerUnknown))
    #expect(Answer(example.clip(.paste)) == Answer(.block, .ownerUnknown), "nor may it come in as the account's own")
    example.state.end(example.portal)
    for length in [nil, 5] { _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: notOwned) }
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .ownerUnknown))
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
}
