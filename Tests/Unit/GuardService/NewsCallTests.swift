import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// Subscriptions and watching: what is told to whom, in which order, and to slow readers how much they missed.
@Suite struct NewsCallTests {
  private func subscribe(_ guardian: TestGuard, _ app: TestProgram, _ topics: JSONTree? = nil) throws -> TestProgram {
    let subscriber = try guardian.program(uid: app.line.uid)
    try subscriber.attach(["instance": .string(app.token)])
    subscriber.send("Subscribe", .object(topics.map { [.init("topics", $0)] } ?? []), flags: ["more"])
    return subscriber
  }

  private func news(_ subscriber: TestProgram) throws -> [JSONTree] {
    try subscriber.replies().map { reply in
      #expect(reply["continues"]?.bool == true)
      return reply["parameters"] ?? .null
    }
  }

  private func load(_ guardian: TestGuard, _ printing: String) throws {
    try guardian.adopt(TestPolicy.files(protection: "printing: \(printing)"))
  }

  @Test(
    arguments: [
      (nil, ["policy", "policy"]), (["policy"], ["policy", "policy"]), (["account"], []), (["identity"], []), ([], []),
      (["policy", "policy", "account"], ["policy", "policy"]),
    ] as [(JSONTree?, [String])])
  func topicsAreChosen(_ topics: JSONTree?, _ expected: [String]) throws {
    let guardian = try TestGuard()
    let subscriber = try subscribe(guardian, try guardian.app(), topics)
    try load(guardian, "allow")
    #expect(try news(subscriber).compactMap { $0["topic"]?.string } == expected)
  }

  /// A subscriber hears the policy in force at once, and each one after it, once and in order.
  @Test func eachGenerationIsTold() throws {
    let guardian = try TestGuard()
    let subscriber = try subscribe(guardian, try guardian.app(), ["policy"])
    #expect(try news(subscriber).compactMap { $0["generation"]?.int } == [1])
    for round in 0..<5 {
      try load(guardian, round % 2 == 0 ? "allow" : "block")
      try load(guardian, round % 2 == 0 ? "allow" : "block")
    }
    #expect(try news(subscriber).compactMap { $0["generation"]?.int } == [2, 3, 4, 5, 6], "the same again is no news")
    #expect(throws: (any Error).self) { try guardian.adopt(["policy.d/p.yaml": "apps: 7\n"]) }
    #expect(try news(subscriber).isEmpty, "what does not load is no news")
  }

  /// An account that may not work any more is told to those who show it, with its name.
  @Test(arguments: ["blocked", "nonCompliant", "wiped"]) func accountsAreToldToThoseWhoShowThem(_ state: String) throws
  {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let stranger = try guardian.app(uid: 1001, registers: false)
    let (mine, other) = (try subscribe(guardian, app, ["account"]), try subscribe(guardian, stranger, ["account"]))
    try guardian.adopt(TestPolicy.files(account: ", state: \(state)"))
    let told = try news(mine)
    #expect(told.map { $0["account"]?.string } == ["work@contoso.com"])
    #expect(told.map { $0["state"]?.string } == [state])
    #expect(try news(other).isEmpty, "it shows no such account")
    try guardian.adopt(TestPolicy.files())
    #expect(try news(mine).map { $0["state"]?.string } == ["active"])
  }

  /// FE-02: a new subscriber hears how the files of each account have to be encrypted, and then what a reload changed. A
  /// daemon that keeps nothing has no keys to name.
  @Test func theWayToEncryptIsToldFirstAndWhenItChanges() throws {
    let guardian = try TestGuard()
    let subscriber = try subscribe(guardian, try guardian.app(), ["dataProtection"])
    func told() throws -> [String] {
      try news(subscriber).compactMap { news in
        #expect(news["keyId"] == nil && news["topic"]?.string == "dataProtection")
        let (account, way) = (news["account"]?.string ?? "", news["encryption"]?.string ?? "")
        // The private account that it shows is free, whatever the policy says.
        #expect(account == "work@contoso.com" || way == "none", "\(account) \(way)")
        return account == "work@contoso.com" ? way : nil
      }
    }
    #expect(try told() == ["envelope"])
    for (settings, expected) in [
      ("encrypt: false", ["none"]), ("encrypt: false\nprinting: block", []),
      ("encryption: { by: volume }", ["volume"]), ("printing: block\nencryption: { by: volume }", []),
      ("encrypt: true", ["envelope"]),
    ] {
      try guardian.adopt(TestPolicy.files(protection: settings))
      #expect(try told() == expected, "\(settings)")
    }
  }

  /// Keys are made by a daemon that keeps them: without one an administrator's order is refused, and nobody else has it.
  @Test func withoutKeysThereIsNothingToRotate() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let order: JSONTree = ["account": "work@contoso.com", "uid": .int(Int64(app.line.uid)), "reason": "again"]
    let refused = try guardian.administrator().outcome("org.webviewguard.Admin.RotateAccountKey", order)
    #expect(refused.hasPrefix("AccountRefused") && refused.contains(#""why":"keysUnusable""#), "\(refused)")
    #expect(try app.outcome("org.webviewguard.Admin.RotateAccountKey", order).contains("InterfaceNotFound"))
    #expect(try guardian.records("key").isEmpty)
  }

  /// A subscriber that does not read misses some, and hears with the next how many.
  @Test func aSlowReaderHearsWhatItMissed() throws {
    let guardian = try TestGuard()
    let subscriber = try subscribe(guardian, try guardian.app(), ["policy"])
    _ = try news(subscriber)
    subscriber.line.setReads(false)
    for round in 0..<7 { try load(guardian, round % 2 == 0 ? "allow" : "block") }
    #expect(try news(subscriber).isEmpty)
    subscriber.line.setReads(true)
    try guardian.adopt(TestPolicy.files())
    let told = try news(subscriber)
    #expect(told.count == 1 && told[0]["missed"]?.int == 7 && told[0]["generation"]?.int == 9)
    try load(guardian, "block")
    #expect(try news(subscriber).first?["missed"] == nil)
  }

  /// News wait for the log as replies do, and no more of them than a few: the rest is counted.
  @Test func newsThatWaitForTheLogAreBounded() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let subscriber = try subscribe(guardian, app, ["policy"])
    _ = try news(subscriber)
    for round in 0..<100 { try load(guardian, round % 2 == 0 ? "allow" : "block") }
    let told = try news(subscriber)
    // The first rests on no record, and has left.
    #expect(told.count == 1 + 64)
    try guardian.adopt(TestPolicy.files())
    #expect(try news(subscriber).first?["missed"]?.int == 35)
  }

  /// A connection that subscribes is for news alone.
  @Test func aSubscriberIsNotReadFrom() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let subscriber = try subscribe(guardian, app, ["policy"])
    _ = try news(subscriber)
    for _ in 0..<5 { subscriber.send("Print", ["event": ["viewer": "E"]]) }
    #expect(try subscriber.replies().isEmpty)
    #expect(try guardian.records("decision").isEmpty)
    #expect(try guardian.program().outcome("Subscribe") != "done", "without an instance there is no news")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  // MARK: Watching

  private func watch(_ guardian: TestGuard) throws -> TestProgram {
    let admin = try guardian.administrator()
    admin.send("org.webviewguard.Admin.Monitor", flags: ["more"])
    _ = try admin.replies()
    return admin
  }

  @Test func watchersSeeEachDecisionOnce() throws {
    let guardian = try TestGuard()
    let (app, other) = (try guardian.app(), try guardian.app(uid: 1001))
    let watcher = try watch(guardian)
    let page: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/x?secret=1", "frame": "main"]
    let ids = [
      try app.decide("Navigate", page)["id"], try other.decide("Print", ["viewer": "E"])["id"],
      try app.decide("Print", ["viewer": "nobody"])["id"],
    ]
    let shown = try watcher.replies().compactMap { $0["parameters"] }
    #expect(shown.map { $0["decision"]?["id"] } == ids)
    #expect(shown.map { $0["event"]?.string } == ["navigate", "print", "print"])
    #expect(shown.map { $0["viewer"]?.string } == ["E", "E", "nobody"])
    #expect(!shown.map { $0.text() }.joined().contains("secret"), "no more than the log has")
  }

  @Test func watchersSeeNothingPrivate() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let watcher = try watch(guardian)
    _ = try app.decide("Navigate", ["viewer": "P", "url": "https://clinic.example/", "frame": "main"])
    let shown = try watcher.replies()
    #expect(shown.count == 1 && !shown[0].text().contains("clinic") && !shown[0].text().contains("me@example.org"))
  }

  /// A watcher that does not read holds nobody up, and hears how many decisions it did not see.
  @Test func aSlowWatcherHearsWhatItSkipped() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    let (slow, quick) = (try watch(guardian), try watch(guardian))
    slow.line.setReads(false)
    for _ in 0..<12 { #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked") }
    #expect(try quick.replies().count == 12)
    slow.line.setReads(true)
    _ = try app.decide("Print", ["viewer": "E"])
    let shown = try slow.replies().compactMap { $0["parameters"] }
    #expect(shown.count == 1 && shown[0]["skipped"]?.int == 12)
    #expect(try quick.replies().first?["parameters"]?["skipped"]?.int ?? 0 == 0)
    quick.line.close()
    _ = try app.decide("Print", ["viewer": "E"])
    #expect(try slow.replies().count == 1, "who has gone is not told")
  }
}
