import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What holds of documents, whatever is asked, said and refused, and in whatever order.
struct DocumentPropertyTests {
  /// The engine accepts the documents that the model of the amendments does, in random worlds.
  @Test
  func engineAndModelAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 71)
    let worlds = RandomWorld(try RandomRules())
    var (accepted, refused) = (0, 0)
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.world(&random)
      for round in 0..<60 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        let asked = worlds.navigation(world, &random)
        _ = world.decide(world.engineEvent(asked), in: asked.instance)
        // What was just loaded, what led there, and anything else.
        let url = random.one(of: [asked.url, asked.from, RandomURLs().web(&random)]) ?? "https://contoso.com/"
        let viewer = random.one(of: RandomWorld.viewers)
        guard world.model.instances[asked.instance].viewers[viewer] != nil else { continue }
        let expected = DocumentModel(world.model).accepts(url, in: viewer, of: asked.instance)
        guard world.setsDocument(url, viewer, in: asked.instance) == expected else {
          Issue.record("\(url) in \(viewer) after \(asked): expected \(expected); \(random.note)")
          return
        }
        if expected { accepted += 1 } else { refused += 1 }
      }
    }
    #expect(min(accepted, refused) > Effort.scaled(2_000), "\(accepted) accepted, \(refused) refused")
  }

  /// No page becomes the document of an app that says what its viewers show. The fuzzer `Calls` holds the whole daemon to it.
  @Test
  func noSequenceMakesAPageTheDocument() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 72)
    var (refused, internalPages, restarts) = (0, 0, 0)
    for _ in 0..<Effort.scaled(1_500) {
      var reader = try PageReader(EnginePages())
      for _ in 0..<80 { try reader.step(&random) }
      refused += reader.refused
      internalPages += reader.reportedInternal
      restarts += reader.restarts
      #expect(reader.leaks.isEmpty, "\(reader.leaks.first ?? ""); \(random.note)")
      if !reader.leaks.isEmpty { return }
    }
    #expect(min(refused, internalPages, restarts) > Effort.scaled(1_500), "\(refused), \(internalPages), \(restarts)")
  }
}

/// The engine, as the program of a reader asks it.
private struct EnginePages: PageWorld {
  let accounts = ["work@contoso.com", "private@home.example", ""]
  private var policy = DocumentTests.policy
  private var snapshot = DocumentTests.policy.snapshot
  private var state = GuardState(epoch: 1)
  private var kept = KeptState()
  private var epoch: UInt64 = 1
  private var id: InstanceID

  init() throws {
    state.keepsPages = true
    id = try state.attach(app: 0, peer: Peer(uid: 1000), snapshot)
  }

  mutating func navigate(_ move: PageMove) -> PageAnswer {
    let decision = decide(event(move), of: id, &state, under: snapshot)
    return PageAnswer(isAllowed: decision.outcome == .allow, reason: decision.reason.rawValue)
  }

  func reason(of url: String, in viewer: String) -> String {
    var state = state
    return decide(event(PageMove(viewer: viewer, url: url)), of: id, &state, under: snapshot).reason.rawValue
  }

  private func event(_ move: PageMove) -> Event {
    var event = Event(.navigate)
    event.viewer = event.append(move.viewer)
    event.url = event.append(move.url)
    event.from = move.from.map { event.append($0) }
    (event.frame, event.isSameDocument, event.opensWindow) = (move.frame, move.isSameDocument, move.opensWindow)
    return event
  }

  mutating func setDocument(_ url: String, of viewer: String) -> Bool {
    do throws(Refusal) {
      try state.setDocument(url, of: viewer, in: id, snapshot)
      return true
    } catch { return false }
  }

  mutating func register(_ viewer: String, document: String?) -> Bool {
    do throws(Refusal) {
      try state.register(ViewerDescription(viewer, class: "documents", document: document), in: id, snapshot)
      return true
    } catch { return false }
  }

  mutating func forget(_ viewer: String) throws { try state.forget(viewer: viewer, in: id, snapshot) }

  mutating func signIn(_ account: String) throws {
    _ = try state.setProcessIdentity(try state.identity(account, in: id, snapshot), in: id, snapshot)
  }

  mutating func restart(asItself: Bool) throws {
    var changes = KeptState()
    state.takeChanges(into: &changes)
    kept.merge(changes)
    let old = id
    epoch += 1
    state = GuardState(epoch: epoch)
    state.keepsPages = true
    state.restore(kept, living: [old.serial], snapshot)
    id = try state.attach(app: 0, peer: Peer(uid: 1000), serial: asItself ? old.serial : nil, snapshot)
    if asItself { state.resume(id, owesIdentity: false) }
  }

  mutating func reload() {
    policy.number += 1
    snapshot = policy.snapshot
    state.adopt(snapshot)
  }
}
