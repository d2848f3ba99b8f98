import EmbeddedGuard
import GuardService
import JSONText
import PolicyFiles
import TestSupport
import Testing

/// Programs come, attach to their apps, and go: the core alone, call by call.
@Suite struct AttachingTests {
  private let guardian: TestGuard

  init() throws { guardian = try TestGuard() }

  /// Who a peer is, says the policy alone.
  @Test(
    arguments: [
      (1000, nil, nil, "com.contoso.viewers"), (1003, nil, nil, "com.contoso.viewers"),
      (1000, nil, "com.contoso.viewers", "com.contoso.viewers"),
      (1000, nil, "com.contoso.mail", #"AppMismatch {"app":"com.contoso.mail"}"#),
      (1000, nil, "", #"AppMismatch {"app":""}"#), (4000, nil, nil, "com.contoso.mail"),
      (5000, nil, nil, #"AppAmbiguous {"apps":["com.contoso.chat","com.contoso.call"]}"#),
      (5000, nil, "com.contoso.chat", "com.contoso.chat"), (5000, nil, "com.contoso.call", "com.contoso.call"),
      (5000, nil, "com.contoso.viewers", #"AppMismatch {"app":"com.contoso.viewers"}"#),
      (6000, nil, nil, "NoApp"), (6000, nil, "com.contoso.viewers", "NoApp"), (0, nil, nil, "NoApp"),
      // Through an app's own socket it is that app, whoever it is.
      (6000, "call", nil, "com.contoso.call"), (6000, "other", nil, "NoApp"),
    ] as [(UInt32, String?, String?, String)])
  func thePolicySaysWhoAPeerIs(_ uid: UInt32, _ socket: String?, _ app: String?, _ expected: String) throws {
    let program = try guardian.program(uid: uid, socket: socket)
    let parameters = JSONTree.object(app.map { [.init("app", .string($0))] } ?? [])
    let reply = try program.reply("Attach", parameters)
    if reply["error"] == nil {
      #expect(reply["parameters"]?["app"]?.string == expected)
      #expect(try program.outcome("Attach", parameters) == "AlreadyAttached")
    } else {
      #expect(try program.outcome("Attach", parameters) == expected)
      #expect(try program.outcome("Print", ["event": ["viewer": "E"]]) == "NotAttached")
    }
  }

  @Test func aTokenIsAHundredAndTwentyEightBitsAndNeverTheSame() throws {
    var tokens: Set<String> = []
    for _ in 0..<50 {
      let program = try guardian.program()
      try program.attach()
      #expect(program.token.utf8.count == 32)
      #expect(program.token.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      tokens.insert(program.token)
      program.line.close()
    }
    #expect(tokens.count == 50)
  }

  /// The attack: a program guesses, or was told, the token of another user's or another app's instance.
  @Test func aTokenIsGoodForItsUserAndItsAppOnly() throws {
    let app = try guardian.app()
    let token = JSONTree.string(app.token)
    for uid in [1001, 4000] as [UInt32] {
      #expect(try guardian.program(uid: uid).outcome("Attach", ["instance": token]) == "UnknownInstance")
    }
    for wrong in ["", String(app.token.dropLast()), app.token + "0", app.token.uppercased() + "x", "0"] {
      #expect(try guardian.program().outcome("Attach", ["instance": .string(wrong)]) == "UnknownInstance")
    }
    let second = try guardian.program()
    try second.attach(["instance": token])
    #expect(second.token == app.token)
    #expect(try second.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(guardian.core.instances == 1 && guardian.core.connections == 9)
  }

  /// An instance lives on for its grace time after its last connection, and not a second longer.
  @Test func anInstanceOutlivesItsConnectionsByTheGraceTime() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "graceSeconds: 5\n"))
    let app = try guardian.app()
    let second = try guardian.program()
    try second.attach(["instance": .string(app.token)])
    app.line.close()
    guardian.pass(seconds: 10)
    #expect(guardian.core.instances == 1, "the second holds it")
    second.line.close()
    guardian.pass(seconds: 4)
    let back = try guardian.program()
    try back.attach(["instance": .string(app.token)])
    #expect(try back.answer("Print", ["viewer": "E"]) == "block printBlocked", "its viewers are still there")
    guardian.pass(seconds: 10)
    #expect(guardian.core.instances == 1)
    back.line.close()
    guardian.pass(seconds: 6)
    #expect(guardian.core.instances == 0)
    #expect(try guardian.program().outcome("Attach", ["instance": .string(app.token)]) == "UnknownInstance")
    let types = try guardian.records("state").map { $0["change"]?.string ?? "" }
    #expect(types.first == "attach" && types.last == "instanceEnd")
  }

  /// A program that is restarted with its daemon comes back under its token, and has to say anew what it shows.
  @Test func anInstanceOutlivesItsDaemon() throws {
    let guardian = try TestGuard(withLog: false)
    let app = try guardian.app()
    try guardian.core.restart()
    #expect(!app.isOpen && guardian.core.instances == 0)
    #expect(try guardian.program(uid: 1001).outcome("Attach", ["instance": .string(app.token)]) == "UnknownInstance")
    let back = try guardian.program()
    try back.attach(["instance": .string(app.token)])
    #expect(back.token == app.token)
    #expect(try back.ask("Identities")["mustState"]?.bool == true)
    try back.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])
    #expect(try back.ask("Identities")["process"]?.string == "work@contoso.com")
    try guardian.core.restart()
    guardian.pass(seconds: 61)
    let late = try guardian.program()
    #expect(try late.outcome("Attach", ["instance": .string(app.token)]) == "UnknownInstance")
  }

  /// Features that both sides have, in the program's order; a second connection gets no more than the first stated.
  @Test func featuresAreThoseOfBothSides() throws {
    let app = try guardian.program()
    let all: JSONTree = ["clips", "nonsense", "switchIdentity", "redact", "actions", ""]
    let attached = try app.attach(["features": all])
    #expect(attached["features"]?.array?.compactMap(\.string) == ["clips", "switchIdentity", "redact", "actions"])
    let second = try guardian.program()
    let words: JSONTree = ["wrap", "redact", "actions"]
    let more = try second.attach(["instance": .string(app.token), "features": words])
    #expect(
      more["features"]?.array?.compactMap(\.string) == ["redact", "actions"], "`wrap` was not stated at the start")
  }

  /// A connection that never belongs to an app is closed after its time, and no other.
  @Test func aConnectionWithoutAnAppIsClosed() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "limits: { attachSeconds: 5 }\n"))
    let (silent, talking, attached) = (try guardian.program(), try guardian.program(), try guardian.app())
    let administrator = try guardian.administrator()
    for _ in 0..<5 {
      guardian.pass(seconds: 1)
      #expect(try talking.outcome("Print", ["event": ["viewer": "E"]]) == "NotAttached")
      #expect(silent.isOpen && talking.isOpen)
    }
    guardian.pass(seconds: 1)
    #expect(!silent.isOpen && !talking.isOpen, "talking does not help")
    #expect(attached.isOpen && administrator.isOpen)
    #expect(guardian.journal.lines(with: "belonged to no app for too long").count == 2)
  }

  /// Until a policy loads no program can attach, and asking keeps a connection open.
  @Test func beforeAPolicyAskingKeepsAConnection() throws {
    var settings = DaemonSettings()
    settings.limits.attachSeconds = 3
    let guardian = try TestGuard(withoutPolicy: settings)
    let (silent, talking) = (try guardian.program(), try guardian.program())
    for _ in 0..<10 {
      guardian.pass(seconds: 1)
      #expect(try talking.answer("Print", ["viewer": "E"]) == "block noPolicy")
    }
    #expect(!silent.isOpen && talking.isOpen)
    #expect(try talking.outcome("Attach") == "NoPolicy")
  }

  /// Random programs of several users, against a list of who is there.
  @Test func whoIsThereIsCountedRight() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "graceSeconds: 3\n"))
    var random = SeededGenerator()
    var apps: [TestProgram] = []
    for step in 0..<Effort.scaled(3000) {
      switch random.below(4) {
      case 0 where apps.count < 30, 1 where apps.isEmpty:
        let app = try guardian.program(uid: UInt32(1000 + random.below(4)))
        try app.attach()
        apps.append(app)
      case 1:
        // A second connection of the same instance takes the place of the first.
        let index = random.below(apps.count)
        let next = try guardian.program(uid: apps[index].line.uid)
        try next.attach(["instance": .string(apps[index].token)])
        apps[index].line.close()
        apps[index] = next
      case 2 where !apps.isEmpty:
        apps.remove(at: random.below(apps.count)).line.close()
        guardian.pass(seconds: 4)
      default: guardian.pass(seconds: 1)
      }
      #expect(guardian.core.instances == apps.count, "\(random.note) at \(step)")
      #expect(guardian.core.connections == apps.count, "\(random.note) at \(step)")
    }
    for app in apps { #expect(try app.outcome("Identities") == "done") }
  }
}
