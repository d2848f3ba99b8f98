import EmbeddedGuard
import Foundation
import GuardService
import JSONText
import TestSupport
import Testing

/// No answer leaves before the log has what it rests on; and what leaves when the log cannot be written.
@Suite struct LogWaitingTests {
  private static let allowed: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"]
  private static let blocked: JSONTree = ["viewer": "E", "url": "https://files.example/", "frame": "main"]

  /// The log's directory becomes a file, and the daemon looks once a second whether its log is in its place.
  private func breakLog(_ guardian: TestGuard) throws {
    try FileManager.default.removeItem(atPath: guardian.logDirectory)
    try Data().write(to: URL(fileURLWithPath: guardian.logDirectory))
    guardian.pass(seconds: 1)
    guardian.core.settle()
    #expect(guardian.journal.lines(with: "the decision log cannot be written").count == 1)
  }

  private func mendLog(_ guardian: TestGuard) throws {
    try FileManager.default.removeItem(atPath: guardian.logDirectory)
    guardian.pass(seconds: 1)
    guardian.core.settle()
    #expect(guardian.journal.lines(with: "the decision log can be written again").count == 1)
  }

  /// Each row: a call that rests on the log, or does not; the answer to it may leave before the log is written, or not.
  @Test(
    arguments: [
      ("Navigate", ["event": allowed], false), ("Navigate", ["event": blocked], false),
      ("Print", ["event": ["viewer": "E"]], false), ("RegisterViewer", ["viewer": "new"], false),
      ("Identities", .object([]), false), ("DecideLocations", ["kind": "save", "event": ["viewer": "E"]], false),
      // An error rests on nothing.
      ("RegisterViewer", ["viewer": "new", "class": "none"], true), ("Attach", .object([]), true),
      ("Nonsense", .object([]), true),
    ] as [(String, JSONTree, Bool)])
  func anAnswerWaitsForTheLog(_ method: String, _ parameters: JSONTree, _ leavesAtOnce: Bool) throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    // Something that waits, so that there is a record to wait for.
    app.send("Print", ["event": ["viewer": "E"]], flags: ["oneway"])
    app.send(method, parameters)
    guardian.core.run()
    #expect(try app.replies(settles: false).count == (leavesAtOnce ? 1 : 0))
    #expect(try app.replies().count == (leavesAtOnce ? 0 : 1))
  }

  /// An error behind an answer that waits must wait as well: replies come in the order of their calls.
  @Test func nothingOvertakes() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    for number in 0..<20 {
      app.send("Navigate", ["event": Self.allowed])
      app.send("ForgetViewer", ["viewer": .string("none\(number)")])
    }
    #expect(try app.replies(settles: false).isEmpty)
    let replies = try app.replies()
    #expect(replies.count == 40)
    for (index, reply) in replies.enumerated() {
      #expect((reply["error"] != nil) == (index % 2 == 1))
      if index % 2 == 1 { #expect(reply["parameters"]?["viewer"]?.string == "none\(index / 2)") }
    }
  }

  /// One program's answer does not wait for what others asked later.
  @Test func nobodyWaitsForLaterRecords() throws {
    let guardian = try TestGuard()
    let (first, second) = (try guardian.app(), try guardian.app(uid: 1001))
    first.send("Navigate", ["event": Self.allowed])
    guardian.core.settle()
    second.send("Navigate", ["event": Self.allowed])
    guardian.core.run()
    #expect(try first.replies(settles: false).count == 1)
    #expect(try second.replies(settles: false).isEmpty)
    #expect(try second.replies().count == 1)
  }

  /// The attack: fill the disk, and go on without a trace. What restricts still holds, and is answered.
  @Test func withoutALogNothingIsAllowed() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let before = try app.decide("Navigate", Self.allowed)
    try breakLog(guardian)
    for _ in 0..<3 {
      #expect(try app.outcome("Navigate", ["event": Self.allowed]) == "LogUnavailable")
      #expect(try app.answer("Navigate", Self.blocked) == "block blockedByRule")
      #expect(try app.outcome("RegisterViewer", ["viewer": "new"]) == "done")
    }
    let admin = try guardian.administrator()
    let health = try admin.ask("org.webviewguard.Admin.Health")
    #expect(health["health"]?.string == "degraded")
    #expect(health["problems"]?.text().contains("logFailing") == true)
    try mendLog(guardian)
    #expect(try app.answer("Navigate", Self.allowed) == "allow internal")
    let records = try guardian.records()
    // The log is written again as a whole, with what happened meanwhile, and what never left.
    #expect(records.contains { $0["id"] == before["id"] })
    #expect(records.filter { $0["type"] == "withdrawn" }.count == 3)
    #expect(records.filter { $0["type"] == "decision" }.count == 1 + 6 + 1)
    let failures = records.filter { $0["type"] == "failure" }
    #expect(failures.contains { $0["lost"]?.int == 0 && $0["since"] != nil })
    let sequence = records.compactMap { $0["seq"]?.int }
    #expect(sequence == Array(1...Int64(records.count)), "no record is gone or doubled")
  }

  /// Administrators who ask later see that the answer was withdrawn.
  @Test func aWithdrawnAnswerIsABlock() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    try breakLog(guardian)
    #expect(try app.outcome("Navigate", ["event": Self.allowed]) == "LogUnavailable")
    try mendLog(guardian)
    let withdrawn = try #require(try guardian.records("withdrawn").first?["id"])
    let told = try guardian.administrator().ask("org.webviewguard.Rules.Explain", ["decision": withdrawn])
    #expect(told["decision"]?["outcome"]?.string == "block")
    #expect(told["decision"]?["message"]?.string?.contains("withdrawn") == true)
  }

  /// Each answer of a batch that allows is withdrawn; a batch of blocks is answered.
  @Test func aBatchIsWithdrawnAsAWhole() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    try breakLog(guardian)
    func batch(_ events: [JSONTree]) throws -> String {
      let questions = events.map { JSONTree.object([.init("kind", "navigate"), .init("event", $0)]) }
      return try app.outcome("DecideMany", ["questions": .array(questions)])
    }
    #expect(try batch([Self.blocked, Self.blocked]) == "done")
    #expect(try batch([Self.blocked, Self.allowed, Self.allowed]) == "LogUnavailable")
    try mendLog(guardian)
    #expect(try guardian.records("withdrawn").count == 3, "all that the reply would have said")
  }

  /// An administrator who wants availability has it, and the loss is on record.
  @Test func withContinueAnswersGoOn() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "log: { onLogFailure: continue }\n"))
    let app = try guardian.app()
    try breakLog(guardian)
    for _ in 0..<5 { #expect(try app.answer("Navigate", Self.allowed) == "allow internal") }
    try mendLog(guardian)
    let records = try guardian.records()
    #expect(records.filter { $0["type"] == "withdrawn" }.isEmpty)
    #expect(records.filter { $0["type"] == "decision" }.count == 5)
  }

  /// Somebody removes, replaces or cuts the log while the daemon runs: it is written again, and says so.
  @Test(arguments: ["removed", "replaced", "cut", "grown"]) func theFileIsWatched(_ fault: String) throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    for _ in 0..<3 { _ = try app.decide("Navigate", Self.allowed) }
    let file = guardian.logDirectory + "/decisions.jsonl"
    let before = try String(contentsOfFile: file, encoding: .utf8)
    switch fault {
    case "removed": try FileManager.default.removeItem(atPath: file)
    case "replaced": try "{}\n".write(toFile: file, atomically: true, encoding: .utf8)
    case "cut": truncate(file, off_t(before.utf8.count - 10))
    default:
      let handle = try #require(FileHandle(forWritingAtPath: file))
      handle.seekToEndOfFile()
      handle.write(Data("a line of somebody else".utf8))
    }
    guardian.pass(seconds: 1)
    guardian.core.settle()
    let said = guardian.journal.lines(
      with: fault == "removed" || fault == "replaced" ? fault : "changed by somebody else")
    #expect(said.count == 1 && said[0].hasPrefix("critical"))
    _ = try app.decide("Navigate", Self.allowed)
    let after = try String(contentsOfFile: file, encoding: .utf8)
    let last = try #require(after.split(separator: "\n").last)
    #expect(try JSONTree(parsing: String(last))["type"]?.string != nil, "the next record is a line of its own")
    if fault == "removed" || fault == "replaced" { #expect(after.hasPrefix(before)) }
    guardian.pass(seconds: 3)
    #expect(guardian.journal.lines(with: "is written again").count == (fault == "cut" || fault == "grown" ? 0 : 1))
  }

  /// A random script of calls by several programs, with the log written now and then: each gets the replies to its calls,
  /// in their order, and none before its record is on the disk.
  @Test func randomScriptsKeepTheOrder() throws {
    var random = SeededGenerator()
    let guardian = try TestGuard()
    let apps = try (0..<4).map { try guardian.app(uid: UInt32(1000 + $0 % 3)) }
    var expected: [[Bool]] = apps.map { _ in [] }
    for step in 0..<Effort.scaled(4000) {
      let index = random.below(apps.count)
      switch random.below(4) {
      case 0:
        apps[index].send("ForgetViewer", ["viewer": "none"])
        expected[index].append(true)
      case 1, 2:
        apps[index].send("Navigate", ["event": random.oneIn(2) ? Self.allowed : Self.blocked])
        expected[index].append(false)
      default:
        let mustCome = random.oneIn(3)
        if mustCome { guardian.core.settle() } else { guardian.core.run() }
        let replies = try apps[index].replies(settles: mustCome).map { $0["error"] != nil }
        #expect(replies == Array(expected[index].prefix(replies.count)), "\(random.note) at \(step)")
        if mustCome { #expect(replies.count == expected[index].count, "\(random.note) at \(step)") }
        expected[index].removeFirst(min(replies.count, expected[index].count))
      }
    }
  }
}
