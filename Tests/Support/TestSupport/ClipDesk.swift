package import GuardModel

/// Where the programs of a ``ClipDesk`` are guarded: the engine itself, or a daemon behind its socket.
///
/// Three programs of one person run there, of two apps. Each shows the viewer `work`, with the organisation's data, and
/// `free`, with nobody's.
package protocol ClipWorld {
  mutating func pass(milliseconds: UInt64) throws
  mutating func tell(_ report: ClipReport) throws -> ClipAnswer
  /// The program ends and comes back as another instance.
  mutating func end(_ program: Int) throws
  /// The daemon is killed and comes back, and so do the programs, as the instances that they were.
  mutating func restart() throws
  /// The same policy is loaded again.
  mutating func reload() throws
}

/// What a program tells: a copy, a paste, or a change of the clipboard.
package struct ClipReport {
  package var kind: EventKind
  package var program: Int
  package var viewer = "free"
  /// Nil for a program that does not know it.
  package var length: Int?
  /// For changes alone.
  package var selfOwned = Ternary.unknown
  package var proposal: ProposalID?
  /// The daemon refuses to answer.
  package var isWithheld = false
}

package struct ClipAnswer {
  package var isAllowed: Bool
  /// Outcome and reason.
  package var words: String
  package var proposal: ProposalID?

  package init(isAllowed: Bool, words: String, proposal: ProposalID?) {
    (self.isAllowed, self.words, self.proposal) = (isAllowed, words, proposal)
  }
}

/// A person's desk: three programs that ask, others that do not, and what the clipboard really holds.
///
/// All that can happen to a clipboard, as long as programs tell the truth as far as they know it: copies that happen and
/// copies that do not, programs that tell of theirs and programs that do not, programs that ask nobody, clipboard managers,
/// answers that are withheld, drags of the clock, ends, restarts and reloads (review H1, M5). Two things hold of it:
///
/// - What was managed when it was copied is never pasted into a private place.
/// - Who only ever copies private data, and in private places, is never in the way of the guard, whatever the other windows
///   of his programs show.
package struct ClipDesk<World: ClipWorld> {
  /// What the clipboard holds.
  package struct Content {
    package var isManaged = false
    package var length = 3
    /// The program that put it there; nil for one that does not ask.
    package var owner: Int?
  }

  /// How a paste into a private place was answered.
  package struct Paste {
    package var isAllowed: Bool
    package var isManaged: Bool
    /// Why it should not have been answered so; nil when all is well.
    package var breach: String?
  }

  /// Which of the programs report each change that they make.
  private static var echoing: [Bool] { [true, false, true] }

  package var world: World
  private var content = Content()
  private var story: [String] = []
  private let isPrivate: Bool

  /// - Parameter isPrivate: nothing of the organisation is ever copied.
  package init(_ world: World, isPrivate: Bool) throws {
    (self.world, self.isPrivate) = (world, isPrivate)
    if isPrivate { try report(foreign: 3, by: 0) }
  }

  /// Pastes what the clipboard holds into a private place.
  package mutating func paste(_ choices: inout some Choices) throws -> Paste {
    var paste = ClipReport(kind: .paste, program: choices.below(2))
    paste.length = choices.once(in: 5) ? nil : content.length
    let answer = try world.tell(paste)
    let isWrong = content.isManaged ? answer.isAllowed : isPrivate && !answer.isAllowed
    let told = story.suffix(30).joined(separator: "\n") + "\npasted by \(paste.program): \(answer.words)"
    return Paste(isAllowed: answer.isAllowed, isManaged: content.isManaged, breach: isWrong ? told : nil)
  }

  /// Something happens, and the programs tell of it what they know.
  package mutating func happen(_ choices: inout some Choices) throws {
    try world.pass(milliseconds: choices.one(of: [0, 500, 2_000, 12_000, 400_000]))
    let number = choices.below(3)
    let length = choices.one(of: [3, 5, 9])
    switch choices.below(10) {
    case 0...4: try copy(number, length, &choices)
    case 5: try copyElsewhere(length, seenBy: choices.once(in: 3) ? [] : watchers(&choices))
    case 6: try takeOver(choices.once(in: 2) ? nil : content.length, seenBy: watchers(&choices))
    case 7 where choices.once(in: 3):
      story.append("program \(number) ends and comes back")
      try world.end(number)
    case 8 where choices.once(in: 3):
      story.append("the daemon is killed and comes back")
      try world.restart()
    case 8: try world.reload()
    // Of another length than any copy: one of the same that was asked for and did not happen is taken for it.
    default: try copyUnasked(number, length + 1, isManaged: !isPrivate && choices.once(in: 2))
    }
  }

  private func watchers(_ choices: inout some Choices) -> [Int] { [0, 1, 2].filter { _ in !choices.once(in: 3) } }

  // MARK: What happens

  private mutating func copy(_ number: Int, _ length: Int, _ choices: inout some Choices) throws {
    let isManaged = !isPrivate && choices.once(in: 2)
    let happens = !choices.once(in: 3)
    let isWithheld = !isPrivate && choices.once(in: 8)
    story.append("program \(number) copies \(length), managed \(isManaged), happens \(happens), withheld \(isWithheld)")
    var copy = ClipReport(kind: .copy, program: number, viewer: isManaged ? "work" : "free")
    (copy.length, copy.isWithheld) = (length, isWithheld)
    let answer = try world.tell(copy)
    // Without an answer the program does not copy; it may have copied before it asked, what is managed for certain.
    guard happens, !isWithheld || isManaged else { return }
    content = Content(isManaged: isManaged, length: length, owner: number)
    guard Self.echoing[number] else { return }
    try world.pass(milliseconds: 100)
    var echo = ClipReport(kind: .clipboardChanged, program: number)
    (echo.length, echo.selfOwned, echo.proposal) = (length, .yes, isWithheld ? nil : answer.proposal)
    _ = try world.tell(echo)
  }

  /// A program fills the selection by itself, and tells so.
  private mutating func copyUnasked(_ number: Int, _ length: Int, isManaged: Bool) throws {
    guard isManaged, Self.echoing[number] else { return }
    story.append("program \(number) fills in \(length)")
    content = Content(isManaged: true, length: length, owner: number)
    var change = ClipReport(kind: .clipboardChanged, program: number, viewer: "work")
    (change.length, change.selfOwned) = (length, .yes)
    _ = try world.tell(change)
  }

  /// A program that asks nobody. The one that held the selection is told that it lost it.
  private mutating func copyElsewhere(_ length: Int, seenBy programs: [Int]) throws {
    story.append("another program copies \(length), seen by \(programs)")
    content = Content(isManaged: false, length: length)
    for number in programs { try report(foreign: length, by: number) }
  }

  /// A clipboard manager takes the same text over.
  private mutating func takeOver(_ length: Int?, seenBy programs: [Int]) throws {
    story.append("a manager takes over, seen by \(programs) as \(length ?? -1)")
    for number in programs where content.owner != nil { try report(foreign: length, by: number) }
  }

  private mutating func report(foreign length: Int?, by number: Int) throws {
    var change = ClipReport(kind: .clipboardChanged, program: number)
    (change.length, change.selfOwned) = (length, .no)
    _ = try world.tell(change)
  }
}
