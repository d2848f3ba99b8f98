import GuardModel
import PolicyEngine
import Testing

/// A copy that never happens takes no protection away, and one that happens is believed (review H1, M5; amendments,
/// clipboard, second part).
struct ClipProposalTests {
  private let owned: (inout Event) -> Void = { $0.selfOwned = .yes }
  private let notOwned: (inout Event) -> Void = { $0.selfOwned = .no }
  private static let echoing: ClientFeatures = [.clipEcho, .wrap, .plainText]

  /// The portal shows work data and lies on record with 5,000 scalars; another program has nobody's data.
  private func managedClip(_ features: ClientFeatures) throws -> (Example, InstanceID) {
    var example = try Example()
    example.copied(length: 5_000)
    let index = try #require(example.snapshot.app(named: "com.contoso.notes"))
    let notes = try example.state.attach(app: index, peer: Peer(uid: 1000), features: features, example.snapshot)
    try example.set("", in: notes)
    try example.state.register(ViewerDescription("V"), in: notes, example.snapshot)
    return (example, notes)
  }

  private func paste(_ example: inout Example, _ notes: InstanceID, length: Int? = nil, at time: UInt64 = 0) -> Answer {
    Answer(example.clip(.paste, in: "V", of: notes, length: length) { $0.time = time })
  }

  // MARK: Copies that never happen

  @Test(arguments: [ClientFeatures.usual, [.clipEcho, .wrap, .plainText]])
  func aCopyThatNeverHappensLowersNothing(_ features: ClientFeatures) throws {
    for copies in [1, 2, 8, 9, 20, 100] {
      var (example, notes) = try managedClip(features)
      for number in 0..<copies {
        _ = example.clip(.copy, in: "V", of: notes, length: 0) { $0.time = UInt64(number) * 3_000 }
      }
      for time in [0, 9_999, 10_000, 300_000, 3_000_000] as [UInt64] {
        #expect(paste(&example, notes, at: time).outcome == .block)
        #expect(paste(&example, notes, length: 5_000, at: time).outcome == .block)
      }
    }
  }

  /// The next change of the program is no echo of a copy of another length, or of the length on record.
  @Test(arguments: [nil, 0, 5_000, 7])
  func anotherChangeIsNoEcho(_ length: Int?) throws {
    var (example, notes) = try managedClip(Self.echoing)
    try example.set("work@contoso.com", window: "w", in: notes)
    try example.state.register(ViewerDescription("W", window: "w"), in: notes, example.snapshot)
    _ = example.clip(.copy, in: "V", of: notes, length: length == 5_000 ? 5_000 : 3)
    _ = example.clip(.clipboardChanged, in: "V", of: notes, length: length, with: owned)
    #expect(paste(&example, notes).outcome == .block, "beside its work window it may be either's")
  }

  @Test
  func anotherProgramCannotNameTheCopy() throws {
    var (example, notes) = try managedClip(Self.echoing)
    let copy = example.clip(.copy, in: "V", of: notes, length: 3)
    for claim in [true, false] {
      _ = example.clip(.clipboardChanged, length: 3) {
        ($0.selfOwned, $0.proposal) = (claim ? .yes : .unknown, copy.proposal)
      }
    }
    #expect(paste(&example, notes).outcome == .block)
  }

  @Test
  func aLateEchoIsNone() throws {
    var (example, notes) = try managedClip(Self.echoing)
    try example.set("work@contoso.com", window: "w", in: notes)
    try example.state.register(ViewerDescription("W", window: "w"), in: notes, example.snapshot)
    let copy = example.clip(.copy, in: "V", of: notes, length: 3)
    _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 3) {
      ($0.selfOwned, $0.proposal, $0.time) = (.yes, copy.proposal, 10_000)
    }
    #expect(paste(&example, notes, at: 10_000).outcome == .block)
  }

  /// Where the answer is withheld, nothing is lowered, and what raises counts at once.
  @Test
  func aWithheldAnswerOnlyRaises() throws {
    for features in [ClientFeatures.usual, Self.echoing] {
      var (example, notes) = try managedClip(features)
      let copy = example.clip(.copy, in: "V", of: notes, length: 3) { $0.isWithheld = true }
      for named in [true, false] {
        _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 3) {
          ($0.selfOwned, $0.proposal, $0.isWithheld) = (.yes, named ? copy.proposal : nil, named)
        }
        if named { #expect(paste(&example, notes, length: 3).outcome == .block) }
      }
      // Answered, it is the program's own change, and nobody's.
      #expect(paste(&example, notes, length: 3) == Answer(.allow, .noManagedIdentity))
      _ = example.clip(.copy, length: 3) { $0.isWithheld = true }
      #expect(paste(&example, notes, length: 3).outcome == .block)
    }
  }

  // MARK: Copies that happen

  @Test
  func anEchoByNameOrByLengthIsBelieved() throws {
    for named in [true, false] {
      var (example, notes) = try managedClip(Self.echoing)
      let copy = example.clip(.copy, in: "V", of: notes, length: 3)
      _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 3) {
        ($0.selfOwned, $0.proposal) = (.yes, named ? copy.proposal : nil)
      }
      #expect(paste(&example, notes) == Answer(.allow, .noManagedIdentity))
    }
  }

  /// A copy of a work page that its program tells of counts at once, and after ten seconds without an echo.
  @Test
  func aCopyThatRaisesCountsAtOnce() throws {
    for features in [ClientFeatures.usual, Self.echoing] {
      var (example, notes) = try managedClip(features)
      example.copied(in: "V", of: notes, length: 3)
      try example.set("work@contoso.com", window: "w", in: notes)
      try example.state.register(ViewerDescription("W", window: "w"), in: notes, example.snapshot)
      _ = example.clip(.copy, in: "W", of: notes, length: 40)
      for time in [0, 9_999, 10_000, 1_000_000] as [UInt64] {
        #expect(paste(&example, notes, length: 40, at: time) == Answer(.block, .orgData))
      }
    }
  }

  /// A program without `clipEcho` that copies nobody's text: the paste shows by its length that it happened.
  @Test
  func aProgramThatTellsNothingIsUsedAsBefore() throws {
    var (example, notes) = try managedClip(.usual)
    for number in 1..<40 {
      _ = example.clip(.copy, in: "V", of: notes, length: number) { $0.time = UInt64(number) * 60_000 }
      let answer = paste(&example, notes, length: number, at: UInt64(number) * 60_000 + 59_000)
      #expect(answer == Answer(.allow, .noManagedIdentity), "\(number)")
    }
    // Another program sees the selection change to that length.
    example.copied(length: 5_000)
    _ = example.clip(.copy, in: "V", of: notes, length: 9)
    _ = example.clip(.clipboardChanged, length: 9, with: notOwned)
    #expect(paste(&example, notes) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func nineWorkCopiesAreStillTheAccounts() throws {
    var example = try Example()
    for number in 1...30 { _ = example.clip(.copy, length: number) }
    #expect(Answer(example.clip(.paste, length: 30)) == Answer(.allow, .sameAccount))
    #expect(Answer(example.clip(.paste, in: "P", length: 30)) == Answer(.block, .orgData))
  }

  // MARK: Drags

  @Test
  func aSecondStartDoesNotLaunderADrag() throws {
    var (example, notes) = try managedClip(Self.echoing)
    _ = example.clip(.copy, .drag, length: 9)
    _ = example.clip(.copy, .drag, in: "V", of: notes, length: 9)
    func drop(at time: UInt64 = 0) -> Answer {
      Answer(example.clip(.paste, .drag, in: "V", of: notes) { $0.time = time })
    }
    #expect(drop() == Answer(.block, .orgData))
    _ = example.clip(.dragEnd, .drag, in: "V", of: notes)
    #expect(drop() == Answer(.block, .orgData), "only its own drag has ended")
    _ = example.clip(.dragEnd, .drag)
    #expect(drop() == Answer(.block, .ownerUnknown))
    // A cancelled drag is told, and the next is free.
    _ = example.clip(.copy, .drag, in: "V", of: notes)
    #expect(drop() == Answer(.allow, .noManagedIdentity))
  }

  /// Neither those of one program push it out, nor those of more programs than there is room for.
  @Test(arguments: [1, 2, 7, 8, 12])
  func manyDragsLaunderNone(_ programs: Int) throws {
    var (example, notes) = try managedClip(Self.echoing)
    let others = try [notes] + (1..<programs).map { _ in try example.attach("com.contoso.notes", as: "") }
    _ = example.clip(.copy, .drag, length: 9)
    for _ in 0..<30 {
      for other in others { _ = example.clip(.copy, .drag, in: "V", of: other, length: 9) }
      for other in others { _ = example.clip(.dragEnd, .drag, in: "V", of: other) }
      _ = example.clip(.copy, .drag, in: "V", of: notes, length: 9)
      #expect(Answer(example.clip(.paste, .drag, in: "V", of: notes)).outcome == .block)
    }
  }

  @Test
  func aForgottenDragIsOverAfterFiveMinutes() throws {
    var (example, notes) = try managedClip(Self.echoing)
    _ = example.clip(.copy, .drag)
    for (time, answer) in [
      (299_999, Answer(.block, .orgData)), (300_000, Answer(.allow, .noManagedIdentity)),
    ] as [(UInt64, Answer)] {
      _ = example.clip(.copy, .drag, in: "V", of: notes) { $0.time = time }
      #expect(Answer(example.clip(.paste, .drag, in: "V", of: notes) { $0.time = time }) == answer)
    }
  }

  // MARK: Displays

  @Test(arguments: [
    (":0", ":0.1", true), ("unix:0", ":0", true), (":0", ":1", false), ("wayland-0", "wayland-0", false),
  ])
  func anXDisplayIsSharedAndAWaylandOneIsNot(_ copied: String, _ pasted: String, _ isShared: Bool) throws {
    var example = try Example()
    let other = try example.attach("com.contoso.notes", uid: 1001, as: "")
    example.copied(length: 5, display: copied)
    _ = example.clip(.clipboardChanged, in: "V", of: other, length: 5, display: pasted, with: notOwned)
    let answer = Answer(example.clip(.paste, in: "V", of: other, length: 5, display: pasted))
    #expect(answer == (isShared ? Answer(.block, .ownerUnknown) : Answer(.allow, .noManagedIdentity)))
    // What has another length is another text; what the other person copied since took its place.
    #expect(Answer(example.clip(.paste, in: "V", of: other, length: 6, display: pasted)).outcome == .allow)
    example.copied(in: "V", of: other, length: 5, display: pasted)
    #expect(Answer(example.clip(.paste, in: "V", of: other, length: 5, display: pasted)).outcome == .allow)
  }

  /// Two names may mean one seat: what a program sees on the other name may be the clip (review M5).
  @Test(arguments: [nil, 5])
  func aReportOnAnotherDisplayDoesNotHideAClip(_ length: Int?) throws {
    for selection in [Selection.clipboard, .drag] {
      var (example, notes) = try managedClip(.usual)
      _ = example.clip(.copy, selection, length: 5, display: ":0")
      for _ in 0..<3 {
        _ = example.clip(
          .clipboardChanged, selection, in: "V", of: notes, length: length, display: "wayland-0", with: notOwned)
        let answer = example.clip(.paste, selection, in: "V", of: notes, length: length, display: "wayland-0")
        #expect(answer.outcome == .block)
      }
    }
  }

  // MARK: Reloads

  /// A clip copied before its account became managed is managed after (review, section 2, item 18).
  @Test
  func aReloadMakesClipsManagedAndNeverFreesThem() throws {
    let free = ExamplePolicy().with { $0.protection.accountPatterns = ["*@fabrikam.example"] }
    var example = try Example(free)
    let notes = try example.attach("com.contoso.notes", as: "")
    example.copied(length: 5)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)).outcome == .allow)
    example.reload(ExamplePolicy())
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
    #expect(Answer(example.clip(.paste)) == Answer(.allow, .sameAccount))
    example.copied(length: 5)
    example.reload(free)
    #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .ownerUnknown))
  }

  /// The same clip beside a private copy of the same length that never happens, of a program that does not tell of its
  /// changes: what a program sees has the length of both.
  @Test
  func aClipThatAReloadMadeManagedIsNotTakenForAPrivateOne() throws {
    let free = ExamplePolicy().with { $0.protection.accountPatterns = ["*@fabrikam.example"] }
    var example = try Example(free)
    let notes = try example.attach("com.contoso.notes", as: "")
    example.copied(length: 5)
    example.reload(ExamplePolicy())
    _ = example.clip(.copy, in: "V", of: notes, length: 5)
    for _ in 1...3 {
      _ = example.clip(.clipboardChanged, in: "V", of: notes, length: 5, with: notOwned)
      #expect(Answer(example.clip(.paste, in: "V", of: notes, length: 5)).outcome == .block)
    }
    #expect(Answer(example.clip(.paste, length: 5)).outcome == .allow)
  }

  /// A reload that is taken back leaves private clips private.
  @Test
  func aClipIsFreeAgainWhenTheReloadIsTakenBack() throws {
    let free = ExamplePolicy().with { $0.protection.accountPatterns = ["*@fabrikam.example"] }
    var example = try Example(free)
    let notes = try example.attach("com.contoso.notes", as: "")
    example.copied(length: 5)
    for _ in 1...3 {
      example.reload(ExamplePolicy())
      #expect(Answer(example.clip(.paste, in: "V", of: notes)) == Answer(.block, .orgData))
      example.reload(free)
      #expect(Answer(example.clip(.paste, in: "V", of: notes)).outcome == .allow)
    }
  }
}
