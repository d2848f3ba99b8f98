import EmbeddedGuard
import GuardService
import JSONText
import Testing

/// `Remediate` and the topic `compliance` through the daemon's core: who is told what, in which language, over ends of
/// programs and of the daemon. Ledger CA-02 to CA-09.
@Suite struct RemediationCallTests {
  private static let sourced = "accounts: { source: [app] }\n    identityMode: multi"
  private static let locked = "printing: allow\nunlock: polkit"

  private func files(_ protection: String = "printing: allow", account: String = "") -> [String: String] {
    TestPolicy.files(app: Self.sourced, account: account, protection: protection)
  }

  private func attached(_ guardian: TestGuard, uid: UInt32 = 1000, languages: [JSONTree] = []) throws -> TestProgram {
    let app = try guardian.program(uid: uid)
    try app.attach(["languages": .array(languages)])
    return app
  }

  private func subscribe(_ guardian: TestGuard, _ app: TestProgram) throws -> TestProgram {
    let subscriber = try guardian.program(uid: app.line.uid)
    try subscriber.attach(["instance": .string(app.token)])
    subscriber.send("Subscribe", ["topics": ["compliance"]], flags: ["more"])
    return subscriber
  }

  private func look(_ app: TestProgram, _ account: String = "work@contoso.com", silent: Bool = true) throws -> String? {
    try app.ask("org.webviewguard.Accounts.Remediate", ["account": .string(account), "silent": .bool(silent)])[
      "request"]?.string
  }

  private func news(_ subscriber: TestProgram) throws -> [JSONTree] {
    try subscriber.replies().map { $0["parameters"] ?? .null }
  }

  private func listed(_ app: TestProgram, _ account: String = "work@contoso.com") throws -> JSONTree? {
    try app.ask("org.webviewguard.Accounts.List")["accounts"]?.array?.first { $0["account"]?.string == account }
  }

  /// CA-02, CA-05, CA-07: one call registers, looks and tells, in the person's language, and the account works.
  @Test func aLookIsToldInTheLanguageOfThePerson() throws {
    let guardian = try TestGuard(files())
    let app = try attached(guardian, languages: ["de-AT", "en"])
    let (mine, other) = (try subscribe(guardian, app), try subscribe(guardian, try attached(guardian, uid: 1001)))
    let request = try look(app)
    let told = try news(mine)
    #expect(told.count == 1 && request != nil)
    #expect(told.first?["request"]?.string == request && told.first?["account"]?.string == "work@contoso.com")
    #expect(told.first?["status"]?.string == "compliant")
    #expect(told.first?["title"]?.string == "Ihr Konto darf verwendet werden")
    #expect(told.first?["text"]?.string?.contains("work@contoso.com") == true)
    #expect(try news(other).isEmpty, "another person hears nothing")
    #expect(try listed(app)?["compliance"]?.string == "compliant")
    #expect(try listed(app)?["state"]?.string == "enrolled" && listed(app)?["remediation"] == nil)
  }

  /// Every call has a record of who asked, and every result one; the person's account is a pseudonym.
  @Test func everyLookIsRecorded() throws {
    let guardian = try TestGuard(files())
    let app = try attached(guardian)
    let request = try look(app)
    let records = try guardian.records("account").filter { $0["act"]?.string?.hasPrefix("remediat") == true }
    #expect(records.map { $0["act"]?.string } == ["remediating", "remediated"])
    #expect(records.allSatisfy { $0["request"]?.string == request && $0["account"]?.string != "work@contoso.com" })
    #expect(records.first?["uid"]?.int == 1000 && records.first?["note"]?.string == "silent")
    #expect(records.last?["compliance"]?.string == "compliant")
  }

  /// CA-09: a silent call that needs the person says so; one that may ask never does, even where nobody can be asked.
  @Test func aSilentCallThatNeedsThePerson() throws {
    let guardian = try TestGuard(files(Self.locked))
    let app = try attached(guardian)
    let subscriber = try subscribe(guardian, app)
    _ = try look(app)
    #expect(try news(subscriber).map { $0["status"]?.string } == ["interactionRequired"])
    guardian.pass(seconds: 2)
    _ = try look(app, silent: false)
    let told = try news(subscriber)
    #expect(told.map { $0["status"]?.string } == ["serviceFailure"], "this core has no bus")
    #expect(
      told.first?["text"]?.string
        == "Nobody can be asked here to unlock the account work@contoso.com. Ask your help desk.")
    #expect(try listed(app)?["state"]?.string == "locked")
  }

  /// What nobody heard is told to the next subscriber, once; also when the daemon began anew in between.
  @Test(arguments: [false, true]) func whatNobodyHeardIsToldLater(_ restarts: Bool) throws {
    let guardian = try TestGuard(files(), withLog: false)
    let first = try attached(guardian)
    let request = try look(first)
    if restarts { try guardian.core.restart() }
    let app = try attached(guardian)
    guardian.pass(seconds: 2)
    let subscriber = try subscribe(guardian, app)
    let told = try news(subscriber)
    #expect(told.map { $0["request"]?.string } == [request] && told.first?["status"]?.string == "compliant")
    #expect(try news(try subscribe(guardian, app)).isEmpty, "it is told once")
    if restarts { try guardian.core.restart() }
    #expect(try news(try subscribe(guardian, try attached(guardian))).isEmpty)
  }

  /// The account is blocked between the call and the next daemon: the result goes by what holds then.
  @Test func aRestartTrustsNoEarlierResult() throws {
    let guardian = try TestGuard(files(), withLog: false)
    _ = try look(try attached(guardian))
    try guardian.core.restart()
    try guardian.adopt(files(account: ", state: blocked"))
    let app = try attached(guardian)
    let subscriber = try subscribe(guardian, app)
    guardian.pass(seconds: 2)
    #expect(try news(subscriber).map { $0["status"]?.string } == ["notCompliant"])
  }

  /// An app that calls without end: one look a second, one piece of news and two records for each, and all others counted.
  @Test func anAppThatFloods() throws {
    let guardian = try TestGuard(files())
    let app = try attached(guardian)
    let subscriber = try subscribe(guardian, app)
    let began = ContinuousClock.now
    for _ in 0..<500 { _ = try look(app) }
    guardian.pass(seconds: 2)
    let told = try news(subscriber).count
    let seconds = Int((ContinuousClock.now - began).components.seconds)
    #expect(told >= 2 && told <= seconds + 3)
    let records = try guardian.records("account").filter { $0["act"]?.string?.hasPrefix("remediat") == true }
    let repeats = records.compactMap { $0["note"]?.string?.split(separator: " ").last.flatMap { Int($0) } }
    #expect(records.count == 2 * told && repeats.reduce(0, +) == 500 - told)
  }

  /// Conditions are read anew for a call, at most once a second, and once for all who wait.
  @Test func factsAreReadAnew() throws {
    let condition = "printing: allow\nconditionalLaunch: [{ check: Sound, operator: equals, value: true }]"
    let guardian = try TestGuard(files(condition))
    guardian.pass(seconds: 15)
    let (app, other) = (try attached(guardian), try attached(guardian, uid: 1001))
    let subscriber = try subscribe(guardian, app)
    let before = guardian.core.factReadings
    for _ in 0..<50 {
      _ = try look(app)
      _ = try look(other)
    }
    guardian.pass(seconds: 2)
    #expect((1...3).contains(guardian.core.factReadings - before), "\(guardian.core.factReadings - before)")
    #expect(try news(subscriber).first?["status"]?.string == "serviceFailure", "nobody says whether it is sound")
    #expect(try listed(app)?["state"]?.string == "enrolled", "a silent provider locks nobody out at once")
  }

  /// Without an attached program, of an unknown account, or of one that is nobody's, nothing begins.
  @Test func whoMayNotAsk() throws {
    let guardian = try TestGuard(files())
    let method = "org.webviewguard.Accounts.Remediate"
    #expect(try guardian.program().outcome(method, ["account": "work@contoso.com"]) == "NotAttached")
    let app = try attached(guardian)
    #expect(try app.outcome(method, [:]).hasPrefix("InvalidParameter"))
    #expect(try app.outcome(method, ["account": "a@contoso.com", "silent": "yes"]).hasPrefix("InvalidParameter"))
    #expect(try app.outcome(method, ["account": "ghost"]).hasPrefix("UnknownAccount"))
    #expect(try look(app, "me@example.org") == nil)
    #expect(try guardian.records("account").isEmpty)
  }
}
