import EmbeddedGuard
import GuardModel
import GuardService
import JSONText
import TestSupport
import Testing

/// Peers that misbehave, or are too many: what they are told, what the journal is told, and who pays for it.
@Suite struct PeerCallTests {
  private static func limits(_ text: String) throws -> TestGuard {
    try TestGuard(TestPolicy.files(settings: "limits: { \(text) }\n"))
  }

  // MARK: Messages

  /// Bytes that are no message: the connection ends, and nothing but it.
  @Test(
    arguments: [
      "", "[]", "7", "null", "nonsense", #"{"method":"a.b.C""#, "{\u{1}}", #"{"method":"a.b.C"}x"#,
      #"{"method":"a.b.C"}{}"#,
    ])
  func bytesThatAreNoMessageEndTheConnection(_ text: String) throws {
    let guardian = try TestGuard()
    let (app, broken) = (try guardian.app(), try guardian.app())
    let next = TestProgram.frame("Print", ["event": ["viewer": "E"]])
    broken.line.send(Array(text.utf8) + [0] + Array(next.utf8))
    #expect(try broken.replies().isEmpty)
    guardian.pass(seconds: 2)
    #expect(!broken.isOpen)
    #expect(guardian.journal.lines(with: "message unreadable").count == 1)
    #expect(try guardian.records("decision").isEmpty, "what stood behind it is not answered")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  /// Messages that are no calls: an error, and the next call is answered.
  @Test(arguments: [
    "{}", #"{"parameters":{}}"#, #"{"method":7}"#, #"{"method":"org.webviewguard.Guard.Print","parameters":7}"#,
  ])
  func messagesThatAreNoCallsAreAnswered(_ text: String) throws {
    let app = try TestGuard().app()
    app.line.send(Array(text.utf8) + [0])
    let replies = try app.replies()
    #expect(replies.count == 1 && replies.first?["error"]?.string == "org.varlink.service.InvalidParameter")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  /// Calls that cannot be carried out are answered, and the connection goes on.
  @Test(
    arguments: [
      ("org.webviewguard.Guard.Nonsense", [:], "MethodNotFound"),
      ("org.other.Thing.Do", [:], "InterfaceNotFound"),
      ("org.webviewguard.Admin.Status", [:], "InterfaceNotFound"),
      ("nonsense", [:], "MethodNotFound"),
      ("Print", [:], "InvalidParameter"), ("Print", ["event": 7], "InvalidParameter"),
      ("Print", ["event": ["viewer": 7]], "InvalidParameter"),
      ("RegisterViewer", ["viewer": ""], "InvalidParameter"),
      ("SetIdentity", ["level": "planet"], "InvalidParameter"), ("Attach", [:], "AlreadyAttached"),
    ] as [(String, JSONTree, String)])
  func callsThatCannotBeCarriedOutAreAnswered(
    _ method: String, _ parameters: JSONTree, _ error: String
  ) throws {
    let app = try TestGuard().app()
    let parameters = parameters == [:] ? .object([]) : parameters
    #expect(try app.outcome(method, parameters).hasPrefix(error))
    app.send(method, parameters, flags: ["oneway"])
    #expect(try app.replies().isEmpty, "nobody asked for an answer")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
  }

  @Test(arguments: [(4095, true), (4096, true), (4097, false), (20_000, false)])
  func aMessageHasALimit(_ length: Int, _ isAnswered: Bool) throws {
    let guardian = try Self.limits("messageBytes: 4096")
    let app = try guardian.program()
    let frame = TestProgram.frame("Attach", ["app": ""])
    let padded = frame.replacing(
      "\"app\":\"\"",
      with: "\"app\":\"\(String(repeating: "x", count: length - frame.utf8.count + 1))\"")
    #expect(padded.utf8.count == length + 1)
    app.line.send(Array(padded.utf8))
    let replies = try app.replies()
    #expect(replies.count == 1)
    let isRefused = replies.first?["error"]?.string == "org.webviewguard.Guard.LimitReached"
    #expect(isRefused != isAnswered)
    if isRefused {
      #expect(replies[0]["parameters"]?.text() == #"{"limit":"messageBytes","maximum":4096}"#)
    }
    guardian.pass(seconds: 2)
    #expect(app.isOpen == isAnswered)
  }

  /// Half a message may stay its time; its rest in time is a whole one.
  @Test func halfAMessageHasItsTime() throws {
    let guardian = try Self.limits("partialMessageSeconds: 5, attachSeconds: 3600")
    let (slow, late) = (try guardian.app(), try guardian.app())
    let frame = Array(TestProgram.frame("Print", ["event": ["viewer": "E"]]).utf8)
    for app in [slow, late] { app.line.send(Array(frame.prefix(20))) }
    guardian.pass(seconds: 4)
    slow.line.send(Array(frame.dropFirst(20)) + frame.prefix(7))
    #expect(try slow.replies().count == 1)
    guardian.pass(seconds: 2)
    #expect(slow.isOpen, "for the next half the time begins anew")
    guardian.pass(seconds: 1)
    #expect(!late.isOpen)
    guardian.pass(seconds: 5)
    #expect(!slow.isOpen)
    #expect(guardian.journal.lines(with: "half a message stayed too long").count == 2)
  }

  /// Frames in pieces of any size are the frames.
  @Test func piecesOfAnySizeAreTheSame() throws {
    var random = SeededGenerator()
    let guardian = try TestGuard()
    let app = try guardian.app()
    for _ in 0..<Effort.scaled(300) {
      let count = 1 + random.below(6)
      var bytes = (0..<count).flatMap { _ in
        Array(TestProgram.frame("Print", ["event": ["viewer": "E"]]).utf8)
      }
      while !bytes.isEmpty {
        let length = 1 + random.below(random.oneIn(3) ? 5 : 200)
        app.line.send(Array(bytes.prefix(length)))
        bytes.removeFirst(min(length, bytes.count))
      }
      let replies = try app.replies()
      #expect(
        replies.map { $0["parameters"]?["decision"]?.verdict }
          == .init(repeating: "block printBlocked", count: count))
    }
  }

  // MARK: The journal

  /// The attack: a thousand wrong calls a second push what matters out of the journal.
  @Test func faultsAreToldAndThenCounted() throws {
    let guardian = try TestGuard()
    let (app, second) = (try guardian.app(), try guardian.app(uid: 1001))
    for number in 0..<50 {
      _ = try app.outcome("ForgetViewer", ["viewer": .string("none\(number)")])
    }
    #expect(guardian.journal.lines(with: "notice: call refused").count == 8)
    let again = try guardian.app()
    for _ in 0..<50 { _ = try again.outcome("ForgetViewer", ["viewer": "none"]) }
    #expect(
      guardian.journal.lines(with: "notice: call refused").count == 8,
      "another connection of the user gives no more")
    _ = try second.outcome("ForgetViewer", ["viewer": "none"])
    #expect(
      guardian.journal.lines(with: "notice: call refused").count == 9, "another user's are told")
    app.line.close()
    #expect(guardian.journal.lines(with: "calls refused in all").count == 1)
    guardian.pass(seconds: 60)
    // 8 of the first connection are told; 42 of it are beyond its own limit and not counted again.
    #expect(guardian.journal.lines(with: "more in this minute").count == 1)
    _ = try again.outcome("ForgetViewer", ["viewer": "none"])
    let third = try guardian.app()
    _ = try third.outcome("ForgetViewer", ["viewer": "none"])
    #expect(guardian.journal.lines(with: "notice: call refused").count == 10, "another minute")
  }

  /// What a program writes into its calls does not get accounts and queries into the journal.
  @Test func theJournalNamesNobody() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    _ = try app.outcome(
      "SetIdentity",
      ["level": "process", "account": "anna@contoso.com", "accounts": ["a@b.example"]])
    _ = try app.outcome(
      "ForgetViewer", ["viewer": "https://x.example/a?token=secret anna@contoso.com"])
    _ = try app.outcome("Acknowledge", ["decision": "anna@contoso.com", "outcome": "block"])
    let lines = guardian.journal.lines.joined(separator: "\n")
    #expect(!lines.contains("anna") && !lines.contains("secret"), "\(lines)")
    #expect(lines.contains("uid=1000"))
  }

  // MARK: How many

  @Test func aUserHasItsPlaces() throws {
    let guardian = try Self.limits("connections: 64, connectionsPerUser: 8")
    let open = try (0..<8).map { _ in try guardian.program() }
    #expect(try guardian.core.connect(uid: 1000, asAdministrator: false) == nil)
    #expect(try guardian.core.connect(uid: 1001, asAdministrator: false) != nil)
    #expect(
      try guardian.core.connect(uid: 1000, asAdministrator: true) != nil,
      "administrators have their own")
    open[3].line.close()
    #expect(try guardian.core.connect(uid: 1000, asAdministrator: false) != nil)
    #expect(guardian.journal.lines(with: "too many connections").count == 1)
  }

  /// Administrators get in however many apps there are, and have a limit too.
  @Test func administratorsHaveSixtyFourPlaces() throws {
    let guardian = try Self.limits("connections: 4, connectionsPerUser: 4")
    for _ in 0..<4 { _ = try guardian.core.connect(uid: 1000, asAdministrator: false) }
    var admins: [EmbeddedLine] = []
    while let line = try guardian.core.connect(uid: 0, asAdministrator: true) {
      admins.append(line)
    }
    #expect(admins.count == 64)
    admins[0].close()
    let last = try guardian.administrator()
    let health = try last.ask("org.webviewguard.Admin.Health")
    #expect(health["problems"]?.text().contains("connectionsFull") == true)
  }

  /// Random comings and goings of five users against plain counts.
  @Test func placesAreCountedRight() throws {
    var random = SeededGenerator()
    let guardian = try Self.limits("connections: 40, connectionsPerUser: 10")
    var held: [UInt32: [EmbeddedLine]] = [:]
    for step in 0..<Effort.scaled(5000) {
      let uid = UInt32(1 + random.below(5))
      let total = held.values.reduce(0) { $0 + $1.count }
      if random.oneIn(2), !(held[uid] ?? []).isEmpty {
        let index = random.below(held[uid]?.count ?? 1)
        held[uid]?.remove(at: index).close()
      } else {
        let mine = held[uid]?.count ?? 0
        let hasRoom = total < 40 && mine < (total >= 30 ? 4 : 10)
        let line = try guardian.core.connect(uid: uid, asAdministrator: false)
        #expect((line != nil) == hasRoom, "\(random.note) at \(step)")
        if let line { held[uid, default: []].append(line) }
      }
      #expect(guardian.core.connections == held.values.reduce(0) { $0 + $1.count })
    }
  }
}

/// What peers may ask about themselves and the service.
@Suite struct AboutCallTests {
  @Test(
    arguments: [
      (1000, nil, "com.contoso.viewers"), (4000, nil, "com.contoso.mail"), (5000, nil, nil),
      (6000, nil, nil),
      (6000, "call", "com.contoso.call"),
    ] as [(UInt32, String?, String?)])
  func aPeerHearsWhoItIs(_ uid: UInt32, _ socket: String?, _ app: String?) throws {
    let program = try TestGuard().program(uid: uid, socket: socket)
    let who = try program.ask("WhoAmI")
    #expect(
      who["uid"]?.int == Int64(uid) && who["app"]?.string == app && who["socket"]?.string == socket)
    #expect(who["groups"]?.array?.count == 1)
    for _ in 0..<5 { program.send("WhoAmI") }
    #expect(try program.replies().count == 5)
    program.send("WhoAmI", flags: ["oneway"])
    #expect(try program.replies().isEmpty)
  }

  @Test func ownProgramsAreTheUsersAlone() throws {
    let guardian = try TestGuard()
    let (first, second, other) = (
      try guardian.app(), try guardian.app(), try guardian.app(uid: 1001)
    )
    let own = try first.ask("OwnPrograms")
    #expect(own["programCount"]?.int == 2)
    let programs = own["programs"]?.array ?? []
    #expect(
      programs.map { $0["instance"]?.string }
        == [first, second].map { String($0.token.prefix(16)) })
    #expect(programs.first?["accounts"]?.text().contains("work@contoso.com") == true)
    #expect(
      programs.first?["protections"] == ["contoso"] && programs.first?["viewerCount"]?.int == 2)
    #expect(
      !own.text().contains(other.token.prefix(16)) && !own.text().contains(first.token),
      "no token is told")
    // A user's own browser extension host, say, asks without an app.
    #expect(try guardian.program().ask("OwnPrograms")["programCount"]?.int == 2)
    #expect(try guardian.program(uid: 6000).ask("OwnPrograms")["programCount"]?.int == 0)
  }

  @Test func onlySoManyAreListed() throws {
    let guardian = try TestGuard()
    let apps = try (0..<40).map { _ in try guardian.app(registers: false) }
    for number in 0..<40 { try apps[0].ask("RegisterViewer", ["viewer": .string("v\(number)")]) }
    let own = try apps[7].ask("OwnPrograms")
    #expect(own["programCount"]?.int == 40 && own["programs"]?.array?.count == 32)
    #expect(
      own["programs"]?[0]?["viewerCount"]?.int == 40
        && own["programs"]?[0]?["viewers"]?.array?.count == 32)
  }

  @Test func interfacesAreThoseOfTheSocket() throws {
    let guardian = try TestGuard()
    for (program, isAdmin) in [
      (try guardian.program(), false), (try guardian.administrator(), true),
    ] {
      let info = try program.ask("org.varlink.service.GetInfo")
      let interfaces = info["interfaces"]?.array?.compactMap(\.string) ?? []
      #expect(interfaces.contains("org.webviewguard.Admin") == isAdmin)
      #expect(interfaces.contains("org.varlink.service"))
      for interface in [
        "org.webviewguard.Admin", "org.webviewguard.Guard", "org.webviewguard.Rules", "org.nothing",
      ] {
        let found = try program.outcome(
          "org.varlink.service.GetInterfaceDescription", ["interface": .string(interface)])
        #expect((found == "done") == interfaces.contains(interface), "\(interface): \(found)")
      }
    }
  }
}
