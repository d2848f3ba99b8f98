import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// What apps say about what they show: answered, recorded once, and refused with a record where accounts are concerned.
@Suite struct StateCallTests {
  private let guardian: TestGuard
  private let app: TestProgram

  init() throws {
    guardian = try TestGuard()
    app = try guardian.app()
  }

  private func refusals() throws -> [JSONTree] { try guardian.records("refused") }

  /// Each row: a call, its outcome, and how many records of state and of refusals it leaves.
  @Test(
    arguments: [
      ("RegisterViewer", ["viewer": "new"], "done", 1, 0), ("RegisterViewer", ["viewer": "E"], "done", 1, 0),
      ("RegisterViewer", ["viewer": "new", "class": "none"], #"UnknownClass {"class":"none"}"#, 0, 0),
      ("RegisterViewer", ["viewer": "new", "parent": "none"], #"UnknownParent {"parent":"none"}"#, 0, 0),
      ("RegisterViewer", ["viewer": "new", "opener": "none"], #"UnknownOpener {"opener":"none"}"#, 0, 0),
      ("RegisterViewer", ["viewer": "E", "parent": "E"], #"ViewerCycle {"viewer":"E"}"#, 0, 0),
      ("ForgetViewer", ["viewer": "P"], "done", 1, 0),
      ("ForgetViewer", ["viewer": "x"], #"UnknownViewer {"viewer":"x"}"#, 0, 0),
      ("SetDocument", ["viewer": "E", "document": "https://a.contoso.com/"], "done", 1, 0),
      ("SetExternalURLRules", ["viewer": "P", "ruleSet": "none"], #"UnknownRuleSet {"ruleSet":"none"}"#, 0, 0),
      (
        "SetIdentity", ["level": "process", "account": "other@contoso.com"],
        #"SecondManagedAccount {"account":"work@contoso.com"}"#, 0, 1
      ),
      ("SetIdentity", ["level": "window", "window": "w", "account": ""], "done", 1, 0),
      ("Answer", ["request": "none", "result": "success"], #"UnknownRequest {"request":"none"}"#, 0, 0),
      ("Identities", .object([]), "done", 0, 0),
    ] as [(String, JSONTree, String, Int, Int)])
  func eachChangeIsRecordedOnce(
    _ method: String, _ parameters: JSONTree, _ outcome: String, _ states: Int, _ refused: Int
  ) throws {
    let before = try guardian.records("state").count
    #expect(try app.outcome(method, parameters) == outcome)
    #expect(try guardian.records("state").count - before == states)
    #expect(try refusals().count == refused)
  }

  /// The attack: a program that says a thousand wrong names a second. Some are recorded one by one, all are counted.
  @Test func wrongNamesAreRecordedAndThenCounted() throws {
    guardian.core.advance(seconds: 3600)
    for _ in 0..<500 {
      #expect(try app.outcome("SetIdentity", ["level": "process", "account": "other@contoso.com"]) != "done")
    }
    let told = try refusals()
    // Thirty-two, and the first that is only counted says so at once.
    #expect(told.count == 33 && told.last?["count"]?.int == 1)
    guardian.pass(seconds: 60)
    let all = try refusals().dropFirst(32).compactMap { $0["count"]?.int }
    #expect(all.reduce(0, +) == 500 - 32)
  }

  /// The log names no account in clear, in changes and refusals alike; the same account has the same name.
  @Test func accountsHavePseudonyms() throws {
    _ = try app.outcome("SetIdentity", ["level": "process", "account": "other@contoso.com"])
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": "WORK@contoso.com"])
    let text = try guardian.records().map { $0.text() }.joined(separator: "\n")
    #expect(!text.lowercased().contains("@contoso.com") && !text.contains("me@example.org"))
    let named = try guardian.records("state").compactMap { $0["account"]?.string }
    #expect(named.allSatisfy { $0.hasPrefix("acct:") })
    #expect(named.first == named.last, "however it is written")
  }

  /// Documents of private viewers are not named, before and after.
  @Test func privateDocumentsAreNotNamed() throws {
    let clinic: JSONTree = ["viewer": "P", "document": "https://clinic.example/a"]
    try app.ask("SetDocument", clinic)
    try app.ask("SetIdentity", ["level": "window", "window": "home", "account": "work@contoso.com"])
    // The user signs in, and the private page is still there.
    try app.ask("SetDocument", clinic)
    _ = try app.decide(
      "Navigate", ["viewer": "P", "url": "https://a.contoso.com/", "from": "https://clinic.example/a", "frame": "main"])
    try app.ask("SetDocument", ["viewer": "P", "document": "https://a.contoso.com/"])
    let text = try guardian.records().map { $0.text() }.joined(separator: "\n")
    #expect(!text.contains("clinic"))
    #expect(text.contains("https://a.contoso.com/"), "what was judged as the organisation's is")
  }

  // MARK: Limits

  @Test(
    arguments: [
      (
        "viewersPerInstance: 2", "RegisterViewer", ["viewer": "third"], #"LimitReached {"limit":"viewers","maximum":2}"#
      ),
      (
        "windowsPerInstance: 2", "SetIdentity", ["level": "window", "window": "third", "account": ""],
        #"LimitReached {"limit":"windows","maximum":2}"#
      ),
    ] as [(String, String, JSONTree, String)])
  func capsAnswerAndForgetNothing(_ limit: String, _ method: String, _ call: JSONTree, _ expected: String) throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "limits: { \(limit) }\n"))
    let app = try guardian.app()
    for _ in 0..<3 { #expect(try app.outcome(method, call) == expected) }
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(
      try app.answer("Navigate", ["viewer": "P", "url": "https://x.example/", "frame": "main"]) == "allow unmanaged")
  }

  @Test func instancesAreCappedForEachUser() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "limits: { instancesPerUser: 2 }\ngraceSeconds: 2\n"))
    let (first, _) = (try guardian.app(), try guardian.app())
    let third = try guardian.program()
    #expect(try third.outcome("Attach") == #"LimitReached {"limit":"instances","maximum":2}"#)
    #expect(try guardian.program(uid: 1001).outcome("Attach") == "done")
    #expect(try guardian.program().outcome("Attach", ["instance": .string(first.token)]) == "done")
    first.line.close()
    guardian.pass(seconds: 3)
    #expect(
      try third.outcome("Attach") == #"LimitReached {"limit":"instances","maximum":2}"#,
      "its second connection is there")
  }

  /// The attack: one user's registrations fill the memory. Others register on, and what it has stays.
  @Test func oneUsersRegistrationsAreBounded() throws {
    let guardian = try TestGuard(
      TestPolicy.files(settings: "limits: { memoryMegabytes: 16, viewersPerInstance: 65536 }\n"))
    let (greedy, other) = (try guardian.app(), try guardian.app(uid: 1001))
    let name = String(repeating: "n", count: 200)
    var (count, outcome) = (0, "done")
    while outcome == "done", count < 60_000 {
      for _ in 0..<200 {
        greedy.send("RegisterViewer", ["viewer": .string("\(name)\(count)")])
        count += 1
      }
      outcome = try greedy.replies().lazy.compactMap { $0["parameters"]?["limit"]?.string }.first ?? "done"
    }
    #expect(outcome == "memoryBytes" && count > 1000)
    #expect(try greedy.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(try greedy.outcome("ForgetViewer", ["viewer": .string("\(name)0")]) == "done")
    #expect(try other.outcome("RegisterViewer", ["viewer": .string(name)]) == "done")
    #expect(guardian.journal.lines(with: "too much is registered").count <= 8)
  }
}

/// A daemon that is killed, and the next one: clips and instances as a state file would have them.
@Suite struct RestartCallTests {
  private static let copy: JSONTree = ["viewer": "E", "selection": "clipboard", "length": 30]
  private static let paste: JSONTree = ["viewer": "P", "selection": "clipboard", "length": 30]

  private func back(_ guardian: TestGuard, _ app: TestProgram) throws -> TestProgram {
    let back = try guardian.program(uid: app.line.uid)
    try back.attach(["instance": .string(app.token), "features": ["redact", "switchIdentity"]])
    return back
  }

  private func register(_ app: TestProgram) throws {
    try app.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"])
    try app.ask("RegisterViewer", ["viewer": "E", "class": "documents", "window": "main"])
    try app.ask("SetIdentity", ["level": "window", "window": "home", "account": "me@example.org"])
    try app.ask("RegisterViewer", ["viewer": "P", "window": "home"])
  }

  /// Data of the organisation in the clipboard stays that over a crash.
  @Test func theClipboardOutlivesTheDaemon() throws {
    let guardian = try TestGuard(withLog: false)
    let (app, other) = (try guardian.app(), try guardian.app(uid: 1001))
    _ = try app.decide("Copy", Self.copy)
    let before = [try app.answer("Paste", Self.paste), try other.answer("Paste", Self.paste)]
    #expect(before[0] == "block orgData" && before[1] != before[0], "clipboards are the users'")
    for _ in 0..<3 {
      try guardian.core.restart()
      let (mine, others) = (try back(guardian, app), try back(guardian, other))
      try register(mine)
      try register(others)
      #expect([try mine.answer("Paste", Self.paste), try others.answer("Paste", Self.paste)] == before)
    }
  }

  /// A program that showed an account's data, and came back without saying so again, is trusted with nothing.
  @Test func aProgramThatSaysNothingIsTrustedWithNothing() throws {
    let guardian = try TestGuard(withLog: false)
    let app = try guardian.app()
    try guardian.core.restart()
    let mine = try back(guardian, app)
    #expect(try mine.ask("Identities")["mustState"]?.bool == true)
    try mine.ask("RegisterViewer", ["viewer": "P", "window": "home"])
    let page: JSONTree = ["viewer": "P", "url": "https://x.example/", "frame": "main"]
    #expect(try mine.answer("Navigate", page).hasPrefix("allow") == false)
    try register(mine)
    #expect(try mine.answer("Navigate", page) == "allow unmanaged")
  }

  /// Random copies, pastes and crashes: a paste after a crash comes out as one before it.
  @Test func crashesChangeNoAnswer() throws {
    var random = SeededGenerator()
    let guardian = try TestGuard(withLog: false)
    var apps = [try guardian.app(), try guardian.app(uid: 1001)]
    for step in 0..<Effort.scaled(600) {
      let index = random.below(2)
      switch random.below(4) {
      case 0:
        _ = try apps[index].decide(
          "Copy", ["viewer": random.oneIn(2) ? "E" : "P", "selection": "clipboard", "length": 30])
      case 1: _ = try apps[index].decide("ClipboardChanged", ["selection": "clipboard"])
      default:
        let before = try apps[index].answer("Paste", Self.paste)
        guard random.oneIn(3) else { continue }
        try guardian.core.restart()
        apps = try apps.map { try back(guardian, $0) }
        for app in apps { try register(app) }
        #expect(try apps[index].answer("Paste", Self.paste) == before, "\(random.note) at \(step)")
      }
    }
  }
}
