import DecisionLog
import Foundation
import JSONText
import Testing

/// The service around the decisions: instances, actions, reload, the contract, and what the log holds.
@Suite struct ServiceTests {
  private func navigate(_ app: Viewers, _ url: String, _ action: String? = nil) throws -> JSONTree {
    var event = [JSONTree.Member("viewer", "E"), .init("url", .string(url)), .init("frame", "main")]
    if let action { event.append(.init("action", .string(action))) }
    return try app.peer.decide("Navigate", .object(event))
  }

  @Test func repliesComeInTheOrderOfTheCalls() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    for number in 0..<500 {
      let url = number % 2 == 0 ? "https://a\(number).contoso.com/" : "https://b\(number).example/"
      app.peer.send(
        "org.webviewguard.Guard.Navigate", ["event": ["viewer": "E", "url": .string(url), "frame": "main"]])
    }
    for number in 0..<500 {
      let decision = try app.peer.receive()?["parameters"]?["decision"]
      #expect(decision?["outcome"]?.string == (number % 2 == 0 ? "allow" : "redirect"))
      if number % 2 == 1 { #expect(decision?["open"]?["url"]?.string == "https://b\(number).example/") }
    }
    let decisions = try daemon.records().filter { $0["type"] == "decision" }
    #expect(decisions.count == 500)
  }

  @Test func oneActionIsOneDecisionAndOneRecord() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let first = try navigate(app, "https://www.example.net/", "click-1")
    let again = try navigate(app, "https://www.example.net/", "click-1")
    let other = try navigate(app, "https://www.example.net/", "click-2")
    #expect(first["repeat"] == nil)
    #expect(again["repeat"]?.bool == true)
    #expect(again["id"] == first["id"])
    #expect(other["id"] != first["id"])
    try app.register("F", ["class": "public"])
    let afterChange = try navigate(app, "https://www.example.net/", "click-1")
    #expect(afterChange["repeat"] == nil, "a change of state ends the action")
    daemon.stop()
    let records = try daemon.records()
    #expect(records.filter { $0["type"] == "decision" }.count == 3)
    #expect(records.filter { $0["type"] == "repeats" }.map { $0["count"]?.int } == [1])
  }

  @Test func anInstanceOutlivesItsConnectionByItsGraceTime() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(settings: "graceSeconds: 1\n"))
    var app: Viewers? = try Viewers.signedIn(daemon)
    let second = try daemon.connect()
    let fresh = try second.ask("Attach")
    #expect(
      try second.decide("Navigate", ["viewer": "E", "url": "https://x.example/"])["viewerIsUnknown"]?.bool == true)
    let token = try #require(fresh["instance"])
    app = nil
    _ = app
    let joined = try daemon.connect()
    #expect(try joined.ask("Attach", ["instance": token])["instance"] == token)
  }

  @Test func anInstanceEndsAfterItsGraceTime() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(settings: "graceSeconds: 1\n"))
    var token: JSONTree?
    do { token = try daemon.connect().ask("Attach")["instance"] }
    let deadline = Date(timeIntervalSinceNow: 240)
    var error: String?
    while error == nil, Date() < deadline {
      usleep(200_000)
      let ended = try daemon.records().contains { $0["change"] == "instanceEnd" }
      if ended {
        error = try daemon.connect().reply("org.webviewguard.Guard.Attach", ["instance": token ?? .null])["error"]?
          .string
      }
    }
    #expect(error == "org.webviewguard.Guard.UnknownInstance")
  }

  @Test func aReloadThatFailsKeepsTheOldPolicyAndSaysWhy() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let admin = try daemon.connectAsAdministrator()
    try daemon.write(
      "ruleSet: documents\ndefault: sometimes\nrules: [{ id: x, internal: { domian: a.example } }]\n",
      to: "rules/documents.yaml")
    let reply = try admin.reply("org.webviewguard.Admin.Reload")
    #expect(reply["error"]?.string == "org.webviewguard.Admin.LoadFailed")
    let lines = reply["parameters"]?["diagnostics"]?.text() ?? ""
    #expect(
      lines.contains("documents.yaml:2:10") && lines.contains("documents.yaml:3:"), "all problems at once: \(lines)")
    #expect(try navigate(app, "https://www.example.net/")["outcome"]?.string == "redirect")
    let status = try admin.call("org.webviewguard.Admin.Status")
    #expect(status["generation"]?.int == 1)
    #expect(status["lastError"]?.string?.contains("documents.yaml") == true)
    try daemon.write(
      ExamplePolicy.rules.replacingOccurrences(of: "default: external", with: "default: internal"),
      to: "rules/documents.yaml")
    #expect(try admin.call("org.webviewguard.Admin.Reload")["generation"]?.int == 2)
    #expect(try navigate(app, "https://www.example.net/")["outcome"]?.string == "allow")
    #expect(try admin.call("org.webviewguard.Admin.Status")["lastError"] == nil)
  }

  @Test func withoutAPolicyEverythingIsBlocked() throws {
    let daemon = try DaemonProcess(["policy.d/policy.yaml": "apps: 7\n"])
    let status = try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Status")
    #expect(status["state"]?.string == "noPolicy")
    #expect(status["lastError"]?.string?.contains("policy.yaml:1:7") == true)
    #expect(
      try daemon.connect().reply("org.webviewguard.Guard.Attach")["error"]?.string == "org.webviewguard.Guard.NoPolicy")
  }

  @Test func theContractLiesBesideTheSocket() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(settings: "contract: { answerMs: 321, clipboard: open }\n"))
    let file = daemon.directory.appendingPathComponent("run/contract.json")
    let contract = try JSONTree(parsing: String(contentsOf: file, encoding: .utf8))
    #expect(contract["answerMs"]?.int == 321)
    #expect(contract["clipboard"]?.string == "open")
    #expect(try daemon.connect().ask("Attach")["contract"] == contract)
    try daemon.write("contract: { answerMs: 654 }\n", to: "webviewguard.yaml")
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
    let reloaded = try JSONTree(parsing: String(contentsOf: file, encoding: .utf8))
    #expect(reloaded["answerMs"]?.int == 654)
    #expect(reloaded["clipboard"]?.string == "closed")
  }

  @Test func monitorShowsDecisionsAndExplainTheirSteps() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let watcher = try daemon.connectAsAdministrator()
    watcher.send("org.webviewguard.Admin.Monitor", flags: ["more"])
    let admin = try daemon.connectAsAdministrator()
    _ = try admin.call("org.webviewguard.Admin.Status")
    let app = try Viewers.signedIn(daemon)
    let decision = try navigate(app, "https://drive.files.example/share?key=secret#top")
    let shown = try #require(try watcher.receive())
    #expect(shown["continues"]?.bool == true)
    #expect(shown["parameters"]?["url"]?.string == "https://drive.files.example/share")
    #expect(
      shown["parameters"]?["decision"]?["message"]?.string == "drive.files.example is a personal file-sharing site")
    let explained = try admin.call("org.webviewguard.Rules.Explain", ["decision": decision["id"] ?? .null])
    let steps = try #require(explained["steps"]?.text())
    #expect(steps.contains("rule `sharing`"))
    // Values stand with their places.
    #expect(steps.contains("policy.yaml:"))
  }

  @Test func theLogIsSoundAndTellsWhoAndWhy() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    _ = try navigate(app, "https://user:password@www.contoso.com/a?token=1")
    daemon.stop()
    let text = try String(contentsOf: daemon.logFile, encoding: .utf8)
    for secret in ["password", "token=1", "work@contoso.com"] { #expect(!text.contains(secret), "\(secret) leaked") }
    let record = try #require(try daemon.records().first { $0["type"] == "decision" })
    #expect(record["outcome"]?.string == "redirect", "credentials make no URL internal")
    #expect(record["redacted"]?.text() == #"["credentials","query"]"#)
    #expect(record["uid"]?.int == Int64(getuid()))
    #expect(record["account"]?.string?.hasPrefix("acct:") == true)
    var verifier = LogVerifier()
    verifier.read(Array(text.utf8).span)
    #expect(verifier.finish().isSound)
  }

  @Test func afterACrashTheChainGoesOn() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    _ = try navigate(app, "https://www.example.net/")
    daemon.kill()
    let log = try FileHandle(forWritingTo: daemon.logFile)
    try log.seekToEnd()
    try log.write(contentsOf: Data(#"{"v":1,"seq":99,"ti"#.utf8))
    try log.close()
    let again = try DaemonProcess(ExamplePolicy.files(), logOf: daemon)
    _ = try navigate(try Viewers.signedIn(again), "https://www.example.net/")
    again.stop()
    var verifier = LogVerifier()
    verifier.read(Array(try Data(contentsOf: again.logFile)).span)
    let result = verifier.finish()
    #expect(result.isSound)
    #expect(result.sealed == 1)
  }

  @Test func aPersonalPageIsNotNamedInTheLog() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    try app.register("P", ["class": "public"])
    _ = try app.peer.decide("Navigate", ["viewer": "P", "url": "https://private.example/", "frame": "main"])
    daemon.stop()
    #expect(try !String(contentsOf: daemon.logFile, encoding: .utf8).contains("private.example"))
  }
}
