import EmbeddedGuard
import Foundation
import GuardService
import JSONText
import TestSupport
import Testing

/// Rules, monitoring and exceptions that end by themselves: in the first answer after their time, with a record.
@Suite struct TimedRuleTests {
  private static func date(in seconds: Double) -> String {
    Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
  }

  private static func rules(_ more: String, default verdict: String = "external") -> String {
    "ruleSet: documents\ndefault: \(verdict)\nrules:\n  \(more)\n"
  }

  private static func page(_ host: String) -> JSONTree {
    ["viewer": "E", "url": .string("https://\(host)/"), "frame": "main"]
  }

  /// One hour is far from the time that the test takes, in both directions.
  @Test func aRuleEndsAtItsTime() throws {
    let rule =
      "- { id: wifi, internal: { host: portal.example }, expires: \"\(Self.date(in: 3600))\" }"
    let guardian = try TestGuard(TestPolicy.files(rules: Self.rules(rule)))
    let app = try guardian.app()
    let before = try app.decide("Navigate", Self.page("portal.example"))
    #expect(before["rule"]?.string == "wifi" && before["generation"]?.int == 1)
    guardian.core.advance(seconds: 1800)
    #expect(try app.decide("Navigate", Self.page("portal.example"))["rule"]?.string == "wifi")
    guardian.core.advance(seconds: 1900)
    let after = try app.decide("Navigate", Self.page("portal.example"))
    #expect(after["rule"]?.string == "default" && after["generation"]?.int == 2)
    #expect(after["digest"] == before["digest"])
    let records = try guardian.records("policy").filter { $0["expired"] != nil }
    #expect(records.map { $0["expired"] } == [["documents/wifi"]])
    #expect(guardian.journal.lines(with: "rule expired").count == 1)
    guardian.pass(seconds: 5)
    #expect(try guardian.records("policy").count == 2, "once")
  }

  /// While nobody asks, the next tick does it, and each of several at its own time.
  @Test func rulesEndWhileNobodyAsks() throws {
    let rules = (1...4).map {
      "- { id: r\($0), internal: { host: h\($0).example }, expires: \"\(Self.date(in: Double($0) * 7200))\" }"
    }.joined(separator: "\n  ")
    let guardian = try TestGuard(TestPolicy.files(rules: Self.rules(rules)))
    for count in 1...4 {
      guardian.core.advance(seconds: 7200)
      guardian.pass(seconds: 1)
      let expired = try guardian.records("policy").compactMap { $0["expired"]?.array }.flatMap {
        $0
      }
      #expect(expired == (1...count).map { .string("documents/r\($0)") })
    }
    let generation = try guardian.administrator().ask("org.webviewguard.Admin.Status")
    #expect(generation["generation"]?.int == 5 && generation["nextExpiry"] == nil)
  }

  /// A clock that jumps over several ends them with one record.
  @Test func aJumpEndsAllAtOnce() throws {
    let rules = (1...4).map {
      "- { id: r\($0), internal: { host: h\($0).example }, expires: \"\(Self.date(in: Double($0) * 7200))\" }"
    }.joined(separator: "\n  ")
    let guardian = try TestGuard(TestPolicy.files(rules: Self.rules(rules)))
    let app = try guardian.app()
    let next =
      try guardian.administrator().ask("org.webviewguard.Admin.Status")["nextExpiry"]?.int ?? 0
    #expect(next > Int64(guardian.core.time))
    guardian.core.advance(seconds: 86_400)
    #expect(try app.decide("Navigate", Self.page("h4.example"))["rule"]?.string == "default")
    let records = try guardian.records("policy").filter { $0["expired"] != nil }
    #expect(records.count == 1 && records[0]["expired"]?.array?.count == 4)
  }

  /// Of a policy that is loaded anew, what has ended stays ended.
  @Test func aReloadRevivesNothing() throws {
    let rule =
      "- { id: wifi, internal: { host: portal.example }, expires: \"\(Self.date(in: 3600))\" }"
    let files = TestPolicy.files(rules: Self.rules(rule))
    let guardian = try TestGuard(files)
    let app = try guardian.app()
    guardian.core.advance(seconds: 7200)
    #expect(try app.decide("Navigate", Self.page("portal.example"))["rule"]?.string == "default")
    try guardian.adopt(TestPolicy.files())
    try guardian.adopt(files)
    #expect(try app.decide("Navigate", Self.page("portal.example"))["rule"]?.string == "default")
  }
}

/// Administrators grant and take back exceptions; here those that end with the daemon, since nothing outlives it.
@Suite struct ExceptionCallTests {
  private let guardian: TestGuard
  private let app: TestProgram
  private let admin: TestProgram

  init() throws {
    guardian = try TestGuard()
    app = try guardian.app()
    admin = try guardian.administrator()
  }

  private static let add = "org.webviewguard.Admin.AddException"
  private static let remove = "org.webviewguard.Admin.RemoveException"

  private static func call(_ more: [(String, JSONTree)]) -> JSONTree {
    var members: [String: JSONTree] = [
      "host": "files.example", "seconds": 600, "reason": "a tender", "untilRestart": true,
    ]
    for (name, value) in more { members[name] = value == .null ? nil : value }
    return .object(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
  }

  private func why(_ call: JSONTree) throws -> String {
    let reply = try admin.reply(Self.add, call)
    guard let error = reply["error"]?.string else { return "granted" }
    return reply["parameters"]?["why"]?.string ?? error
  }

  private func answer(_ host: String) throws -> String {
    try app.answer(
      "Navigate", ["viewer": "E", "url": .string("https://\(host)/"), "frame": "main"])
  }

  @Test(
    arguments: [
      ([], "granted"), ([("host", nil)], "noSite"), ([("domain", "files.example")], "noSite"),
      ([("host", nil), ("domain", "files.example")], "granted"), ([("host", "")], "badSite"),
      ([("host", "a b")], "badSite"), ([("host", "https://files.example/")], "badSite"),
      ([("host", .string(String(repeating: "a", count: 256)))], "badSite"),
      ([("host", "192.0.2.1")], "granted"),
      ([("host", nil), ("domain", "192.0.2.1")], "badSite"),
      ([("host", nil), ("domain", "co.uk")], "publicSuffix"),
      ([("host", nil), ("domain", "com")], "publicSuffix"), ([("host", "com")], "granted"),
      ([("seconds", 0)], "badTime"), ([("seconds", -5)], "org.varlink.service.InvalidParameter"),
      ([("seconds", 1)], "granted"),
      ([("seconds", 2_592_000)], "granted"), ([("seconds", 2_592_001)], "badTime"),
      ([("seconds", .int(.max))], "badTime"), ([("reason", "")], "badReason"),
      ([("reason", " \n\t")], "badReason"),
      ([("reason", .string(String(repeating: "r", count: 500)))], "granted"),
      ([("reason", .string(String(repeating: "r", count: 501)))], "badReason"),
      ([("reason", .string(String(repeating: "ä", count: 251)))], "badReason"),
      ([("app", "com.contoso.viewers")], "granted"), ([("app", "com.contoso.none")], "unknownApp"),
      ([("account", "WORK@contoso.com")], "granted"),
      ([("account", "who@unknown.example")], "unknownAccount"),
      ([("untilRestart", false)], "noState"), ([("untilRestart", nil)], "noState"),
    ] as [([(String, JSONTree?)], String)])
  func aDoubtfulRequestIsRefused(_ more: [(String, JSONTree?)], _ expected: String) throws {
    #expect(try why(Self.call(more.map { ($0.0, $0.1 ?? .null) })) == expected)
    let listed = try admin.ask("org.webviewguard.Admin.ListExceptions")["exceptions"]?.array?.count
    #expect(listed == (expected == "granted" ? 1 : 0))
    #expect(try guardian.records("exception").count == (expected == "granted" ? 1 : 0))
  }

  @Test func itHoldsForItsTimeAndIsOnRecord() throws {
    #expect(try answer("files.example") == "block blockedByRule")
    let granted = try admin.ask(Self.add, Self.call([]))
    let id = try #require(granted["exception"]?["id"])
    #expect(try answer("files.example") == "allow exception")
    #expect(try answer("a.files.example") == "block blockedByRule", "one host")
    guardian.core.advance(seconds: 300)
    #expect(try answer("files.example") == "allow exception")
    guardian.core.advance(seconds: 301)
    #expect(try answer("files.example") == "block blockedByRule")
    let acts = try guardian.records("exception")
    #expect(
      acts.map { $0["act"]?.string } == ["added", "ended"] && acts.allSatisfy { $0["id"] == id })
    let all =
      try admin.ask("org.webviewguard.Admin.ListExceptions", ["all": true])["exceptions"]?.array
      ?? []
    #expect(all.map { $0["ended"]?.string } == ["over"])
  }

  @Test func itIsTakenBackOnce() throws {
    let id = try #require(try admin.ask(Self.add, Self.call([]))["exception"]?["id"])
    #expect(try admin.outcome(Self.remove, ["id": id]) == "done")
    #expect(try answer("files.example") == "block blockedByRule")
    #expect(try admin.outcome(Self.remove, ["id": id]).hasPrefix("UnknownException"))
    let long = JSONTree.string(String(repeating: "x", count: 900))
    #expect(try admin.outcome(Self.remove, ["id": long]).utf8.count < 120)
    let ended = try guardian.records("exception").last
    #expect(ended?["act"]?.string == "removed" && ended?["uid"]?.int == 0)
  }

  /// A reload keeps them; apps on the guard socket may not grant any.
  @Test func theyOutliveAReloadAndAreForAdministrators() throws {
    _ = try admin.ask(Self.add, Self.call([]))
    try guardian.adopt(TestPolicy.files(protection: "printing: allow"))
    #expect(try answer("files.example") == "allow exception")
    #expect(try app.outcome(Self.add, Self.call([])).hasPrefix("InterfaceNotFound"))
  }

  /// Random grants, removals and time, against a plain list of ends.
  @Test func randomGrantsFollowTheModel() throws {
    var random = SeededGenerator()
    var ends: [(id: JSONTree, host: String, end: UInt64)] = []
    for step in 0..<Effort.scaled(1500) {
      switch random.below(4) {
      case 0:
        let host = "h\(random.below(6)).example"
        let seconds = Int64(1 + random.below(50)) * 600
        let reply = try admin.ask(
          Self.add, Self.call([("host", .string(host)), ("seconds", .int(seconds))]))
        let exception = try #require(reply["exception"])
        ends.append((exception["id"] ?? .null, host, UInt64(exception["until"]?.int ?? 0)))
      case 1 where !ends.isEmpty:
        let index = random.below(ends.count)
        #expect(
          try admin.outcome(Self.remove, ["id": ends[index].id]) == "done",
          "\(random.note) at \(step)")
        ends.remove(at: index)
      case 2:
        // By 300 more, the clock is never within minutes of an end.
        guardian.core.advance(seconds: Int64(random.below(8)) * 600 + (step == 0 ? 300 : 0))
        ends.removeAll { $0.end <= guardian.core.time }
      default:
        let host = "h\(random.below(6)).example"
        ends.removeAll { $0.end <= guardian.core.time }
        let isExempt = ends.contains { $0.host == host }
        #expect(try answer(host).hasSuffix("exception") == isExempt, "\(random.note) at \(step)")
      }
    }
    let listed = try admin.ask("org.webviewguard.Admin.ListExceptions")["exceptions"]?.array ?? []
    ends.removeAll { $0.end <= guardian.core.time }
    #expect(Set(listed.map { $0["id"] }) == Set(ends.map { $0.id }), "\(random.note)")
  }
}
