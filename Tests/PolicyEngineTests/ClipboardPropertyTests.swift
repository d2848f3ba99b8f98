import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What holds of all that can happen to a clipboard, as long as programs tell the truth as far as they know it: copies that
/// happen and copies that do not, programs that tell of theirs and programs that do not, programs that ask nobody, clipboard
/// managers, answers that are withheld, drags of the clock, ends and restarts (issue of the review, H1, M5).
struct ClipboardPropertyTests {
  /// What was managed when it was copied is never pasted into a private place.
  @Test
  func managedDataNeverLeaves() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 71)
    var (managed, free) = (0, 0)
    for _ in 0..<Effort.scaled(6_000) {
      var desk = try Desk(random.oneIn(2) ? "w" : "")
      for _ in 0..<40 {
        try desk.happen(&random, mayCopyManaged: true)
        let place = random.one(of: ["free", "own"])
        let answer = desk.paste(in: place, length: random.oneIn(5) ? nil : desk.content.length)
        if desk.content.isManaged {
          managed += 1
          guard answer.outcome != .allow else {
            Issue.record("\(desk.story.suffix(30).joined(separator: "\n"))\n\(answer)\n\(random.note)")
            return
          }
        } else if answer.outcome == .allow {
          free += 1
        }
      }
    }
    #expect(managed > Effort.scaled(40_000) && free > Effort.scaled(10_000), "\(managed) \(free)")
  }

  /// Who only ever copies private data, and in private places, is never in the way of the guard, whatever the other windows
  /// of his programs show.
  @Test
  func privateUseIsNeverBlocked() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 72)
    var pastes = 0
    for _ in 0..<Effort.scaled(6_000) {
      var desk = try Desk(random.oneIn(2) ? "w" : "")
      desk.report(foreign: 3, by: 0)
      for _ in 0..<40 {
        try desk.happen(&random, mayCopyManaged: false)
        let answer = desk.paste(
          in: random.one(of: ["free", "own"]), length: random.oneIn(5) ? nil : desk.content.length)
        pastes += 1
        guard answer.outcome == .allow else {
          Issue.record("\(desk.story.suffix(30).joined(separator: "\n"))\n\(answer)\n\(random.note)")
          return
        }
      }
    }
    #expect(pastes == Effort.scaled(6_000) * 40)
  }
}

/// A user's desk: three programs that ask, others that do not, and what the clipboard really holds.
private struct Desk {
  struct Content {
    var isManaged = false
    var length = 3
    /// The program that put it there; nil for one that does not ask.
    var owner: Int?
  }

  private(set) var content = Content()
  private(set) var story: [String] = []
  private var example: Example
  private var programs: [InstanceID] = []
  private var features: [ClientFeatures] = []
  private var time: UInt64 = 1_000_000
  private let display: String?
  private var epoch: UInt64 = 1

  /// Each program shows a work page and a free one.
  ///
  /// - Parameter display: a name, or empty where the programs name none.
  init(_ display: String) throws {
    self.display = display.isEmpty ? nil : display
    example = try Example()
    features = [[.clipEcho, .wrap, .plainText], .usual, [.clipEcho, .wrap, .plainText]]
    for number in features.indices { programs.append(try start(number)) }
  }

  private mutating func start(_ number: Int, serial: UInt64? = nil) throws -> InstanceID {
    let index = example.snapshot.app(named: number == 2 ? "com.contoso.notes" : "com.contoso.portal") ?? 0
    let id = try example.state.attach(
      app: index, peer: Peer(uid: 1000), features: features[number], serial: serial, example.snapshot)
    try example.set("", in: id)
    try example.set("work@contoso.com", window: "w", in: id)
    for (viewer, window) in [("work", "w"), ("free", "f"), ("own", "f")] {
      try example.state.register(ViewerCall(viewer, window: window), in: id, example.snapshot)
    }
    return id
  }

  mutating func paste(in place: String, length: Int?) -> Answer {
    Answer(tell(.paste, place == "own" ? 0 : 1, "free", length) { _ in })
  }

  /// Something happens, and the programs tell of it what they know.
  mutating func happen(_ random: inout SeededGenerator, mayCopyManaged: Bool) throws {
    time += random.one(of: [0, 500, 2_000, 12_000, 400_000])
    let number = random.below(3)
    let length = random.one(of: [3, 5, 9])
    switch random.below(10) {
    case 0...4:
      let isManaged = mayCopyManaged && random.oneIn(2)
      copy(number, isManaged, length, happens: !random.oneIn(3), isWithheld: mayCopyManaged && random.oneIn(8))
    case 5: copyElsewhere(length, seenBy: random.oneIn(3) ? [] : [0, 1, 2].filter { _ in !random.oneIn(3) })
    case 6: takeOver(random.oneIn(2) ? nil : content.length, seenBy: [0, 1, 2].filter { _ in !random.oneIn(3) })
    case 7 where random.oneIn(3): try end(number)
    case 8 where random.oneIn(3): try restart()
    // Of another length than any copy: one of the same that was asked for and did not happen is taken for it.
    default: copyUnasked(number, length + 1, isManaged: mayCopyManaged && random.oneIn(2))
    }
  }

  // MARK: What happens

  private mutating func copy(_ number: Int, _ isManaged: Bool, _ length: Int, happens: Bool, isWithheld: Bool) {
    story.append("program \(number) copies \(length), managed \(isManaged), happens \(happens), withheld \(isWithheld)")
    let decision = tell(.copy, number, isManaged ? "work" : "free", length) { $0.isWithheld = isWithheld }
    // Without an answer the program does not copy; it may have copied before it asked, what is managed for certain.
    guard happens, !isWithheld || isManaged else { return }
    content = Content(isManaged: isManaged, length: length, owner: number)
    guard features[number].contains(.clipEcho) else { return }
    time += 100
    _ = tell(.clipboardChanged, number, "free", length) {
      ($0.selfOwned, $0.proposal) = (.yes, isWithheld ? nil : decision.proposal)
    }
  }

  /// A program fills the selection by itself, and tells so.
  private mutating func copyUnasked(_ number: Int, _ length: Int, isManaged: Bool) {
    guard isManaged, features[number].contains(.clipEcho) else { return }
    story.append("program \(number) fills in \(length)")
    content = Content(isManaged: true, length: length, owner: number)
    _ = tell(.clipboardChanged, number, "work", length) { $0.selfOwned = .yes }
  }

  /// A program that asks nobody. The one that held the selection is told that it lost it.
  private mutating func copyElsewhere(_ length: Int, seenBy programs: [Int]) {
    story.append("another program copies \(length), seen by \(programs)")
    content = Content(isManaged: false, length: length)
    for number in programs { report(foreign: length, by: number) }
  }

  /// A clipboard manager takes the same text over.
  private mutating func takeOver(_ length: Int?, seenBy programs: [Int]) {
    story.append("a manager takes over, seen by \(programs) as \(length ?? -1)")
    for number in programs where content.owner != nil { report(foreign: length, by: number) }
  }

  private mutating func end(_ number: Int) throws {
    story.append("program \(number) ends and comes back")
    example.state.end(programs[number])
    programs[number] = try start(number)
  }

  private mutating func restart() throws {
    story.append("the daemon is killed and comes back")
    var kept = KeptState()
    example.state.takeChanges(into: &kept)
    everything.merge(kept)
    epoch += 1
    var state = GuardState(epoch: epoch)
    state.time = time
    state.restore(everything, living: Set(programs.map(\.serial)), example.snapshot)
    let serials = programs.map(\.serial)
    example.state = state
    for number in programs.indices {
      programs[number] = try start(number, serial: serials[number])
      example.state.resume(programs[number], owesIdentity: false)
    }
  }

  private var everything = KeptState()

  // MARK: What is told

  mutating func report(foreign length: Int?, by number: Int) {
    _ = tell(.clipboardChanged, number, "free", length) { $0.selfOwned = .no }
  }

  private mutating func tell(
    _ kind: EventKind, _ number: Int, _ viewer: String, _ length: Int?, _ change: (inout Event) -> Void
  ) -> Decision {
    let time = time
    return example.clip(kind, in: viewer, of: programs[number], length: length, display: display) {
      $0.time = time
      change(&$0)
    }
  }
}
