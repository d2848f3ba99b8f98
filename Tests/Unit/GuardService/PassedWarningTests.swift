import EmbeddedGuard
import JSONText
import TestSupport
import Testing

/// A person goes on after a warning. The warning may be old: the daemon asks its question again first, and lets nobody go
/// on where the answer is another one now.
@Suite struct PassedWarningTests {
  private static let unknown = "UnknownDecision"

  private static func files(
    _ more: String = "\nwarn: [print, share]", account: String = "", printing: String = "block"
  ) -> [String: String] {
    let protection = TestPolicy.protection.replacing("printing: block", with: "printing: \(printing)")
    return TestPolicy.files(account: account, protection: protection + more)
  }

  private static func warned(_ app: TestProgram, _ kind: String = "Print", _ event: JSONTree = ["viewer": "E"]) throws
    -> JSONTree
  {
    let decision = try app.decide(kind, event)
    try #require(decision["outcome"]?.string == "warn", "\(decision.text())")
    return try #require(decision["id"])
  }

  /// What the daemon says to a person who goes on, without the number.
  private static func goOn(_ app: TestProgram, _ id: JSONTree, outcome: JSONTree = "allow") throws -> String {
    let call: JSONTree = ["decision": id, "outcome": outcome, "justification": "for the court"]
    return try app.outcome("Acknowledge", call).split(separator: " ").first.map(String.init) ?? ""
  }

  /// What the newest record tells: the choice, and the answer that was in the way.
  private static func recorded(_ guardian: TestGuard) throws -> [String] {
    let record = try #require(try guardian.records("acknowledged").last)
    return ["decided", "outcome", "now", "reason"].map { record[$0]?.string ?? "-" }
  }

  private static func features() -> [JSONTree] { ["warn", "redact", "switchIdentity"] }

  // MARK: Reloads

  private static let reloads: [(String, [String: String], [String])] = [
    ("no warning any more", files(""), ["block", "printBlocked"]),
    ("another warning alone", files("\nwarn: [share]"), ["block", "printBlocked"]),
    ("blocked", files(account: ", state: blocked"), ["block", "accountBlocked"]),
    ("not compliant", files(account: ", state: nonCompliant"), ["block", "accountNotCompliant"]),
    ("wiped", files(account: ", state: wiped"), ["block", "accountWiped"]),
  ]

  /// The policy blocks what it warned of. Nobody goes on, and no second attempt succeeds; the record has the reason.
  @Test(arguments: reloads.indices) func aPolicyThatBlocksLetsNobodyGoOn(_ index: Int) throws {
    let (name, files, now) = Self.reloads[index]
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let (first, second) = (try Self.warned(app), try Self.warned(app))
    try guardian.adopt(files)
    #expect(try Self.goOn(app, first) == Self.unknown, "\(name)")
    #expect(try Self.recorded(guardian) == ["warn", "allow"] + now)
    #expect(try Self.goOn(app, first) == Self.unknown && Self.goOn(app, first, outcome: "block") == Self.unknown)
    #expect(try guardian.records("acknowledged").count == 1, "each decision is acknowledged once")
    // What was warned of before counts no more when the old policy comes back, since it was refused; the other one does.
    try guardian.adopt(Self.files())
    #expect(try Self.goOn(app, first) == Self.unknown)
    #expect(try Self.goOn(app, second) == "done")
    #expect(try Self.recorded(guardian) == ["warn", "allow", "-", "-"])
  }

  /// Another outcome that lets it happen is no way around.
  @Test(arguments: ["allow", "handOff", "redact", "warn"]) func noOtherWordGoesOn(_ outcome: String) throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let id = try Self.warned(app)
    try guardian.adopt(Self.files(""))
    #expect(try Self.goOn(app, id, outcome: .string(outcome)) == Self.unknown)
    #expect(try Self.recorded(guardian) == ["warn", outcome, "block", "printBlocked"])
  }

  /// Whoever gives up may do so after any change.
  @Test(arguments: reloads.indices) func whoDeclinesIsHeard(_ index: Int) throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let id = try Self.warned(app)
    try guardian.adopt(Self.reloads[index].1)
    #expect(try Self.goOn(app, id, outcome: "block") == "done")
    #expect(try Self.recorded(guardian) == ["warn", "block", "-", "-"])
  }

  /// A reload that changes nothing for this question, or allows it now, takes no warning away.
  @Test func aPolicyThatStillWarnsOrAllowsLetsGoOn() throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let ids = try (0..<4).map { _ in try Self.warned(app) }
    for (id, files) in zip(
      ids,
      [
        Self.files("\nwarn: [print]"), Self.files("\nwarn: [print, share]\nscreenCapture: block"),
        Self.files("", printing: "allow"), Self.files(),
      ])
    {
      try guardian.adopt(files)
      #expect(try Self.goOn(app, id) == "done")
      #expect(try Self.recorded(guardian) == ["warn", "allow", "-", "-"])
    }
  }

  // MARK: The state of the app

  /// The viewer is gone, shows another account, or the program's window does: the question is another one.
  @Test func whatTheAppShowsNowCounts() throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let (first, second, third) = (try Self.warned(app), try Self.warned(app), try Self.warned(app))
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": ""])
    #expect(try Self.goOn(app, first) == "done", "it is nobody's data now")
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"])
    #expect(try Self.goOn(app, second) == "done")
    try guardian.adopt(Self.files(""))
    try app.ask("ForgetViewer", ["viewer": "E"])
    #expect(try Self.goOn(app, third) == Self.unknown, "the program still shows work")
  }

  /// A question of a scope is one of its account, also when the scope has ended, and from another connection.
  @Test(arguments: [true, false]) func aScopeKeepsItsAccount(_ ends: Bool) throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let scope = try guardian.program()
    try scope.attach(["instance": .string(app.token), "features": .array(Self.features())])
    try scope.ask("SetIdentity", ["level": "scope", "account": "work@contoso.com"])
    let (first, second) = (try Self.warned(scope, "Print", [:]), try Self.warned(scope, "Print", [:]))
    try app.ask("SetIdentity", ["level": "process", "account": ""])
    if ends { scope.line.close() }
    #expect(try Self.goOn(app, first) == "done")
    try guardian.adopt(Self.files(""))
    #expect(try Self.goOn(app, second) == Self.unknown)
    #expect(try Self.recorded(guardian) == ["warn", "allow", "block", "printBlocked"])
  }

  /// The attack: a part of the program that cannot show warnings said nothing of warnings, and goes on for one that can.
  @Test func severalUsersAndConnectionsHaveTheirOwn() throws {
    let guardian = try TestGuard(Self.files())
    let apps = try (1000...1002).map { try guardian.app(uid: UInt32($0), features: Self.features()) }
    let ids = try apps.map { try Self.warned($0) }
    let second = try guardian.program(uid: 1001)
    try second.attach(["instance": .string(apps[1].token)])
    #expect(try Self.goOn(apps[0], ids[1]) == Self.unknown, "another user's")
    #expect(try Self.goOn(second, ids[1]) == "done", "any connection of the instance")
    try guardian.adopt(Self.files(""))
    #expect(try Self.goOn(apps[0], ids[0]) == Self.unknown)
    try guardian.adopt(Self.files())
    #expect(try Self.goOn(apps[2], ids[2]) == "done", "nobody went on with it before")
    #expect(try guardian.records("acknowledged").count == 3)
  }

  /// A restart forgets every warning.
  @Test func aRestartForgetsWarnings() throws {
    let guardian = try TestGuard(Self.files(), withLog: false)
    let app = try guardian.app(features: Self.features())
    let id = try Self.warned(app)
    try guardian.core.restart()
    let again = try guardian.program()
    try again.attach(["instance": .string(app.token), "features": .array(Self.features())])
    #expect(try Self.goOn(again, id) == Self.unknown)
  }

  // MARK: Effects and limits

  /// Going on asks a question that has no effect of its own: no record of a decision, no new page.
  @Test func goingOnDecidesNothingAnew() throws {
    var files = TestPolicy.files(protection: TestPolicy.protection + "\nwarn: [navigate]")
    files["policy.d/policy.yaml"]?.replace("webTransfer: managedBrowser", with: "webTransfer: block")
    let guardian = try TestGuard(files)
    let app = try guardian.app(features: Self.features())
    let page: JSONTree = [
      "viewer": "E", "url": "https://evil.example/a", "from": "https://a.contoso.com/", "frame": "main",
    ]
    for _ in 0..<3 { #expect(try Self.goOn(app, try Self.warned(app, "Navigate", page)) == "done") }
    #expect(try guardian.records("decision").count == 3)
    let id = try Self.warned(app, "Navigate", page)
    files["rules/documents.yaml"]?.replace(
      "{ domain: files.example }", with: "{ domain: [files.example, evil.example] }")
    try guardian.adopt(files)
    #expect(try Self.goOn(app, id) == Self.unknown)
    #expect(try Self.recorded(guardian) == ["warn", "allow", "block", "blockedByRule"])
  }

  /// A question that is too long to be kept lets nobody go on, and many long ones push out the oldest.
  @Test func longQuestionsAreBounded() throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    func warned(_ bytes: Int) throws -> JSONTree {
      let formats = JSONTree.string(String(repeating: "f", count: bytes))
      return try Self.warned(app, "Print", ["viewer": "E", "from": formats])
    }
    let tooLong = try warned(262_144)
    #expect(try Self.goOn(app, tooLong) == Self.unknown)
    #expect(try Self.goOn(app, tooLong, outcome: "block") == "done", "whoever gives up is heard")
    let ids = try (0..<5).map { _ in try warned(80_000) }
    #expect(try ids.map { try Self.goOn(app, $0) == "done" } == [false, false, true, true, true])
    let more = try (0..<3).map { _ in try warned(80_000) }
    #expect(try more.allSatisfy { try Self.goOn(app, $0) == "done" }, "those that were acknowledged leave their room")
  }

  /// Without an answer too: the record says that the person was refused.
  @Test func onewayIsRefusedAsWell() throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(features: Self.features())
    let id = try Self.warned(app)
    try guardian.adopt(Self.files(""))
    app.send("Acknowledge", ["decision": id, "outcome": "allow", "justification": "for the court"], flags: ["oneway"])
    #expect(try app.replies().isEmpty)
    #expect(try Self.recorded(guardian) == ["warn", "allow", "block", "printBlocked"])
  }
}
