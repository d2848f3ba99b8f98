import Foundation
import JSONText
import Testing

/// Process, windows and scopes over the socket: whose an event is that an app asks about.
@Suite struct IdentityLevelTests {
  private let daemon: DaemonProcess
  private let app: DataApp

  init() throws {
    daemon = try DaemonProcess(DataPolicy.files(protection: "printing: block"))
    app = try DataApp(daemon)
    try app.peer.ask("SetIdentity", ["level": "process", "account": "me@example.org"])
    try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "account": .null])
  }

  private func join() throws -> VarlinkPeer {
    let peer = try daemon.connect()
    try peer.ask("Attach", ["instance": app.token])
    return peer
  }

  private func print(_ peer: VarlinkPeer) throws -> String? {
    try peer.decide("Print", ["viewer": "E"])["outcome"]?.string
  }

  /// MI-16, MI-17, MI-18: calls that wait in line keep the scope in which they were sent, and each may have another.
  @Test func callsInLineKeepTheScopeTheyWereSentIn() throws {
    let accounts: [JSONTree] = ["work@contoso.com", "me@example.org", "work@contoso.com", "", .null]
    for account in accounts {
      app.peer.send("org.webviewguard.Guard.SetIdentity", ["level": "scope", "account": account])
      app.peer.send("org.webviewguard.Guard.Print", ["event": ["viewer": "E"]])
    }
    var answers: [String] = []
    for _ in accounts {
      _ = try app.peer.receive()
      let decision = try #require(try app.peer.receive()?["parameters"]?["decision"])
      answers.append("\(decision["outcome"]?.string ?? "") \(decision["identityLevel"]?.string ?? "")")
    }
    #expect(answers == ["block scope", "allow scope", "block scope", "allow scope", "allow process"])
  }

  /// MI-10, MI-19, MI-20: a scope is its connection's alone; it answers what was before, to be put back, and ends with
  /// the connection whatever became of its user.
  @Test func aScopeEndsWithItsConnection() throws {
    var inner: VarlinkPeer? = try join()
    let set = try inner?.ask("SetIdentity", ["level": "scope", "account": "work@contoso.com"])
    #expect(set?["previous"] == nil && set?["effectiveUI"]?.string == "work@contoso.com")
    #expect(set?["effectiveFile"]?.string == "work@contoso.com" && set?["level"]?.string == "scope")
    let nested = try inner?.ask("SetIdentity", ["level": "scope", "account": ""])
    #expect(nested?["previous"]?.string == "work@contoso.com")
    try inner?.ask("SetIdentity", ["level": "scope", "account": nested?["previous"] ?? .null])
    #expect(try inner.map { try print($0) } == "block")
    #expect(try print(app.peer) == "allow", "another connection has its own")
    inner = nil
    #expect(try print(join()) == "allow")
  }

  /// MI-08, MI-09, MI-11, MI-13, MI-14: what is seen and what is touched, as each level answers it.
  @Test func eachLevelSaysWhoseItIsNow() throws {
    let steps: [(level: String, account: JSONTree, shown: String?, files: String?)] = [
      ("process", "work@contoso.com", "work@contoso.com", "work@contoso.com"),
      ("window", "me@example.org", "me@example.org", "work@contoso.com"),
      ("window", "", "", "work@contoso.com"), ("window", .null, "work@contoso.com", "work@contoso.com"),
      ("process", .null, nil, nil),
    ]
    for (level, account, shown, files) in steps {
      var call: [JSONTree.Member] = [.init("level", .string(level)), .init("account", account)]
      if level == "window" { call.append(.init("window", "main")) }
      let reply = try app.peer.ask("SetIdentity", .object(call))
      #expect(reply["effectiveUI"]?.string == shown && reply["effectiveFile"]?.string == files, "\(reply.text())")
    }
  }

  /// MI-27: what is shown decides, after the app was killed and started again, and after the daemon was.
  @Test func afterEveryRestartTheAccountShownDecides() throws {
    for isDaemonKilled in [false, true, true] {
      if isDaemonKilled {
        daemon.kill()
        try daemon.startAgain()
      }
      let app = try DataApp(daemon)
      #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
      #expect(try app.answer("Print", ["viewer": "P"]) == "allow unmanaged")
      try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "account": "me@example.org"])
      #expect(try app.answer("Print", ["viewer": "E"]) == "allow unmanaged")
    }
  }

  /// MI-29: each record says whose it was, by which level, and why; MI-26: and under which policy.
  @Test func eachRecordSaysWhoseItWasAndUnderWhichPolicy() throws {
    try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"])
    let decision = try app.decide("Print", ["viewer": "E"])
    daemon.stop()
    let record = try #require(try daemon.records().first { $0["type"] == "decision" })
    #expect(record["account"]?.string?.hasPrefix("acct:") == true && record["identityLevel"]?.string == "window")
    #expect(record["reason"]?.string == "printBlocked" && record["protection"]?.string == "contoso")
    #expect(record["generation"]?.int == 1 && record["digest"] == decision["digest"])
    #expect(try daemon.records().contains { $0["type"] == "policy" && $0["digest"] == decision["digest"] })
  }

  /// MI-26: each record says what bound the account to the policy: its entry, a pattern that takes it, a group of the
  /// machine; and nothing where no protection decided.
  @Test func eachRecordSaysWhatMadeThePolicyTheAccounts() throws {
    var files = DataPolicy.files(protection: "printing: block", account: ", protection: stated")
    files["policy.d/policy.yaml"] = files["policy.d/policy.yaml"]?.replacing(
      "identityMode: multi", with: "identityMode: multi\n    managedAccounts: several")
    files["policy.d/more.yaml"] = """
      protections:
        stated: { printing: block }
        machine: { accounts: [{ group: \(ownGroup) }], printing: allow }
      """
    let daemon = try DaemonProcess(files)
    for (account, source) in [
      ("work@contoso.com", "account"), ("new@contoso.com", "pattern"), ("me@example.org", "group"), ("", nil),
    ] {
      let app = try DataApp(daemon)
      try app.peer.ask("SetIdentity", ["level": "process", "account": ""])
      try app.peer.ask("SetIdentity", ["level": "window", "window": "home", "account": ""])
      try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "account": .string(account)])
      _ = try app.decide("Print", ["viewer": "E"])
      let record = try #require(try daemon.records().last { $0["type"] == "decision" })
      #expect(record["source"]?.string == source, "\(account): \(record.text())")
      #expect((record["protection"] == nil) == (source == nil))
    }
  }

  private var ownGroup: String { getgrgid(getgid()).map { String(cString: $0.pointee.gr_name) } ?? "root" }

  /// IS-10: a request is ended by the words of a switch, and by no others.
  @Test(arguments: ["added", "Success", "1", ""])
  func anotherWordIsNoAnswer(_ word: String) throws {
    let reply = try app.peer.reply(
      "org.webviewguard.Guard.Answer", ["request": "switch-0000000000000001-1", "result": .string(word)])
    #expect(reply["error"]?.string == "org.varlink.service.InvalidParameter")
  }

  /// FC-07: certificates are the engine's to check. Who asks is told that nobody here answers, which no client can take
  /// for a yes.
  @Test func certificatesAreNotCheckedHere() throws {
    let reply = try app.peer.reply("org.webviewguard.Guard.CheckCertificate", ["event": ["viewer": "E"]])
    #expect(reply["error"]?.string == "org.varlink.service.MethodNotFound")
    #expect(try print(app.peer) == "allow", "and goes on")
  }
}
