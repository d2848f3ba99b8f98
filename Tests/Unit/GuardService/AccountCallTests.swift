import EmbeddedGuard
import GuardModel
import GuardService
import JSONText
import Platform
import PolicyEngine
import Testing

/// `org.webviewguard.Accounts` in the daemon's core: answers, news to the right programs, records with who asked. Ledger EN,
/// DR, AA, AC.
@Suite struct AccountCallTests {
  private static let work = "work@contoso.com"

  private static func files(
    source: String = "app", allowed: String? = nil, more: String = "", account: String = ""
  ) -> [String: String] {
    let taken = allowed.map { "\n    allowedAccounts: [\($0)]" } ?? ""
    var files = TestPolicy.files(
      app: "identityMode: multi\n    accounts: { source: [\(source)] }" + taken, account: account)
    if !more.isEmpty { files["policy.d/more.yaml"] = more }
    return files
  }

  /// The app of a person, attached and nothing more.
  private func app(_ guardian: TestGuard, uid: UInt32 = 1000) throws -> TestProgram {
    try guardian.app(uid: uid, registers: false)
  }

  @discardableResult private func call(_ app: TestProgram, _ method: String, _ parameters: JSONTree = .object([]))
    throws -> JSONTree
  {
    try app.ask("org.webviewguard.Accounts." + method, parameters)
  }

  /// `enrolled newPolicies`
  private func register(_ app: TestProgram, _ account: String? = work) throws -> String {
    let parameters = JSONTree.object(account.map { [.init("account", .string($0))] } ?? [])
    let answer = try call(app, "Register", parameters)
    return "\(answer["state"]?.string ?? "-") \(answer["result"]?.string ?? "-")"
  }

  /// A person's app that registered its work account, and shows it in the viewer `E`.
  private func working(_ guardian: TestGuard, uid: UInt32 = 1000) throws -> TestProgram {
    let app = try app(guardian, uid: uid)
    #expect(try register(app) == "enrolled newPolicies")
    try show(app)
    return app
  }

  private func show(_ app: TestProgram) throws {
    try app.ask("SetIdentity", ["level": "process", "account": .string(Self.work)])
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": .string(Self.work)])
    try app.ask("RegisterViewer", ["viewer": "E", "class": "documents", "window": "main"])
  }

  private func subscribe(_ guardian: TestGuard, _ app: TestProgram, _ topics: JSONTree) throws -> TestProgram {
    let subscriber = try guardian.program(uid: app.line.uid)
    try subscriber.attach(["instance": .string(app.token)])
    subscriber.send("Subscribe", ["topics": topics], flags: ["more"])
    return subscriber
  }

  /// `enrollment work@contoso.com enrolled newPolicies`
  private func news(_ subscriber: TestProgram) throws -> [String] {
    try subscriber.replies().map { reply in
      let news = reply["parameters"] ?? .null
      let words = ["topic", "account", "life", "state", "result"].compactMap { news[$0]?.string }
      return words.joined(separator: " ")
    }
  }

  /// `registered 1000`: the step, and the person. The log has the account by its pseudonym.
  private func steps(_ guardian: TestGuard) throws -> [String] {
    try guardian.records("account").map { record in
      #expect(record["generation"] != nil && record["account"]?.string?.hasPrefix("acct:") == true)
      return "\(record["act"]?.string ?? "-") \(record["person"]?.int ?? -1)"
    }
  }

  // MARK: Registering

  @Test func anAccountIsBlockedUntilItsAppRegistersIt() throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app()
    #expect(try app.answer("Print", ["viewer": "E"]) == "block policyRequired")
    #expect(try register(app) == "enrolled newPolicies")
    try show(app)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "the protection's own answer")
    #expect(try register(app, "WORK@contoso.com") == "enrolled alreadyEnrolled")
    let listed = try call(app, "List")
    #expect(listed["enrolled"]?.string == Self.work)
    #expect(listed["accounts"]?.array?.first?["protection"]?.string == "contoso")
  }

  /// Nothing that an app may say of an account stops the daemon or enrols another one.
  @Test(
    arguments: [
      (nil, "unknown noAccount"), ("", "unknown noAccount"), ("me@example.org", "unmanaged notTargeted"),
      ("who@else.example", "unmanaged noPolicy"), ("other@contoso.com", "enrolled newPolicies"),
      ("new@contoso.com", "enrolled newPolicies"),
    ] as [(String?, String)])
  func registering(_ account: String?, _ answer: String) throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app()
    #expect(try register(app, account) == answer)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block policyRequired", "the work account was not named")
  }

  @Test(
    arguments: [
      ("Register", ["account": 7], "InvalidParameter"), ("Register", ["name": "x"], "InvalidParameter"),
      ("Deregister", [:], "InvalidParameter"),
      ("Deregister", ["account": "work@contoso.com", "data": "burn"], "InvalidParameter"),
      ("Deregister", ["account": "ghost"], "UnknownAccount"),
      ("Complete", ["request": "wipe-1", "result": "done"], "UnknownRequest"),
      ("Complete", ["request": "wipe-1", "result": "perhaps"], "InvalidParameter"),
      ("SignedIn", ["source": "user", "accounts": []], "InvalidParameter"),
      ("SignedIn", ["source": "app", "accounts": []], "InvalidParameter"),
      ("SignedIn", ["source": "broker"], "InvalidParameter"), ("MaySignIn", [:], "InvalidParameter"),
      ("FilesRemoved", ["request": "wipe-1", "removed": -1, "kept": 0], "InvalidParameter"),
      ("Forget", [:], "MethodNotFound"),
    ] as [(String, JSONTree, String)])
  func aCallThatIsNoneChangesNothing(_ method: String, _ parameters: JSONTree, _ error: String) throws {
    let guardian = try TestGuard(Self.files())
    let app = try app(guardian)
    _ = try register(app)
    let outcome = try app.outcome("org.webviewguard.Accounts." + method, parameters)
    #expect(outcome.hasPrefix(error), "\(outcome)")
    #expect(try call(app, "List")["enrolled"]?.string == Self.work)
    #expect(try steps(guardian).count == 2, "registered and enrolled")
  }

  /// A program that is attached to nothing has no accounts; a session's helper speaks without an app.
  @Test(arguments: ["Register", "List", "MaySignIn", "AllowedAccounts", "Config"])
  func aProgramThatIsAttachedToNothingIsRefused(_ method: String) throws {
    let guardian = try TestGuard(Self.files(source: "broker"))
    let program = try guardian.program()
    let parameters: JSONTree =
      ["Register", "MaySignIn"].contains(method) ? ["account": .string(Self.work)] : .object([])
    #expect(try program.outcome("org.webviewguard.Accounts." + method, parameters).hasPrefix("NotAttached"))
    try program.ask("org.webviewguard.Accounts.SignedIn", ["source": "broker", "accounts": []])
    #expect(try call(program, "DeviceAccount")["account"] == nil)
  }

  // MARK: Sources

  /// The broker's word enrols the accounts of its person alone, and its silence about one blocks it again.
  @Test func aBrokersWordIsItsPersonsOwn() throws {
    let guardian = try TestGuard(Self.files(source: "broker"))
    let (first, second) = (try guardian.app(), try guardian.app(uid: 1001))
    for app in [first, second] { #expect(try register(app) == "registered notSignedIn") }
    let helper = try guardian.program(uid: 1000)
    try call(helper, "SignedIn", ["source": "broker", "accounts": [["upn": .string(Self.work)]]])
    guardian.pass(seconds: 2)
    try show(first)
    #expect(try first.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(try call(first, "List")["enrolled"]?.string == Self.work)
    #expect(try call(second, "List")["enrolled"] == nil, "the other person's session said nothing")
    #expect(try second.answer("Print", ["viewer": "E"]) == "block policyRequired")
    #expect(try call(first, "DeviceAccount")["account"]?.string == Self.work)
    #expect(try call(second, "DeviceAccount")["account"] == nil)
    try call(helper, "SignedIn", ["source": "broker", "accounts": []])
    guardian.pass(seconds: 2)
    #expect(try call(first, "List")["enrolled"] == nil)
    #expect(try first.answer("Print", ["viewer": "E"]) == "block policyRequired")
  }

  /// An account whose app asks the user database is enrolled by its user's name, for as long as the program stays; the
  /// same word is told again before it ends, also where it holds for an hour only.
  @Test(arguments: ["1h", "2h", "7d"]) func aUsersNameHoldsWhileTheUserStays(_ holds: String) throws {
    let names: [UInt32: Users.Naming] = [1000: .named("ada"), 1001: .named("bob"), 1002: .unknown, 1003: .unavailable]
    let persons = PersonLookUp(isUser: { _ in true }, owners: { _ in [] }, naming: { names[$0] ?? .unknown })
    let files = Self.files(source: "user", more: "enrolment: { signInHolds: \(holds) }\n", account: ", user: ada")
    let guardian = try TestGuard(files, persons: persons, withLog: false)
    let ada = try app(guardian)
    let answer = try register(ada)
    #expect(answer == "enrolled unchanged", "\(answer)")
    try show(ada)
    for (uid, answer) in [
      (1001, "registered notSignedIn"), (1002, "registered notSignedIn"), (1003, "registered notSignedIn"),
    ]
      as [(UInt32, String)]
    {
      #expect(try register(try app(guardian, uid: uid)) == answer, "user \(uid)")
    }
    for minute in 1...130 {
      guardian.pass(seconds: 60)
      let answer = try ada.answer("Print", ["viewer": "E"])
      #expect(answer == "block printBlocked", "minute \(minute)")
      if answer != "block printBlocked" { return }
    }
  }

  // MARK: The end of access

  @Test func anEndBlocksThisAppOfThisPersonAndIsTold() throws {
    let guardian = try TestGuard(Self.files())
    let (app, other) = (try working(guardian), try working(guardian, uid: 1001))
    let mine = try subscribe(guardian, app, ["enrollment", "account"])
    let others = try subscribe(guardian, other, ["enrollment", "account"])
    let answer = try call(app, "Deregister", ["account": .string(Self.work)])
    #expect(answer["state"]?.string == "suspended" && answer["result"]?.string == "unenrolled")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block policyRequired")
    #expect(try other.answer("Print", ["viewer": "E"]) == "block printBlocked")
    let told = try news(mine)
    #expect(told.contains("account \(Self.work) policyRequired"), "\(told)")
    #expect(told.contains { $0.hasPrefix("enrollment \(Self.work) suspended") }, "\(told)")
    #expect(try news(others).isEmpty, "another person's app hears nothing")
    #expect(
      try steps(guardian).filter { $0.hasPrefix("deregistered") || $0.hasPrefix("unenrolled") }
        == ["deregistered 1000"])
  }

  // MARK: Allowed accounts and configuration

  @Test func anAccountThatTheAppDoesNotTakeMustSignOut() throws {
    let guardian = try TestGuard(Self.files())
    let app = try working(guardian)
    #expect(try call(app, "AllowedAccounts")["accounts"] == nil, "it takes all")
    let subscriber = try subscribe(guardian, app, ["allowedAccounts"])
    try guardian.adopt(Self.files(allowed: "other@contoso.com"))
    let allowed = try call(app, "AllowedAccounts")
    #expect(allowed["accounts"]?.array?.compactMap(\.string) == ["other@contoso.com"])
    #expect(allowed["mustSignOut"]?.array?.compactMap(\.string) == [Self.work])
    #expect(try news(subscriber) == ["allowedAccounts"])
    let may = try call(app, "MaySignIn", ["account": .string(Self.work)])
    #expect(may["allowed"]?.bool == false && may["reason"]?.string == "accountNotAllowed")
    #expect(may["text"]?.string?.isEmpty == false, "the user is told why")
    try guardian.adopt(Self.files(allowed: "other@contoso.com"))
    #expect(try news(subscriber).isEmpty, "the same again is no news")
    #expect(try call(app, "MaySignIn", ["account": "other@contoso.com"])["allowed"]?.bool == true)
  }

  @Test func anotherConfigurationIsToldByNameAndNotByValue() throws {
    func files(_ colour: String) -> [String: String] {
      Self.files(
        more: "appConfig: [{ name: base, app: com.contoso.viewers, default: true, values: { colour: \(colour) } }]\n")
    }
    let guardian = try TestGuard(files("blue"))
    let app = try working(guardian)
    let subscriber = try subscribe(guardian, app, ["config"])
    func colour() throws -> String? {
      try call(app, "Config")["accounts"]?.array?.first?["values"]?.array?.first?["text"]?.string
    }
    #expect(try colour() == "blue")
    try guardian.adopt(files("vermilion"))
    #expect(try colour() == "vermilion")
    #expect(try news(subscriber) == ["config \(Self.work)"])
    #expect(try !guardian.records().contains { $0.text().contains("vermilion") }, "no record has a value")
  }

  // MARK: Administrators

  private func administer(
    _ administrator: TestProgram, _ method: String, _ parameters: JSONTree = .object([])
  ) throws -> JSONTree {
    try administrator.ask("org.webviewguard.Admin." + method, parameters)
  }

  private static func order(
    _ account: String = work, app: String = "com.contoso.viewers", uid: Int64 = 1000, reason: String = "left"
  ) -> JSONTree {
    [
      "account": .string(account), "app": .string(app), "uid": .int(uid), "reason": .string(reason),
    ]
  }

  @Test func anAdministratorSeesAllPersonsAndIsOnRecord() throws {
    let guardian = try TestGuard(Self.files())
    for uid in [1000, 1001] as [UInt32] { _ = try register(try app(guardian, uid: uid)) }
    let administrator = try guardian.administrator()
    func listed(_ filter: JSONTree) throws -> [Int64] {
      try administer(administrator, "Accounts", filter)["accounts"]?.array?.compactMap { $0["uid"]?.int } ?? []
    }
    #expect(try listed(.object([])) == [1000, 1001])
    #expect(try listed(["uid": 1001]) == [1001])
    #expect(try listed(["app": "com.contoso.none"]) == [])
    #expect(try listed(["account": "WORK@contoso.com"]) == [1000, 1001])
    #expect(try listed(["account": "ghost"]) == [])
    let records = try guardian.records("account").filter { $0["act"]?.string == "listed" }
    #expect(records.count == 5 && records.allSatisfy { $0["uid"]?.int == 0 })
    #expect(try guardian.app().outcome("org.webviewguard.Admin.Accounts").contains("NotFound"), "not for apps")
  }

  @Test func anAdministratorEndsAccess() throws {
    let guardian = try TestGuard(Self.files())
    let app = try working(guardian)
    let subscriber = try subscribe(guardian, app, ["account"])
    let answer = try administer(try guardian.administrator(), "DeregisterAccount", Self.order())
    #expect(answer["account"]?.string == Self.work && answer["state"]?.string == "suspended")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block policyRequired")
    #expect(try news(subscriber) == ["account \(Self.work) policyRequired"])
    let record = try #require(try guardian.records("account").first { $0["act"]?.string == "deregistered" })
    #expect(record["reason"]?.string == "left" && record["uid"]?.int == 0)
  }

  @Test(
    arguments: [
      (order(reason: ""), "badReason"), (order(reason: " \t"), "badReason"),
      (order(reason: String(repeating: "é", count: 251)), "badReason"), (order("ghost"), "unknownAccount"),
      (order("me@example.org"), "unmanaged"), (order(app: "com.contoso.none"), "unknownApp"),
    ] as [(JSONTree, String)])
  func aDoubtfulEndIsRefused(_ order: JSONTree, _ why: String) throws {
    let guardian = try TestGuard(Self.files())
    let app = try working(guardian)
    let outcome = try guardian.administrator().outcome("org.webviewguard.Admin.DeregisterAccount", order)
    #expect(outcome.hasPrefix("AccountRefused") && outcome.contains(#""why":"\#(why)""#), "\(outcome)")
    #expect(try call(app, "List")["enrolled"]?.string == Self.work)
    #expect(try steps(guardian).count == 2)
  }
}
