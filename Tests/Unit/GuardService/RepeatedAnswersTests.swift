import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// The several questions of one click get one decision and one record (`RecentActions`).
@Suite struct RepeatedAnswersTests {
  private let guardian: TestGuard
  private let app: TestProgram

  init() throws {
    guardian = try TestGuard()
    app = try guardian.app()
  }

  private func click(
    _ action: String?, _ url: String = "https://a.contoso.com/", in viewer: String = "E", frame: String = "main"
  ) throws -> JSONTree {
    var event: [JSONTree.Member] = [
      .init("viewer", .string(viewer)), .init("url", .string(url)), .init("frame", .string(frame)),
    ]
    if let action { event.append(.init("action", .string(action))) }
    return try app.decide("Navigate", .object(event))
  }

  /// Each row: two questions, and whether the second is a repetition of the first.
  @Test(
    arguments: [
      ("click-1", "click-1", "https://a.contoso.com/", "E", "main", true),
      // A frame is no part of the key: what comes out the same for one click is one answer.
      ("click-1", "click-1", "https://a.contoso.com/", "E", "unknown", true),
      ("click-1", "click-2", "https://a.contoso.com/", "E", "main", false),
      ("click-1", nil, "https://a.contoso.com/", "E", "main", false),
      (nil, nil, "https://a.contoso.com/", "E", "main", false),
      ("click-1", "click-1", "https://a.contoso.com/?", "E", "main", false),
      ("click-1", "click-1", "https://b.contoso.com/", "E", "main", false),
      ("click-1", "click-1", "https://a.contoso.com/", "P", "main", false),
      // Neither viewer and action, nor viewer and URL, run into each other.
      ("click-1", "click-1E", "https://a.contoso.com/", "E", "main", false),
      ("", "", "https://a.contoso.com/", "E", "main", true),
    ] as [(String?, String?, String, String, String, Bool)])
  func whatIsTheSameIsOneAnswer(
    _ first: String?, _ second: String?, _ url: String, _ viewer: String, _ frame: String, _ isRepeated: Bool
  ) throws {
    let earlier = try click(first)
    let later = try click(second, url, in: viewer, frame: frame)
    #expect((later["repeat"]?.bool ?? false) == isRepeated)
    #expect((later["id"] == earlier["id"]) == isRepeated)
    #expect(try guardian.records("decision").count == (isRepeated ? 1 : 2))
  }

  /// Only navigations take part: two copies of one click are two copies.
  @Test(arguments: ["Copy", "Paste", "Download", "OpenURL", "Share", "Save"]) func onlyNavigationsTakePart(
    _ method: String
  ) throws {
    let event: JSONTree = [
      "viewer": "E", "url": "https://a.contoso.com/", "action": "click", "selection": "clipboard", "length": 3,
    ]
    let (first, second) = (try app.decide(method, event), try app.decide(method, event))
    #expect(first["id"] != second["id"] && second["repeat"] == nil)
  }

  /// A key that is longer than is kept is no key, on either side of the border.
  @Test(arguments: [(8192, true), (8193, false), (20_000, false)]) func longKeysAreNotKept(
    _ length: Int, _ isKept: Bool
  )
    throws
  {
    let url = "https://a.contoso.com/"
    let action = String(repeating: "k", count: 64)
    let long = url + String(repeating: "u", count: length - url.utf8.count - action.utf8.count - 1)
    _ = try click(action, long)
    #expect((try click(action, long)["repeat"]?.bool ?? false) == isKept)
  }

  @Test func anActionIsOverAfterTenSeconds() throws {
    let first = try click("a")
    guardian.core.advance(milliseconds: 9000)
    #expect(try click("a")["id"] == first["id"], "a repetition makes it no longer")
    guardian.core.advance(milliseconds: 1000)
    let later = try click("a")
    #expect(later["id"] != first["id"] && later["repeat"] == nil)
    let repeats = try guardian.records("repeats")
    #expect(repeats.map { $0["id"] } == [first["id"]] && repeats.map { $0["count"]?.int } == [1])
  }

  /// Whatever could change an answer ends every action.
  @Test(arguments: [
    "reload", "SetIdentity", "RegisterViewer", "SetDocument", "ForgetViewer", "another connection", "nothing",
  ])
  func aChangeEndsEveryAction(_ change: String) throws {
    let first = try click("a")
    #expect(try click("a")["id"] == first["id"])
    switch change {
    case "reload": try guardian.adopt(TestPolicy.files(protection: TestPolicy.protection + "\nscreenCapture: block"))
    case "SetIdentity": try app.ask(change, ["level": "window", "window": "w", "account": ""])
    case "RegisterViewer": try app.ask(change, ["viewer": "new"])
    case "SetDocument": try app.ask(change, ["viewer": "E", "document": "https://d.contoso.com/"])
    case "ForgetViewer": try app.ask(change, ["viewer": "P"])
    case "another connection": try guardian.program().attach(["instance": .string(app.token)])
    default: break
    }
    #expect((try click("a")["id"] == first["id"]) == (change == "nothing"))
    let repeats = try guardian.records("repeats").map { $0["count"]?.int }
    #expect(repeats == (change == "nothing" ? [] : [1]), "what was repeated is on record when the action ends")
  }

  /// Another instance's action of the same name is another action.
  @Test func instancesHaveTheirOwn() throws {
    let first = try click("a")
    let other = try guardian.app()
    let event: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main", "action": "a"]
    #expect(try other.decide("Navigate", event)["id"] != first["id"])
    #expect(try app.decide("Navigate", event)["id"] == first["id"])
  }

  @Test func theLastRepeatsAreOnRecordAtTheEnd() throws {
    let first = try click("a")
    for _ in 0..<7 { _ = try click("a") }
    #expect(try guardian.records("repeats").isEmpty)
    #expect(guardian.core.stop() == 0)
    let repeats = try guardian.records("repeats")
    #expect(repeats.map { $0["id"] } == [first["id"]] && repeats.map { $0["count"]?.int } == [7])
  }

  // MARK: Random clicks, and a model of them

  /// The last 32 actions of less than ten seconds ago, the oldest first; each with the id of its answer.
  private struct Model {
    struct Action { var key: String, id: JSONTree?, since: UInt64, repeats = 0 }
    var actions: [Action] = []
    /// Repetitions whose action is over.
    var over: [String: Int64] = [:]

    mutating func forget(where isOver: (Action) -> Bool) {
      for action in actions where isOver(action) && action.repeats > 0 {
        over[action.id?.string ?? "", default: 0] += Int64(action.repeats)
      }
      actions.removeAll(where: isOver)
    }

    mutating func note(_ key: String, _ answer: JSONTree, at time: UInt64) -> Bool {
      if let index = actions.firstIndex(where: { $0.key == key && time < $0.since + 10_000 }) {
        actions[index].repeats += 1
        return answer["repeat"]?.bool == true && answer["id"] == actions[index].id
      }
      forget { time >= $0.since + 10_000 }
      if actions.count == 32 {
        let oldest = actions[0].id
        forget { $0.id == oldest }
      }
      actions.append(Action(key: key, id: answer["id"], since: time))
      return answer["repeat"] == nil
    }
  }

  @Test func randomClicksFollowTheModel() throws {
    var random = SeededGenerator()
    var model = Model()
    // Time comes from the machine's clock too; far from each border it makes no difference.
    var now: UInt64 = 0
    for step in 0..<Effort.scaled(8000) {
      if random.oneIn(50) {
        let pause = Int64(random.one(of: [2000, 4000, 30_000]))
        guardian.core.advance(milliseconds: pause)
        now += UInt64(pause)
      }
      let (action, host) = (random.below(12), random.below(5))
      let url = "https://\(host == 0 ? "files.example" : "h\(host).contoso.com")/"
      let answer = try click("a\(action)", url)
      let isRight = model.note("\(action) \(url)", answer, at: now)
      #expect(isRight, "\(random.note) at \(step)")
    }
    _ = guardian.core.stop()
    model.forget { _ in true }
    let records = try guardian.records()
    var told: [String: Int64] = [:]
    for record in records where record["type"] == "repeats" {
      told[record["id"]?.string ?? "", default: 0] += record["count"]?.int ?? 0
    }
    #expect(told == model.over, "\(random.note)")
    let decisions = records.filter { $0["type"] == "decision" }.count
    #expect(Int64(decisions) + told.values.reduce(0, +) == Int64(Effort.scaled(8000)), "each is on record")
  }
}
