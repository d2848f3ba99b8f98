import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// A user whose records fill its share of the log: nothing is allowed to it, others are not touched, and all is counted.
@Suite struct LogShareCallTests {
  /// A share of about 41,000 bytes: one hundredth of the smallest log.
  private let guardian: TestGuard

  init() throws {
    guardian = try TestGuard(TestPolicy.files(settings: "log: { maximumMegabytes: 4, userPercent: 1 }\n"))
  }

  private static let allowed: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"]
  private static let blocked: JSONTree = ["viewer": "E", "url": "https://files.example/", "frame": "main"]

  /// Asks until the share is full; returns how often that went well.
  @discardableResult private func fill(_ app: TestProgram) throws -> Int {
    var count = 0
    while try app.outcome("Navigate", ["event": Self.allowed]) == "done" {
      count += 1
      try #require(count < 1000)
    }
    return count
  }

  @Test func aFullShareAllowsNothingAndOthersEverything() throws {
    let (greedy, other) = (try guardian.app(), try guardian.app(uid: 1001))
    let second = try guardian.app()
    let filled = try fill(greedy)
    #expect(filled > 20)
    for app in [greedy, second] {
      #expect(
        try app.outcome("Navigate", ["event": Self.allowed]) == #"LimitReached {"limit":"logBytes","maximum":41943}"#)
      #expect(try app.answer("Navigate", Self.blocked) == "block blockedByRule", "restrictions hold")
      #expect(try app.outcome("RegisterViewer", ["viewer": "new"]) == "done", "what only tells is taken")
    }
    #expect(try other.answer("Navigate", Self.allowed) == "allow internal")
    let decisions = try guardian.records("decision").filter { $0["uid"]?.int == 1000 }.count
    #expect(decisions == filled, "not one more")
    let admin = try guardian.administrator()
    let status = try admin.ask("org.webviewguard.Admin.Status")
    #expect(status["log"]?["fullShares"] == [1000])
    #expect(try greedy.ask("OwnPrograms")["problems"]?.text().contains("logShareFull") == true)
    #expect(try other.ask("OwnPrograms")["problems"]?.text().contains("logShare") == false, "nothing of others")
  }

  /// What got no record is counted each minute, by kind.
  @Test func whatIsNotRecordedIsCounted() throws {
    let app = try guardian.app()
    try fill(app)
    for _ in 0..<4 { _ = try app.outcome("Navigate", ["event": Self.allowed]) }
    for _ in 0..<3 { _ = try app.answer("Navigate", Self.blocked) }
    for number in 0..<2 { _ = try app.outcome("RegisterViewer", ["viewer": .string("v\(number)")]) }
    #expect(try guardian.records("limited").isEmpty)
    guardian.pass(seconds: 60)
    let limited = try guardian.records("limited")
    #expect(limited.count == 1)
    #expect(limited.first?["uid"]?.int == 1000)
    #expect(limited.first?["refused"]?.int == 5, "the first that did not fit as well")
    #expect(limited.first?["restricted"]?.int == 3 && limited.first?["changes"]?.int == 2)
    guardian.pass(seconds: 60)
    #expect(try guardian.records("limited").count == 1, "nothing more happened")
  }

  /// A batch with one question that cannot be recorded is refused as a whole; what was recorded of it is withdrawn.
  @Test func aBatchIsRefusedAsAWhole() throws {
    let app = try guardian.app()
    let question = JSONTree.object([.init("kind", "navigate"), .init("event", Self.allowed)])
    let batch: JSONTree = ["questions": .array([JSONTree](repeating: question, count: 20))]
    var batches = 0
    while try app.outcome("DecideMany", batch) == "done" {
      batches += 1
      try #require(batches < 100)
    }
    let decisions = try guardian.records("decision").compactMap { $0["id"]?.string }
    let withdrawn = try guardian.records("withdrawn").compactMap { $0["id"]?.string }
    #expect(decisions.count > batches * 20 && decisions.count < (batches + 1) * 20)
    #expect(withdrawn == Array(decisions.dropFirst(batches * 20)), "those that the reply would have told")
  }

  /// A copy that cannot be recorded must not be taken for one: the clipboard gets no owner by it.
  @Test func aCopyWithoutARecordIsNone() throws {
    let app = try guardian.app()
    let copy: JSONTree = ["viewer": "P", "selection": "clipboard", "length": 3]
    let paste: JSONTree = ["viewer": "P", "selection": "clipboard", "length": 3]
    _ = try app.decide("Copy", ["viewer": "E", "selection": "clipboard", "length": 3])
    let before = try app.answer("Paste", paste)
    try fill(app)
    #expect(try app.outcome("Copy", ["event": copy]).hasPrefix("LimitReached"))
    #expect(before == "block orgData")
    #expect(try app.answer("Paste", paste) == before, "the private copy did not count")
  }

  /// Refusals of statements about accounts go without a record too, and take no room.
  @Test func acknowledgementsNeedRoom() throws {
    let app = try guardian.app()
    let id = try app.decide("Print", ["viewer": "E"])["id"] ?? .null
    try fill(app)
    #expect(try app.outcome("Acknowledge", ["decision": id, "outcome": "block"]) == "done")
    #expect(try guardian.records("acknowledged").isEmpty)
  }

  /// Users who come through subordinate uids are one: sixty-five thousand numbers are no sixty-five thousand shares.
  @Test func theShareIsThePersons() throws {
    var random = SeededGenerator()
    let apps = try [1000, 1000, 1001].map { try guardian.app(uid: $0) }
    var counts: [UInt32: Int] = [:]
    var isFull: Set<UInt32> = []
    for _ in 0..<400 {
      let app = random.one(of: apps)
      if try app.outcome("Navigate", ["event": Self.allowed]) == "done" {
        #expect(!isFull.contains(app.line.uid), "\(random.note): a share that is full stays full")
        counts[app.line.uid, default: 0] += 1
      } else {
        isFull.insert(app.line.uid)
      }
    }
    #expect(isFull == [1000, 1001])
    let (one, other) = (counts[1000] ?? 0, counts[1001] ?? 0)
    #expect(abs(one - other) <= 12, "two programs of one user get what one of another gets: \(one), \(other)")
  }
}
