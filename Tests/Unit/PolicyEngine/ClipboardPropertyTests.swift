import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What holds of all that can happen to a clipboard: the two properties of ``ClipDesk``, of the engine itself. The fuzzer
/// `Calls` holds the whole daemon to them.
struct ClipboardPropertyTests {
  /// What was managed when it was copied is never pasted into a private place.
  @Test
  func managedDataNeverLeaves() throws {
    let (managed, free) = try check(isPrivate: false, seed: 71)
    #expect(managed > Effort.scaled(40_000) && free > Effort.scaled(10_000), "\(managed) \(free)")
  }

  /// Who only ever copies private data, and in private places, is never in the way of the guard, whatever the other windows
  /// of his programs show.
  @Test
  func privateUseIsNeverBlocked() throws {
    let (managed, free) = try check(isPrivate: true, seed: 72)
    #expect(managed == 0 && free == Effort.scaled(6_000) * 40)
  }

  /// How many pastes were of managed data, and how many of private data were allowed.
  private func check(isPrivate: Bool, seed: UInt64) throws -> (managed: Int, free: Int) {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ seed)
    var (managed, free) = (0, 0)
    for _ in 0..<Effort.scaled(6_000) {
      var desk = try ClipDesk(EngineClips(random.oneIn(2) ? "w" : nil), isPrivate: isPrivate)
      for _ in 0..<40 {
        try desk.happen(&random)
        let paste = try desk.paste(&random)
        if let breach = paste.breach {
          Issue.record("\(breach)\n\(random.note)")
          return (managed, free)
        }
        if paste.isManaged { managed += 1 } else if paste.isAllowed { free += 1 }
      }
    }
    return (managed, free)
  }
}

/// The engine, as the programs of a desk ask it.
private struct EngineClips: ClipWorld {
  private static let features: [ClientFeatures] = [
    [.clipEcho, .wrap, .plainText], .usual, [.clipEcho, .wrap, .plainText],
  ]

  private var example: Example
  private var programs: [InstanceID] = []
  private var time: UInt64 = 1_000_000
  private let display: String?
  private var epoch: UInt64 = 1
  private var kept = KeptState()
  private var policy = ExamplePolicy()

  /// - Parameter display: a name, or nil where the programs name none.
  init(_ display: String?) throws {
    self.display = display
    example = try Example(policy)
    for number in Self.features.indices { programs.append(try start(number)) }
  }

  private mutating func start(_ number: Int, serial: UInt64? = nil) throws -> InstanceID {
    let index = example.snapshot.app(named: number == 2 ? "com.contoso.notes" : "com.contoso.portal") ?? 0
    let id = try example.state.attach(
      app: index, peer: Peer(uid: 1000), features: Self.features[number], serial: serial, example.snapshot)
    try example.set("", in: id)
    try example.set("work@contoso.com", window: "w", in: id)
    for (viewer, window) in [("work", "w"), ("free", "f")] {
      try example.state.register(ViewerDescription(viewer, window: window), in: id, example.snapshot)
    }
    return id
  }

  mutating func pass(milliseconds: UInt64) { time += milliseconds }

  mutating func tell(_ report: ClipReport) -> ClipAnswer {
    let time = time
    let decision = example.clip(
      report.kind, in: report.viewer, of: programs[report.program], length: report.length, display: display
    ) {
      ($0.time, $0.isWithheld) = (time, report.isWithheld)
      ($0.selfOwned, $0.proposal) = (report.selfOwned, report.proposal)
    }
    return ClipAnswer(
      isAllowed: decision.outcome == .allow, words: "\(Answer(decision))", proposal: decision.proposal)
  }

  mutating func end(_ number: Int) throws {
    example.state.end(programs[number])
    programs[number] = try start(number)
  }

  mutating func restart() throws {
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    kept.merge(changes)
    epoch += 1
    var state = GuardState(epoch: epoch)
    state.time = time
    state.restore(kept, living: Set(programs.map(\.serial)), example.snapshot)
    let serials = programs.map(\.serial)
    example.state = state
    for number in programs.indices {
      programs[number] = try start(number, serial: serials[number])
      example.state.resume(programs[number], owesIdentity: false)
    }
  }

  mutating func reload() {
    policy.number += 1
    example.reload(policy)
  }
}
