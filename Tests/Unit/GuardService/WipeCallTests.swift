import EmbeddedGuard
import GuardModel
import GuardProtocol
import GuardService
import JSONText
import Testing

/// Administrators wipe accounts in the daemon's core: previews, codes, restoring, and what must never begin a wipe. Ledger WP.
@Suite struct WipeCallTests {
  private static let work = "work@contoso.com"
  private static let other = "other@contoso.com"
  private static let app = "com.contoso.viewers"

  private static func files(_ wipe: String = "{ mode: on, causes: [admin] }") -> [String: String] {
    var files = TestPolicy.files(
      app: """
        identityMode: multi
            managedAccounts: several
            accounts: { source: [app] }
            dataDirectories: ["/srv/wvg-absent/viewers/{account}"]
        """)
    files["policy.d/wipe.yaml"] = "wipe: \(wipe)\n"
    return files
  }

  /// A person's app whose two accounts are enrolled; it shows the work account in the viewer `E`.
  private func enrolled(_ guardian: TestGuard, uid: UInt32 = 1000) throws -> TestProgram {
    let app = try guardian.app(uid: uid, registers: false)
    for account in [Self.work, Self.other] {
      let answer = try app.ask("org.webviewguard.Accounts.Register", ["account": .string(account)])
      #expect(answer["state"]?.string == "enrolled")
    }
    try app.ask("SetIdentity", ["level": "process", "account": .string(Self.work)])
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": .string(Self.work)])
    try app.ask("RegisterViewer", ["viewer": "E", "class": "documents", "window": "main"])
    return app
  }

  private static func order(
    _ account: String = work, uid: Int64 = 1000, app: String? = nil, now: Bool? = nil, reason: String = "left",
    confirm: String? = nil
  ) -> JSONTree {
    var members: [JSONTree.Member] = [
      .init("account", .string(account)), .init("uid", .int(uid)), .init("reason", .string(reason)),
    ]
    if let app { members.append(.init("app", .string(app))) }
    if let now { members.append(.init("now", .bool(now))) }
    if let confirm { members.append(.init("confirm", .string(confirm))) }
    return .object(members)
  }

  private func ask(_ administrator: TestProgram, _ method: String, _ order: JSONTree = .object([])) throws -> JSONTree {
    try administrator.ask("org.webviewguard.Admin." + method, order)
  }

  /// Why an order was refused: `badCode`; `done` when it was carried out.
  private func refusal(
    _ administrator: TestProgram, _ method: String, _ order: JSONTree = .object([])
  ) throws -> String {
    let reply = try administrator.reply("org.webviewguard.Admin." + method, order)
    guard let error = reply["error"]?.string else { return "done" }
    return reply["parameters"]?["why"]?.string ?? error
  }

  private func code(_ administrator: TestProgram, _ order: JSONTree = order()) throws -> String {
    try #require(try ask(administrator, "WipeAccount", order)["code"]?.string)
  }

  /// `pending work@contoso.com`
  private func wipes(_ administrator: TestProgram) throws -> [String] {
    try ask(administrator, "Wipes")["wipes"]?.array?
      .map { "\($0["phase"]?.string ?? "-") \($0["account"]?.string ?? "-")" } ?? []
  }

  private func acts(_ guardian: TestGuard) throws -> [String] {
    try guardian.records("account").compactMap { $0["act"]?.string }.filter {
      $0.hasPrefix("wipe") || $0 == "wouldWipe"
    }
  }

  // MARK: Previews

  @Test func aPreviewChangesNothing() throws {
    let guardian = try TestGuard(Self.files())
    let app = try enrolled(guardian)
    let administrator = try guardian.administrator()
    for _ in 0..<3 {
      let preview = try ask(administrator, "WipeAccount", Self.order("WORK@contoso.com"))
      #expect(preview["account"]?.string == Self.work)
      #expect(preview["apps"]?.array?.compactMap(\.string) == [Self.app])
      // A person without a home has no directories either, and is told so.
      let named = preview["directories"]?.array?.compactMap(\.string) ?? []
      let refused = preview["refused"]?.array?.compactMap(\.string) ?? []
      #expect(named.count + refused.count == 1)
      #expect(named.allSatisfy { $0 == "\(Self.app): /srv/wvg-absent/viewers/\(Self.work)" }, "\(named)")
      #expect(refused.allSatisfy { $0.hasPrefix("\(Self.app): /srv/wvg-absent/viewers/{account}: ") }, "\(refused)")
      #expect(preview["destroys"]?.bool == true && preview["delay"]?.int == 72 * 3_600_000)
      #expect(preview["needed"]?.int == 1 && preview["code"]?.string?.count == 6 && preview["wipe"] == nil)
    }
    #expect(try wipes(administrator) == [] && acts(guardian) == [])
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  @Test(
    arguments: [
      ("{ mode: off }", false), ("{ mode: dryRun, causes: [admin] }", false),
      ("{ mode: on, causes: [deregister] }", false), ("{ mode: on, causes: [admin], delay: 1h }", true),
    ])
  func aPreviewSaysWhetherDataWouldGo(_ wipe: String, _ destroys: Bool) throws {
    let guardian = try TestGuard(Self.files(wipe))
    _ = try enrolled(guardian)
    let administrator = try guardian.administrator()
    #expect(try ask(administrator, "WipeAccount", Self.order())["destroys"]?.bool == destroys)
    let begun = try ask(administrator, "WipeAccount", Self.order(confirm: try code(administrator)))
    #expect(begun["wipe"]?["phase"]?.string == (destroys ? "pending" : "locked"))
  }

  // MARK: Beginning

  /// The account is locked at once, in the app of this person alone, and its data stays for the delay.
  @Test func aCodeBeginsTheWipeOfOneAccountOfOnePerson() throws {
    let guardian = try TestGuard(Self.files())
    let (app, stranger) = (try enrolled(guardian), try enrolled(guardian, uid: 1001))
    let administrator = try guardian.administrator()
    let begun = try ask(administrator, "WipeAccount", Self.order(confirm: try code(administrator)))
    #expect(begun["wipe"]?["id"]?.string?.hasPrefix("w-") == true && begun["code"] == nil)
    #expect(try wipes(administrator) == ["pending \(Self.work)"])
    #expect(try app.answer("Print", ["viewer": "E"]) == "block accountBlocked")
    #expect(try stranger.answer("Print", ["viewer": "E"]) == "block printBlocked")
    let states = try app.ask("org.webviewguard.Accounts.List")["accounts"]?.array?.map {
      "\($0["account"]?.string ?? "-") \($0["state"]?.string ?? "-")"
    }
    #expect(states == ["\(Self.other) enrolled", "\(Self.work) wipePending"])
    let record = try #require(try guardian.records("account").first { $0["act"]?.string == "wipeBegun" })
    #expect(record["reason"]?.string == "left" && record["cause"]?.string == "admin" && record["uid"]?.int == 0)
    #expect(record["person"]?.int == 1000)
    guardian.core.advance(milliseconds: 10 * 86_400_000)
    guardian.pass(seconds: 5)
    #expect(try wipes(administrator) == ["pending \(Self.work)"], "a clock that jumps counts for nothing")
  }

  /// A code is good once, and for the wipe that was previewed.
  @Test func aCodeOfAnotherWipeBeginsNone() throws {
    let guardian = try TestGuard(Self.files())
    _ = try enrolled(guardian)
    _ = try enrolled(guardian, uid: 1001)
    let administrator = try guardian.administrator()
    let code = try code(administrator)
    for order in [
      Self.order(uid: 1001, confirm: code), Self.order(Self.other, confirm: code),
      Self.order(app: Self.app, confirm: code), Self.order(now: true, confirm: code), Self.order(confirm: ""),
      Self.order(confirm: "aaaaaa"), Self.order(confirm: code.uppercased()), Self.order(confirm: code + " "),
    ] {
      #expect(try refusal(administrator, "WipeAccount", order) == "badCode", "\(order.text())")
    }
    #expect(try wipes(administrator) == [])
    #expect(try refusal(administrator, "WipeAccount", Self.order(now: false, confirm: code)) == "done")
    #expect(try refusal(administrator, "WipeAccount", Self.order(confirm: code)) == "badCode", "once")
    #expect(try refusal(administrator, "WipeAccount", Self.order(confirm: try self.code(administrator))) == "underWay")
    let further = try self.code(administrator, Self.order(Self.other))
    #expect(
      try refusal(administrator, "WipeAccount", Self.order(Self.other, confirm: further)) == "wipePending",
      "one pending wipe at a time")
    #expect(try wipes(administrator) == ["pending \(Self.work)"])
  }

  /// The attack: a preview says that nothing is removed, the policy changes, and the code removes it.
  @Test(
    arguments: [
      ("{ mode: off }", "{ mode: on, causes: [admin] }"),
      ("{ mode: dryRun, causes: [admin] }", "{ mode: on, causes: [admin] }"),
      ("{ mode: on, causes: [deregister] }", "{ mode: on, causes: [deregister, admin] }"),
      ("{ mode: on, causes: [admin], delay: 90d }", "{ mode: on, causes: [admin], delay: 1h }"),
      ("{ mode: on, causes: [admin], approvals: 2 }", "{ mode: on, causes: [admin] }"),
    ])
  func aCodeOfAnotherPolicyBeginsNone(_ before: String, _ after: String) throws {
    let guardian = try TestGuard(Self.files(before))
    _ = try enrolled(guardian)
    let administrator = try guardian.administrator()
    let code = try code(administrator)
    try guardian.adopt(Self.files(after))
    #expect(try refusal(administrator, "WipeAccount", Self.order(confirm: code)) == "badCode")
    #expect(try wipes(administrator) == [])
    let again = try self.code(administrator)
    #expect(try refusal(administrator, "WipeAccount", Self.order(confirm: again)) == "done")
  }

  @Test(
    arguments: [
      (order(reason: ""), "badReason"), (order(reason: "\n "), "badReason"),
      (order(reason: String(repeating: "x", count: 501)), "badReason"), (order("ghost"), "unknownAccount"),
      (order("me@example.org"), "unknownAccount"), (order(uid: 1002), "unknownAccount"),
      (order(app: "com.contoso.mail"), "unknownAccount"), (order(confirm: "abcdef"), "badCode"),
    ] as [(JSONTree, String)])
  func aDoubtfulOrderBeginsNone(_ order: JSONTree, _ why: String) throws {
    let guardian = try TestGuard(Self.files())
    let app = try guardian.app(registers: false)
    _ = try app.ask("org.webviewguard.Accounts.Register", ["account": .string(Self.work)])
    let administrator = try guardian.administrator()
    #expect(try refusal(administrator, "WipeAccount", order) == why)
    #expect(try wipes(administrator) == [] && acts(guardian) == [])
  }

  @Test(arguments: ["WipeAccount", "ApproveWipe", "RestoreAccount", "Wipes"]) func appsCannotWipe(_ method: String)
    throws
  {
    let guardian = try TestGuard(Self.files())
    let app = try enrolled(guardian)
    #expect(try app.outcome("org.webviewguard.Admin." + method, Self.order()).contains("NotFound"))
  }

  // MARK: Two persons

  /// The login counts: a process that nobody logged in for cannot agree, neither first nor second.
  @Test func nobodyAgreesWithoutALogin() throws {
    let guardian = try TestGuard(Self.files("{ mode: on, causes: [admin], approvals: 2 }"))
    _ = try enrolled(guardian)
    let administrator = try guardian.administrator()
    #expect(try refusal(administrator, "WipeAccount", Self.order(confirm: try code(administrator))) == "noLogin")
    #expect(try refusal(administrator, "ApproveWipe", ["id": "w-1-1"]) == "noLogin")
    #expect(try wipes(administrator) == [] && acts(guardian) == [])
  }

  // MARK: The way back

  @Test func aWipeIsTakenBack() throws {
    let guardian = try TestGuard(Self.files())
    let app = try enrolled(guardian)
    let administrator = try guardian.administrator()
    let back: JSONTree = ["account": "WORK@contoso.com", "uid": 1000, "reason": "a mistake"]
    #expect(try refusal(administrator, "RestoreAccount", back) == "noWipe")
    _ = try ask(administrator, "WipeAccount", Self.order(confirm: try code(administrator)))
    for (order, why) in [
      (["account": "work@contoso.com", "uid": 1001, "reason": "a mistake"], "noWipe"),
      (["account": "ghost", "uid": 1000, "reason": "a mistake"], "unknownAccount"),
      (["account": "work@contoso.com", "uid": 1000, "reason": " "], "badReason"),
    ] as [(JSONTree, String)] {
      #expect(try refusal(administrator, "RestoreAccount", order) == why)
    }
    #expect(try wipes(administrator).count == 1)
    #expect(try refusal(administrator, "RestoreAccount", back) == "done")
    #expect(try wipes(administrator) == [])
    #expect(try refusal(administrator, "RestoreAccount", back) == "noWipe")
    guardian.pass(seconds: 2)
    _ = try app.ask("org.webviewguard.Accounts.Register", ["account": .string(Self.work)])
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "the account works again")
    #expect(try acts(guardian) == ["wipeBegun", "wipeRestored"])
  }

  // MARK: The helper

  /// The attack: a program reports that files were removed which nobody ordered to be removed.
  @Test(arguments: ["w-1-1-0", "", "../../etc", "w-1-1"]) func aReportOfAnotherRequestEndsNothing(_ request: String)
    throws
  {
    let guardian = try TestGuard(Self.files())
    let app = try enrolled(guardian)
    let administrator = try guardian.administrator()
    _ = try ask(administrator, "WipeAccount", Self.order(confirm: try code(administrator)))
    for program in [app, try guardian.program(uid: 1001)] {
      let outcome = try program.outcome(
        "org.webviewguard.Accounts.FilesRemoved", ["request": .string(request), "removed": 1, "kept": 0])
      #expect(outcome != "done", "\(outcome)")
    }
    #expect(try wipes(administrator) == ["pending \(Self.work)"])
  }
}

/// Records of orders and wipes: nothing that a person's programs do hides them.
extension WipeCallTests {
  /// The attack: an app fills its person's share of the log, and nobody sees that an administrator locked the account.
  @Test func aFullShareHidesNoOrderAndNoWipe() throws {
    var files = Self.files()
    files["webviewguard.yaml"] = "policyRequired: true\nlog: { maximumMegabytes: 4, userPercent: 1 }\n"
    let guardian = try TestGuard(files)
    let app = try enrolled(guardian)
    var count = 0
    let event: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"]
    while try app.outcome("Navigate", ["event": event]) == "done" {
      count += 1
      try #require(count < 1000)
    }
    // Steps that the app takes itself are only counted.
    let before = try guardian.records("account").count
    try app.ask("org.webviewguard.Accounts.Register", ["account": .string(Self.work)])
    #expect(try guardian.records("account").count == before)
    let administrator = try guardian.administrator()
    let end: JSONTree = ["account": .string(Self.other), "app": .string(Self.app), "uid": 1000, "reason": "left"]
    _ = try ask(administrator, "DeregisterAccount", end)
    _ = try ask(administrator, "WipeAccount", Self.order(confirm: try code(administrator)))
    let told = try guardian.records("account").dropFirst(before).compactMap { $0["act"]?.string }
    #expect(told == ["deregistered", "wipeBegun"])
  }
}

/// The codes of previews.
@Suite struct WipeOffersTests {
  private static func offer(uid: UInt32 = 1000, _ change: (inout WipeAccountReply) -> Void = { _ in }) -> WipeOffer {
    var call = WipeAccountCall()
    (call.account, call.uid) = ("work@contoso.com", uid)
    var preview = WipeAccountReply(account: "work@contoso.com", apps: ["a", "b"])
    change(&preview)
    return WipeOffer(call, preview)
  }

  @Test func aCodeIsGoodOnceAndUntilItsEnd() {
    for (time, isGood) in [(0, true), (WipeOffers.lifetime - 1, true), (WipeOffers.lifetime, false), (.max, false)]
      as [(UInt64, Bool)]
    {
      var offers = WipeOffers()
      let code = offers.make(for: Self.offer(), at: 0)
      let (first, second) = (
        offers.take(code, for: Self.offer(), at: time), offers.take(code, for: Self.offer(), at: time)
      )
      #expect(first == isGood && !second, "after \(time) ms")
    }
  }

  @Test func aCodeIsGoodForNothingElse() {
    let others: [(inout WipeAccountReply) -> Void] = [
      { $0.apps = ["a"] }, { $0.apps = ["a", "b", "c"] }, { $0.directories = ["a: ~/x"] }, { $0.destroys = true },
      { $0.delay = 1 }, { $0.needed = 2 }, { $0.account = "other@contoso.com" },
    ]
    var offers = WipeOffers()
    let code = offers.make(for: Self.offer(), at: 0)
    for (index, change) in others.enumerated() {
      let isTaken = offers.take(code, for: Self.offer(change), at: 1)
      #expect(!isTaken, "change \(index)")
    }
    let ofAnother = offers.take(code, for: Self.offer(uid: 1001), at: 1)
    let isStillGood = offers.take(code, for: Self.offer(), at: 1)
    #expect(!ofAnother && isStillGood)
  }

  /// Previews without end take no memory without end: the oldest goes.
  @Test func theOldestPreviewGoes() {
    var offers = WipeOffers()
    let codes = (0...WipeOffers.most).map { _ in offers.make(for: Self.offer(), at: 0) }
    #expect(Set(codes).count == codes.count)
    let answers = codes.map { offers.take($0, for: Self.offer(), at: 1) }
    #expect(answers == [false] + [Bool](repeating: true, count: WipeOffers.most))
  }
}
