import EmbeddedGuard
import Foundation
import GuardModel
import GuardService
import JSONText
import Testing

/// Conditions in the daemon's core: posture files, records, news, health and restarts. Ledger CD-01 to CD-03.
@Suite struct ConditionCallTests {
  private let posture = PostureFolder()

  private func files(_ conditions: String = encrypted, more: String = "") -> [String: String] {
    TestPolicy.files(
      settings: "postureDirectory: \(posture.path)\n", protection: "printing: allow\n\(conditions)\n\(more)")
  }

  private static let encrypted = "conditionalLaunch: [{ check: Encrypted, operator: equals, value: true }]"

  private func say(_ value: Bool, days: Double = 1) throws {
    try posture.write("intune.json", #"{"validUntil":"\#(posture.end(days: days))","Encrypted":\#(value)}"#)
  }

  private func standings(_ guardian: TestGuard) throws -> [String] {
    try guardian.records("condition").map { record in
      #expect(record["protection"]?.string == "contoso" && record["generation"] != nil)
      return "\(record["check"]?.string ?? "-") \(record["standing"]?.string ?? "-") \(record["value"]?.string ?? "-")"
    }
  }

  /// A bad file blocks and is told, a good one frees and is told; each once.
  @Test func aFileThatTurnsBadIsToldAndRecorded() throws {
    try say(true)
    let guardian = try TestGuard(files())
    guardian.pass(seconds: 1)
    let app = try guardian.app()
    let subscriber = try guardian.program()
    try subscriber.attach(["instance": .string(app.token)])
    subscriber.send("Subscribe", ["topics": ["account"]], flags: ["more"])
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
    try say(false)
    guardian.pass(seconds: 11)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block accountNotCompliant")
    #expect(try app.answer("Print", ["viewer": "P"]).hasPrefix("allow"), "another account is untouched")
    try say(true)
    guardian.pass(seconds: 31)
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
    let news = try subscriber.replies().map { $0["parameters"] ?? .null }
    #expect(news.map { $0["state"]?.string } == ["nonCompliant", "active"])
    #expect(news.allSatisfy { $0["account"]?.string == "work@contoso.com" })
    #expect(try standings(guardian) == ["Encrypted blocks false", "Encrypted holds true"])
  }

  /// Ninety-one days of silence destroy nothing: nothing is wiped, and everything is blocked as not checked.
  @Test func silenceDestroysNothing() throws {
    try say(true, days: 2)
    let guardian = try TestGuard(
      files("conditionalLaunch: [{ check: Encrypted, operator: equals, value: true, action: wipe, grace: 1d }]"))
    guardian.pass(seconds: 1)
    let app = try guardian.app()
    for day in 1...91 {
      guardian.core.advance(milliseconds: 86_400_000)
      guardian.pass(seconds: 11)
      let answer = try app.answer("Print", ["viewer": "E"])
      #expect(answer == (day < 2 ? "allow printAllowed" : day < 3 ? answer : "block notChecked"), "day \(day)")
    }
    #expect(try standings(guardian) == ["Encrypted unknown -", "Encrypted notChecked -"])
    #expect(try guardian.records().allSatisfy { $0["type"]?.string != "wipe" })
  }

  /// A restart in the middle begins no grace anew, and a bad word holds before the first file is read.
  @Test func aRestartInTheMiddleChangesNothing() throws {
    try say(false)
    let guardian = try TestGuard(
      files("conditionalLaunch: [{ check: Encrypted, operator: equals, value: true, grace: 2d }]"), withLog: false)
    guardian.pass(seconds: 1)
    for _ in 0..<3 {
      #expect(try guardian.app().answer("Print", ["viewer": "E"]) == "allow printAllowed")
      guardian.core.advance(milliseconds: 16 * 3_600_000)
      try guardian.core.restart()
    }
    try FileManager.default.removeItem(atPath: posture.path + "/intune.json")
    try guardian.core.restart()
    let app = try guardian.app(registers: false)
    #expect(
      try app.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])["result"]?.string == "failed")
    #expect(try app.answer("Print", [:]) == "block accountNotCompliant")
  }

  /// A policy without conditions costs no reading; one with them is read at once, and then every ten seconds.
  @Test func onlyConditionsCostReadings() throws {
    try posture.write("bad.json", "{")
    let guardian = try TestGuard(files("", more: ""))
    guardian.pass(seconds: 100)
    #expect(guardian.core.factReadings == 0)
    try guardian.adopt(files())
    guardian.pass(seconds: 100)
    #expect((10...12).contains(guardian.core.factReadings), "\(guardian.core.factReadings)")
    let administrator = try guardian.administrator()
    #expect(try problems(administrator).count == 1)
    try guardian.adopt(files("", more: ""))
    let before = guardian.core.factReadings
    guardian.pass(seconds: 100)
    #expect(guardian.core.factReadings == before)
    #expect(try problems(administrator).isEmpty, "what is not read is no problem")
  }

  private func problems(_ administrator: TestProgram) throws -> [String] {
    let reply = try administrator.ask("org.webviewguard.Admin.Health")
    return (reply["problems"]?.array ?? []).filter { $0["code"]?.string == "postureUnread" }
      .compactMap { $0["text"]?.string }
  }

  /// A file that is not believed is a problem, told once in the journal; nothing that it says counts.
  @Test func aFileThatIsNotBelievedIsAProblem() throws {
    try say(false)
    chmod(posture.path + "/intune.json", 0o666)
    try posture.write("other.json", "{")
    let guardian = try TestGuard(files())
    guardian.pass(seconds: 60)
    let app = try guardian.app()
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
    let problem = try #require(try problems(try guardian.administrator()).first)
    #expect(problem.contains("intune.json` has mode 0666") && problem.hasSuffix("; and 1 more"))
    #expect(guardian.journal.lines(with: "a posture file is not believed").count == 2, "each once")
    chmod(posture.path + "/intune.json", 0o644)
    try posture.write("other.json", #"{"validUntil":"\#(posture.end(days: 1))"}"#)
    guardian.pass(seconds: 11)
    #expect(try problems(try guardian.administrator()).isEmpty)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block accountNotCompliant")
  }

  /// Half a file, as one that is being written in place, changes nothing: the last good word holds until its end.
  @Test func halfAFileChangesNothing() throws {
    try say(true)
    let guardian = try TestGuard(files(more: "notCheckedAfter: 0s"))
    guardian.pass(seconds: 1)
    let app = try guardian.app()
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
    try posture.write("intune.json", #"{"validUntil":"\#(posture.end(days: 1))","Encry"#)
    guardian.pass(seconds: 11)
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
    #expect(try standings(guardian).isEmpty)
  }

  /// The condition's own words reach the user; the first `Attach` tells the versions.
  @Test func theUserReadsTheConditionsWords() throws {
    let guardian = try TestGuard(
      files(
        "conditionalLaunch: [{ check: appVersion, operator: atLeast, value: \"2.1\", message: \"Update {app} for {account}.\" }]"
      ))
    guardian.pass(seconds: 1)
    func decision(_ attach: JSONTree) throws -> JSONTree {
      let app = try guardian.program()
      try app.attach(attach)
      try app.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])
      return try app.decide("Print", [:])
    }
    #expect(try decision(["version": "2.1.0"]).verdict == "allow printAllowed")
    #expect(try decision(["version": "2.0.9"]).verdict == "block accountNotCompliant")
    let words = "Update com.contoso.viewers for work@contoso.com."
    #expect(try decision(["version": "2.0.9"])["message"]?.string == words)
    #expect(try decision([:])["message"]?.string == words)
    #expect(try decision([:]).verdict == "block notChecked")
  }
}
