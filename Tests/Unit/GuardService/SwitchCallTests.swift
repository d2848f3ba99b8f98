import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// Switches of identity: asked for once, told to those who show the window, answered once and in time.
@Suite struct SwitchCallTests {
  private static let receive: JSONTree = ["viewer": "E", "peer": "org.example.chat.desktop"]

  private func answer(_ app: TestProgram, _ request: JSONTree, _ result: String) throws -> String {
    let outcome = try app.outcome("Answer", ["request": request, "result": .string(result)])
    return outcome.split(separator: " ").first.map(String.init) ?? ""
  }

  private func request(_ app: TestProgram) throws -> JSONTree {
    let decision = try app.decide("Receive", Self.receive)
    try #require(decision["outcome"]?.string == "switchIdentity", "\(decision.text())")
    return try #require(decision["request"])
  }

  /// Each row: an answer, the answer to the same question then, and what a second answer gets.
  @Test(
    arguments: [
      ("success", "allow noManagedIdentity", "UnknownRequest"),
      ("canceled", "block identitySwitchFailed", "RequestIsOver"),
      ("notAllowed", "block identitySwitchFailed", "RequestIsOver"),
      ("failed", "block identitySwitchFailed", "RequestIsOver"),
    ])
  func anAnswerEndsASwitch(_ result: String, _ after: String, _ again: String) throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let request = try request(app)
    #expect(try self.request(app) == request, "one request, however often it is asked")
    #expect(try answer(app, request, result) == "done")
    #expect(try app.answer("Receive", Self.receive) == after)
    #expect(try answer(app, request, "success") == again)
    let answers = try guardian.records("state").filter { $0["request"] == request }
    #expect(answers.map { $0["result"]?.string } == [result], "on record once")
  }

  /// The attack: answer for another window's switch, or another program's.
  @Test func anotherProgramCannotAnswer() throws {
    let guardian = try TestGuard()
    let (app, other) = (try guardian.app(), try guardian.app(uid: 1001))
    let request = try request(app)
    #expect(try answer(other, request, "success") == "UnknownRequest")
    for invented: JSONTree in ["", "0", "1", "nonsense", .string(String(repeating: "9", count: 3000))] {
      #expect(try answer(app, invented, "success") != "done")
    }
    #expect(try self.request(app) == request, "still open")
  }

  @Test func anAnswerHasItsTime() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "limits: { switchSeconds: 20 }\n"))
    let app = try guardian.app()
    guardian.core.advance(seconds: 3600)
    let request = try request(app)
    guardian.core.advance(seconds: 19)
    #expect(try self.request(app) == request)
    guardian.core.advance(milliseconds: 1001)
    #expect(try answer(app, request, "success") == "RequestIsOver")
    #expect(try app.answer("Receive", Self.receive) == "block identitySwitchFailed")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "the identity is what it was")
  }

  /// Subscribers hear of each request once; one that comes later hears of those that are open.
  @Test func requestsAreToldOnce() throws {
    let guardian = try TestGuard()
    let (app, other) = (try guardian.app(), try guardian.app())
    func subscribe(_ app: TestProgram) throws -> TestProgram {
      let subscriber = try guardian.program()
      try subscriber.attach(["instance": .string(app.token)])
      subscriber.send("Subscribe", ["topics": ["identity"]], flags: ["more"])
      return subscriber
    }
    let (mine, others) = (try subscribe(app), try subscribe(other))
    #expect(try mine.replies().isEmpty)
    let request = try request(app)
    _ = try self.request(app)
    let news = try mine.replies().compactMap { $0["parameters"] }
    #expect(news.map { $0["request"] } == [request])
    #expect(news.first?["window"]?.string == "main" && news.first?["account"]?.string == "")
    #expect(try others.replies().isEmpty)
    let late = try subscribe(app)
    #expect(try late.replies().map { $0["parameters"]?["request"] } == [request])
    _ = try answer(app, request, "success")
    #expect(try subscribe(app).replies().isEmpty, "over")
  }
}

/// Programs that ask faster than they read: their questions wait, and nobody else's.
@Suite struct BackpressureCallTests {
  private static let print = TestProgram.frame("Print", ["event": ["viewer": "E"]])

  /// The attack: ask without end and read nothing. The daemon stops reading, and holds no more than a few answers.
  @Test func aProgramThatDoesNotReadIsNotReadFrom() throws {
    let guardian = try TestGuard()
    let (app, other) = (try guardian.app(), try guardian.app(uid: 1001))
    app.line.setReads(false)
    let many = Array(String(repeating: Self.print, count: 50).utf8)
    for _ in 0..<100 { app.line.send(many) }
    guardian.core.settle()
    #expect(app.line.unreadBytes > 90 * many.count)
    #expect(try other.answer("Print", ["viewer": "E"]) == "block printBlocked")
    app.line.setReads(true)
    var replies = 0
    for _ in 0..<200 where replies < 5000 {
      guardian.core.settle()
      replies += try app.replies().count
    }
    #expect(replies == 5000 && app.line.unreadBytes == 0, "each is answered in the end")
    #expect(try guardian.records("decision").count == 5001)
  }

  /// While the log is not written, only so many calls of one connection are answered ahead.
  @Test(arguments: [1, 7, 64]) func onlySoManyAreAnsweredAhead(_ limit: Int) throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "limits: { pipelinedRequests: \(limit) }\n"))
    let app = try guardian.app()
    for _ in 0..<200 { app.line.send(Array(Self.print.utf8)) }
    guardian.core.run()
    let status = try guardian.administrator()
    #expect(status.isOpen)
    var replies = 0
    for _ in 0..<500 where replies < 200 {
      let came = try app.replies().count
      replies += came
    }
    #expect(replies == 200)
    let ids = try guardian.records("decision").compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 200)
  }

  /// A program that says no more gets all its answers before the end.
  @Test func theEndOfInputIsNotTheEndOfAnswers() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    app.line.send(Array(String(repeating: Self.print, count: 30).utf8))
    app.line.endInput()
    #expect(try app.replies().count == 30)
    guardian.pass(seconds: 2)
    #expect(!app.isOpen)
    #expect(try guardian.records("decision").count == 30)
  }

  /// Random programs that read or not, and go: whoever reads gets its answers, and nothing of the others is left.
  @Test func randomReadersGetTheirAnswers() throws {
    var random = SeededGenerator()
    let guardian = try TestGuard()
    var apps: [(app: TestProgram, reads: Bool, waiting: Int)] = []
    for step in 0..<Effort.scaled(2000) {
      switch random.below(6) {
      case 0 where apps.count < 8: apps.append((try guardian.app(uid: UInt32(1000 + random.below(3))), true, 0))
      case 1 where !apps.isEmpty:
        let index = random.below(apps.count)
        apps[index].reads.toggle()
        apps[index].app.line.setReads(apps[index].reads)
      case 2 where apps.count > 6: apps.remove(at: random.below(apps.count)).app.line.close()
      case 3, 4:
        guard !apps.isEmpty else { continue }
        let index = random.below(apps.count)
        let count = 1 + random.below(20)
        apps[index].app.line.send(Array(String(repeating: Self.print, count: count).utf8))
        apps[index].waiting += count
      default:
        guardian.core.settle()
        for index in apps.indices where apps[index].reads {
          for _ in 0..<20 where apps[index].waiting > 0 {
            apps[index].waiting -= try apps[index].app.replies().count
          }
          #expect(apps[index].waiting == 0, "\(random.note) at \(step)")
        }
      }
    }
    #expect(guardian.core.connections == apps.count)
  }
}
