import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// Calls with many questions: the same answers as one by one, however the turns of users cut them.
@Suite struct BatchCallTests {
  private let guardian: TestGuard
  private let app: TestProgram

  init() throws {
    guardian = try TestGuard()
    app = try guardian.app()
  }

  private static let events: [(kind: String, event: JSONTree)] = [
    ("navigate", ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"]),
    ("navigate", ["viewer": "E", "url": "https://files.example/", "frame": "main"]),
    ("navigate", ["viewer": "P", "url": "https://files.example/", "frame": "main"]), ("print", ["viewer": "E"]),
    ("navigate", ["viewer": "nobody", "url": "https://a.example/"]),
    ("copy", ["viewer": "E", "selection": "clipboard", "length": 30]),
    ("paste", ["viewer": "P", "selection": "clipboard", "length": 30]), ("notify", ["viewer": "E"]),
    ("share", ["viewer": "E", "peer": "com.contoso.mail", "peerAccount": "work@contoso.com"]),
  ]

  private static func questions(_ events: [(kind: String, event: JSONTree)]) -> JSONTree {
    .array(events.map { .object([.init("kind", .string($0.kind)), .init("event", $0.event)]) })
  }

  /// What a decision says, without what is new each time.
  private static func content(_ decision: JSONTree?) -> String {
    guard case .object(let members)? = decision else { return "none" }
    return JSONTree.object(members.filter { !["id", "clip", "proposal"].contains($0.key) }).text()
  }

  private func batch(_ events: [(kind: String, event: JSONTree)], by app: TestProgram? = nil) throws -> [JSONTree] {
    try (app ?? self.app).ask("DecideMany", ["questions": Self.questions(events)])["decisions"]?.array ?? []
  }

  /// Random batches of every length, decided once at a stroke and once question by question, on two equal programs.
  @Test func aBatchIsItsQuestions() throws {
    var random = SeededGenerator()
    let single = try guardian.app(uid: 1001)
    for _ in 0..<Effort.scaled(60) {
      let events = (0..<random.below(60)).map { _ in random.one(of: Self.events) }
      let decisions = try batch(events)
      let expected = try events.map { row in
        Self.content(try single.decide(row.kind.prefix(1).uppercased() + row.kind.dropFirst(), row.event))
      }
      #expect(decisions.map { Self.content($0) } == expected, "\(random.note)")
    }
  }

  @Test(arguments: [
    (0, "done"), (1, "done"), (256, "done"), (257, #"LimitReached {"limit":"questions","maximum":256}"#),
  ])
  func aBatchHasALimit(_ count: Int, _ expected: String) throws {
    let events = [(kind: String, event: JSONTree)](repeating: Self.events[3], count: count)
    #expect(try app.outcome("DecideMany", ["questions": Self.questions(events)]) == expected)
    #expect(try guardian.records("decision").count == (expected == "done" ? count : 0))
  }

  /// If one question cannot be decided, none is: the others rest on what it would have changed.
  @Test func nothingIsDecidedUnlessAllCanBe() throws {
    let long = JSONTree.string(String(repeating: "n", count: 5000))
    let events = Self.events + [(kind: "print", event: ["viewer": long])]
    #expect(try app.outcome("DecideMany", ["questions": Self.questions(events)]).hasPrefix("LimitReached"))
    #expect(try guardian.records("decision").isEmpty)
  }

  @Test func onewayIsDecidedAndNotAnswered() throws {
    app.send("DecideMany", ["questions": Self.questions(Self.events)], flags: ["oneway"])
    app.send("DecidePeers", ["peers": ["a", "b"], "event": ["viewer": "E"]], flags: ["oneway"])
    #expect(try app.replies().isEmpty)
    #expect(try guardian.records("decision").count == Self.events.count)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  /// The attack: one user's batches of hundreds hold up another user's one question. They are cut instead, and each
  /// reply is still that of its call.
  @Test func cutBatchesAreStillWhole() throws {
    let others = try (1001...1003).map { try guardian.app(uid: UInt32($0)) }
    let many = (0..<200).map { Self.events[$0 % 4] }
    for _ in 0..<3 { app.send("DecideMany", ["questions": Self.questions(many)]) }
    for other in others {
      other.send("DecideMany", ["questions": Self.questions(Array(many.prefix(50)))])
      other.send("Print", ["event": ["viewer": "E"]])
    }
    for other in others {
      let replies = try other.replies()
      #expect(replies.count == 2)
      #expect(replies.first?["parameters"]?["decisions"]?.array?.count == 50)
      #expect(replies.last?["parameters"]?["decision"]?.verdict == "block printBlocked")
    }
    let replies = try app.replies()
    #expect(replies.map { $0["parameters"]?["decisions"]?.array?.count } == [200, 200, 200])
    let ids = replies.flatMap { $0["parameters"]?["decisions"]?.array ?? [] }.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 600)
  }

  /// A client that goes in the middle of its batch takes nobody along.
  @Test func aClientThatGoesEndsItsBatch() throws {
    let many = (0..<256).map { Self.events[$0 % 4] }
    let other = try guardian.app(uid: 1001)
    app.send("DecideMany", ["questions": Self.questions(many)])
    app.line.close()
    #expect(try other.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(guardian.core.connections == 1)
    #expect(try guardian.records("decision").count <= 257)
  }

  /// All questions of one call are decided under one policy and at one time.
  @Test func aBatchHasOnePolicyAndOneTime() throws {
    let many = (0..<256).map { _ in Self.events[3] }
    app.send("DecideMany", ["questions": Self.questions(many)])
    try guardian.adopt(TestPolicy.files(protection: "printing: allow"))
    let decisions = try #require(try app.replies().first?["parameters"]?["decisions"]?.array)
    #expect(Set(decisions.map(\.verdict)) == ["block printBlocked"])
    #expect(Set(decisions.compactMap { $0["generation"]?.int }) == [1])
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
  }

  // MARK: Matrices

  @Test(
    arguments: [
      (["com.contoso.mail", "org.example.chat", "", "com.contoso.viewers"], "done", 4), ([], "done", 0),
      ([String](repeating: "a", count: 256), "done", 256),
      ([String](repeating: "a", count: 257), #"LimitReached {"limit":"questions","maximum":256}"#, 0),
    ] as [([String], String, Int)])
  func programsHaveALimit(_ peers: [String], _ expected: String, _ count: Int) throws {
    let call: JSONTree = ["peers": .array(peers.map(JSONTree.string)), "event": ["viewer": "E"]]
    let reply = try app.reply("DecidePeers", call)
    #expect(reply["parameters"]?["peers"]?.array?.count ?? 0 == count)
    #expect(try app.outcome("DecidePeers", call) == expected)
    #expect(try guardian.records("decision").isEmpty, "hints leave no record")
  }

  @Test func hintsAreTheAnswersOfTheSingleQuestions() throws {
    for viewer in ["E", "P", "nobody"] {
      let hints = try app.ask("DecideLocations", ["kind": "save", "event": ["viewer": .string(viewer)]])
      for hint in hints["locations"]?.array ?? [] {
        let event: JSONTree = ["viewer": .string(viewer), "location": hint["location"] ?? .null]
        #expect(try app.answer("Save", event) == hint.verdict)
      }
      let peers: JSONTree = ["com.contoso.mail", "org.example.chat"]
      let programs = try app.ask("DecidePeers", ["peers": peers, "event": ["viewer": .string(viewer)]])
      for hint in programs["peers"]?.array ?? [] {
        let event: JSONTree = ["viewer": .string(viewer), "peer": hint["peer"] ?? .null]
        #expect(try app.answer("Share", event) == hint.verdict)
      }
    }
  }
}
