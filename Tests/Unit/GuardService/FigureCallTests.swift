import EmbeddedGuard
import GuardModel
import GuardService
import JSONText
import PolicyFiles
import TestSupport
import Testing

/// `Status`, `Health` and `Metrics`: figures that are right, and problems that are found by looking.
@Suite struct FigureCallTests {
  /// The samples of a metrics text: name with labels, and value.
  private func metrics(_ admin: TestProgram) throws -> [String: String] {
    let text = try #require(try admin.ask("org.webviewguard.Admin.Metrics")["text"]?.string)
    var samples: [String: String] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let space = try #require(line.lastIndex(of: " "))
      let name = String(line[..<space])
      #expect(samples[name] == nil, "\(name) stands there twice")
      samples[name] = String(line[line.index(after: space)...])
    }
    return samples
  }

  private func problems(_ admin: TestProgram) throws -> [String] {
    let health = try admin.ask("org.webviewguard.Admin.Health")
    return health["problems"]?.array?.compactMap { $0["code"]?.string } ?? []
  }

  private static let events: [(String, JSONTree, Outcome, Reason)] = [
    (
      "Navigate", ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"], .allow,
      .internal
    ),
    (
      "Navigate", ["viewer": "E", "url": "https://files.example/", "frame": "main"], .block,
      .blockedByRule
    ),
    (
      "Navigate", ["viewer": "E", "url": "https://x.example/", "frame": "main"], .redirect,
      .external
    ),
    ("Print", ["viewer": "E"], .block, .printBlocked),
    (
      "Navigate", ["viewer": "P", "url": "https://x.example/", "frame": "main"], .allow, .unmanaged
    ),
  ]

  /// Random decisions, counted in a table; status and metrics say the same.
  @Test func decisionsAreCounted() throws {
    var random = SeededGenerator()
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    var counts: [String: Int] = [:]
    var outcomes: [String: Int64] = [:]
    for _ in 0..<Effort.scaled(3000) {
      let (method, event, outcome, reason) = random.one(of: Self.events)
      #expect(try app.answer(method, event) == "\(outcome.name) \(reason.rawValue)")
      counts[
        "webviewguard_decisions_total{outcome=\"\(outcome.name)\",reason=\"\(reason.rawValue)\"}",
        default: 0] += 1
      outcomes[outcome.name, default: 0] += 1
    }
    let samples = try metrics(admin)
    for (name, count) in counts { #expect(samples[name] == "\(count)", "\(name)") }
    let decisions = samples.filter { $0.key.hasPrefix("webviewguard_decisions_total") }
    #expect(decisions.count == counts.count)
    let status = try admin.ask("org.webviewguard.Admin.Status")
    for (outcome, count) in outcomes { #expect(status["decisions"]?[outcome]?.int == count) }
    #expect(samples["webviewguard_deciding_seconds_count"] == "\(Effort.scaled(3000))")
    #expect(samples["webviewguard_answering_seconds_count"] == "\(Effort.scaled(3000))")
  }

  @Test func rulesAndRefusalsAreCounted() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    for _ in 0..<3 { _ = try app.decide(Self.events[0].0, Self.events[0].1) }
    for _ in 0..<5 { _ = try app.decide(Self.events[2].0, Self.events[2].1) }
    for _ in 0..<4 { _ = try app.outcome("ForgetViewer", ["viewer": "none"]) }
    let samples = try metrics(admin)
    let rule = samples.first { $0.key.contains("rule_hits_total") && $0.key.contains("\"tenant\"") }
    #expect(rule?.value == "3")
    #expect(samples.first { $0.key.contains("UnknownViewer") }?.value == "4")
    #expect(samples["webviewguard_up"] == "1")
  }

  /// Counts outlive a reload of the policy, with the generation that they belong to.
  @Test func hitsOutliveAReload() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    for _ in 0..<3 { _ = try app.decide(Self.events[0].0, Self.events[0].1) }
    try guardian.adopt(TestPolicy.files(protection: "printing: allow"))
    for _ in 0..<2 { _ = try app.decide(Self.events[0].0, Self.events[0].1) }
    let hits = try metrics(admin).filter {
      $0.key.contains("rule_hits_total") && $0.key.contains("\"tenant\"")
    }
    #expect(hits.values.compactMap(Int.init).reduce(0, +) == 5)
  }

  @Test func peopleAndThingsAreCounted() throws {
    let guardian = try TestGuard()
    let admin = try guardian.administrator()
    let apps = [try guardian.app(), try guardian.app(), try guardian.app(uid: 1001)]
    let status = try admin.ask("org.webviewguard.Admin.Status")
    #expect(
      status["state"]?.string == "ok" && status["apps"]?.int == 4 && status["generation"]?.int == 1)
    #expect(
      status["instances"]?.int == 3 && status["viewers"]?.int == 6
        && status["connections"]?.int == 4)
    apps[0].line.close()
    try apps[1].ask("ForgetViewer", ["viewer": "P"])
    let later = try admin.ask("org.webviewguard.Admin.Status")
    #expect(
      later["instances"]?.int == 3 && later["viewers"]?.int == 5 && later["connections"]?.int == 3)
    let head = try #require(later["logHead"])
    #expect(
      head["sequence"]?.int == Int64(try guardian.records().count)
        && head["hash"]?.string?.utf8.count == 64)
  }

  @Test func aHealthyDaemonHasNoProblem() throws {
    let guardian = try TestGuard()
    #expect(try problems(try guardian.administrator()) == [])
    #expect(
      try guardian.administrator().ask("org.webviewguard.Admin.Health")["health"]?.string == "ok")
  }

  @Test(arguments: [true, false]) func withoutAPolicyItHasFailed(_ isRequired: Bool) throws {
    var settings = DaemonSettings()
    settings.policyRequired = isRequired
    let guardian = try TestGuard(withoutPolicy: settings)
    let admin = try guardian.administrator()
    #expect(try problems(admin) == ["noPolicy"])
    let status = try admin.ask("org.webviewguard.Admin.Status")
    #expect(
      status["state"]?.string == "noPolicy" && status["loadedAt"] == nil && status["apps"]?.int == 0
    )
    let program = try guardian.program()
    let expected = isRequired ? "block noPolicy" : "allow noPolicy"
    for method in ["Navigate", "Print", "Paste"] {
      #expect(try program.answer(method, ["viewer": "E", "url": "https://a.example/"]) == expected)
    }
    let records = try guardian.records("decision")
    #expect(records.count == 3 && records.allSatisfy { $0["app"] == nil && $0["uid"]?.int == 1000 })
    #expect(
      !records.map { $0.text() }.joined().contains("a.example"), "nobody knows whose page it is")
    #expect(try program.outcome("Identities") == "NotAttached")
  }

  /// A load that failed is a problem until one works; the policy before stays in force.
  @Test func aLoadThatFailsIsAProblemUntilOneWorks() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    for _ in 0..<2 {
      #expect(throws: (any Error).self) {
        try guardian.adopt(["policy.d/policy.yaml": "apps: 7\nbrowsers: 8\n"])
      }
      #expect(try problems(admin) == ["loadFailed"])
      #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    }
    let status = try admin.ask("org.webviewguard.Admin.Status")
    #expect(
      status["lastLoad"]?["succeeded"]?.bool == false
        && status["lastError"]?.string?.contains("apps") == true)
    #expect(try metrics(admin).contains { $0.key.contains("load") && $0.value == "2" })
    try guardian.adopt(TestPolicy.files())
    #expect(try problems(admin) == [])
    let loads = try guardian.records("policy")
    #expect(loads.map { $0["loaded"]?.bool } == [true, false, false, true])
    #expect(
      loads.map { $0["generation"]?.int } == [1, 1, 1, 1], "the same again is no other generation")
  }

  @Test func withoutALogItIsDegraded() throws {
    let guardian = try TestGuard(withLog: false)
    #expect(try problems(try guardian.administrator()) == ["logOff"])
  }

  /// An app that the policy wants only counted has its decisions in the log each minute, and each of them once.
  @Test func whatIsOnlyCountedIsInTheLogEachMinute() throws {
    let guardian = try TestGuard(TestPolicy.files(app: "identityMode: multi\n    record: counts"))
    let app = try guardian.app()
    for _ in 0..<7 { _ = try app.decide("Print", ["viewer": "E"]) }
    for _ in 0..<2 { _ = try app.decide(Self.events[0].0, Self.events[0].1) }
    #expect(try guardian.records("decision").isEmpty && guardian.records("counts").isEmpty)
    guardian.pass(seconds: 60)
    let counts = try guardian.records("counts")
    #expect(
      counts.map { "\($0.verdict) \($0["count"]?.int ?? 0)" }.sorted() == [
        "allow internal 2", "block printBlocked 7",
      ])
    guardian.pass(seconds: 60)
    #expect(try guardian.records("counts").count == 2)
    _ = try app.decide("Print", ["viewer": "E"])
    _ = guardian.core.stop()
    #expect(try guardian.records("counts").count == 3, "and at the end")
  }

  /// A page that floods the log with its parts is counted; what a person does is recorded.
  @Test func aPageThatFloodsIsCounted() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let part: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/x", "frame": "resource"]
    // Time stands still after the clock was moved on.
    guardian.core.advance(seconds: 3600)
    let question = JSONTree.object([.init("kind", "navigate"), .init("event", part)])
    for _ in 0..<10 {
      let batch = JSONTree.array([JSONTree](repeating: question, count: 250))
      #expect(try app.ask("DecideMany", ["questions": batch])["decisions"]?.array?.count == 250)
    }
    for _ in 0..<5 { _ = try app.decide(Self.events[0].0, Self.events[0].1) }
    #expect(try guardian.records("decision").count == 2005)
    #expect(
      try guardian.records("counts").map { $0["count"]?.int } == [1], "the first is told at once")
    guardian.pass(seconds: 60)
    #expect(try guardian.records("counts").compactMap { $0["count"]?.int }.reduce(0, +) == 500)
    #expect(
      try guardian.records("counts").allSatisfy {
        $0["viewer"]?.string == "E" && $0["uid"]?.int == 1000
      })
  }
}
