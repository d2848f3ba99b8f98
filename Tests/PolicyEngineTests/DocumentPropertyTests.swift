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

  /// No sequence of navigations, reports, refused calls, forgotten names, windows, sign-ins, restarts and reloads lets a page
  /// become the document of an app that says what its viewers show.
  @Test
  func noSequenceMakesAPageTheDocument() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 72)
    var (refused, internalPages, restarts) = (0, 0, 0)
    for _ in 0..<Effort.scaled(1_500) {
      var reader = try Reader()
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

/// An app that shows pages and says which, and the pages, which lead wherever they like.
private struct Reader {
  private static let viewers = ["D", "E"]
  private static let evil = (0..<40).map { "https://evil\($0 % 4).test/\($0)" }
  private static let own = (0..<6).map { "https://docs.contoso.com/\($0)" }
  /// The app's own documents, of which no rule says anything.
  private static let documents = (0..<3).map { "https://partner\($0).test/" }

  private var snapshot = DocumentTests.policy.snapshot
  private var state = GuardState(epoch: 1)
  private var kept = KeptState()
  private var id: InstanceID
  /// What each viewer really shows, and what the app said last and was not refused.
  private var shown: [String: String] = [:]
  private var said: [String: String] = [:]
  private(set) var refused = 0
  private(set) var reportedInternal = 0
  private(set) var restarts = 0
  private(set) var leaks: [String] = []

  init() throws {
    state.keepsPages = true
    id = try state.attach(app: 0, peer: Peer(uid: 1000), snapshot)
    try signIn("work@contoso.com")
    for viewer in Self.viewers {
      try state.register(ViewerCall(viewer, class: "documents"), in: id, snapshot)
      open(Self.documents[0], in: viewer)
    }
  }

  mutating func step(_ random: inout SeededGenerator) throws {
    let viewer = random.one(of: Self.viewers)
    switch random.below(14) {
    case 0...4: load(random.one(of: Self.evil), in: viewer, &random)
    case 5...6: load(random.one(of: Self.own), in: viewer, &random)
    case 7: load(random.one(of: Self.documents), in: viewer, &random)
    case 8...9: report(viewer)
    case 10: try again(viewer)
    case 11: try restart(asItself: !random.oneIn(3))
    case 12: try signIn(random.one(of: ["work@contoso.com", "private@home.example", ""]))
    default:
      snapshot = DocumentTests.policy.with { $0.number += 1 }.snapshot
      state.adopt(snapshot)
    }
    try signIn("work@contoso.com")
    for viewer in Self.viewers { look(viewer) }
  }

  /// The app opens a document itself, which no page asked for.
  private mutating func open(_ url: String, in viewer: String) {
    shown[viewer] = url
    say(url, viewer)
  }

  /// A page leads somewhere, perhaps by a hop, to a window or to a file that is only stored.
  private mutating func load(_ url: String, in viewer: String, _ random: inout SeededGenerator) {
    var event = Event(.navigate)
    event.viewer = event.append(viewer)
    event.url = event.append(url)
    event.from = random.oneIn(3) ? nil : shown[viewer].map { event.append($0) }
    event.frame = random.one(of: [.main, .main, .main, .sub, .resource])
    event.isSameDocument = random.oneIn(8)
    event.opensWindow = random.oneIn(10)
    let decision = decide(event, of: id, &state, under: snapshot)
    let stays = event.frame != .main || event.opensWindow || decision.reason == .sameDocument || random.oneIn(4)
    guard decision.outcome == .allow, !stays else { return }
    shown[viewer] = url
    if random.oneIn(2) { report(viewer) }
  }

  /// The app says what the viewer shows.
  private mutating func report(_ viewer: String) {
    guard let url = shown[viewer] else { return }
    if Self.own.contains(url) { reportedInternal += 1 }
    say(url, viewer)
  }

  private mutating func say(_ url: String, _ viewer: String) {
    do throws(StateError) {
      try state.setDocument(url, of: viewer, in: id, snapshot)
      said[viewer] = url
      if Self.evil.contains(url) { leaks.append("\(url) was accepted in \(viewer)") }
    } catch { refused += 1 }
  }

  /// The viewer is forgotten and registered again, with what it shows.
  private mutating func again(_ viewer: String) throws {
    try state.forget(viewer: viewer, in: id, snapshot)
    try register(viewer, shown[viewer])
  }

  private mutating func register(_ viewer: String, _ document: String?) throws {
    do throws(StateError) {
      try state.register(ViewerCall(viewer, class: "documents", document: document), in: id, snapshot)
      if let document, Self.evil.contains(document) { leaks.append("\(document) was registered in \(viewer)") }
    } catch {
      refused += 1
      try state.register(ViewerCall(viewer, class: "documents"), in: id, snapshot)
    }
  }

  /// The daemon begins anew; the app comes back and says again what it had said, or what it shows.
  private mutating func restart(asItself: Bool) throws {
    restarts += 1
    var changes = KeptState()
    state.takeChanges(into: &changes)
    kept.merge(changes)
    let old = id
    state = GuardState(epoch: UInt64(restarts + 1))
    state.keepsPages = true
    state.restore(kept, living: [old.serial], snapshot)
    id = try state.attach(app: 0, peer: Peer(uid: 1000), serial: asItself ? old.serial : nil, snapshot)
    if asItself { state.resume(id, owesIdentity: false) }
    try signIn("work@contoso.com")
    for viewer in Self.viewers { try register(viewer, restarts % 2 == 0 ? said[viewer] : shown[viewer]) }
  }

  private mutating func signIn(_ account: String) throws {
    _ = try state.setProcessIdentity(try state.identity(account, in: id, snapshot), in: id, snapshot)
  }

  /// Nothing that an evil page links to counts as the organisation's.
  private mutating func look(_ viewer: String) {
    for number in 0..<4 {
      var event = Event(.navigate)
      event.viewer = event.append(viewer)
      event.url = event.append("https://evil\(number).test/link")
      event.frame = .main
      var state = state
      let decision = decide(event, of: id, &state, under: snapshot)
      if decision.reason != .externalInPlace { leaks.append("\(viewer): \(decision.reason)") }
    }
  }
}
