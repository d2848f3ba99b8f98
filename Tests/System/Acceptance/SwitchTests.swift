import Foundation
import JSONText
import Testing

/// Switches of identity that the daemon asks for, and news of them.
@Suite struct SwitchTests {
  private static let receive: JSONTree = ["viewer": "E", "peer": "org.example.chat.desktop"]

  private func subscribe(_ daemon: DaemonProcess, _ app: DataApp, _ topics: JSONTree) throws -> VarlinkPeer {
    let subscriber = try daemon.connect()
    try subscriber.ask("Attach", ["instance": app.token])
    subscriber.send("org.webviewguard.Guard.Subscribe", ["topics": topics], flags: ["more"])
    return subscriber
  }

  @Test func aSwitchIsAskedForAnsweredAndDone() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let subscriber = try subscribe(daemon, app, ["identity", "policy"])
    let first = try #require(try subscriber.receive())
    #expect(first["continues"]?.bool == true && first["parameters"]?["topic"]?.string == "policy")
    let asked = try app.decide("Receive", Self.receive)
    #expect(asked["outcome"]?.string == "switchIdentity" && asked["switchTo"]?.string == "")
    let news = try #require(try subscriber.receive()?["parameters"])
    #expect(news["topic"]?.string == "identity" && news["account"]?.string == "" && news["window"]?.string == "main")
    #expect(news["cause"]?.string == "documentImport")
    let request = try #require(news["request"])
    #expect(request == asked["request"])
    #expect(try app.decide("Receive", Self.receive)["request"] == request, "one request, however often it is asked")
    try app.peer.ask("Answer", ["request": request, "result": "success"])
    #expect(try app.answer("Receive", Self.receive) == "allow noManagedIdentity")
    let again = try app.peer.reply("org.webviewguard.Guard.Answer", ["request": request, "result": "success"])
    #expect(again["error"]?.string == "org.webviewguard.Guard.UnknownRequest")
    daemon.stop()
    let change = try #require(try daemon.records().first { $0["change"] == "answer" })
    #expect(change["request"] == request && change["result"]?.string == "success")
    #expect(change["window"]?.string == "main" && change["account"]?.string == "")
  }

  @Test func aSwitchThatFailedBlocks() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let request = try #require(try app.decide("Receive", Self.receive)["request"])
    try app.peer.ask("Answer", ["request": request, "result": "canceled"])
    #expect(try app.answer("Receive", Self.receive) == "block identitySwitchFailed")
    let late = try app.peer.reply("org.webviewguard.Guard.Answer", ["request": request, "result": "success"])
    #expect(late["error"]?.string == "org.webviewguard.Guard.RequestIsOver")
    #expect(late["parameters"]?["request"] == request)
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked", "the identity is what it was")
  }

  @Test func anAnswerThatComesTooLateChangesNothing() throws {
    let daemon = try DaemonProcess(DataPolicy.files(settings: "limits: { switchSeconds: 1 }\n"))
    let app = try DataApp(daemon)
    let request = try #require(try app.decide("Receive", Self.receive)["request"])
    usleep(1_200_000)
    let late = try app.peer.reply("org.webviewguard.Guard.Answer", ["request": request, "result": "success"])
    #expect(late["error"]?.string == "org.webviewguard.Guard.RequestIsOver")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    #expect(try app.answer("Receive", Self.receive) == "block identitySwitchFailed")
    daemon.stop()
    #expect(try !daemon.records().contains { $0["change"] == "answer" })
  }

  @Test(arguments: ["", "switch-0000000000000001-1", "nonsense", String(repeating: "x", count: 10_000)])
  func inventedRequestsAreUnknown(_ request: String) throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let open = try #require(try app.decide("Receive", Self.receive)["request"])
    let reply = try app.peer.reply(
      "org.webviewguard.Guard.Answer", ["request": .string(request), "result": "success"])
    let isEmpty = request.isEmpty
    #expect(
      reply["error"]?.string
        == (isEmpty ? "org.varlink.service.InvalidParameter" : "org.webviewguard.Guard.UnknownRequest"))
    #expect(reply.text().utf8.count < 300)
    let other = try DataApp(daemon)
    let foreign = try other.peer.reply("org.webviewguard.Guard.Answer", ["request": open, "result": "success"])
    #expect(foreign["error"]?.string == "org.webviewguard.Guard.UnknownRequest", "another instance's")
  }

  /// The policy now blocks the account that is shown: subscribers hear of the policy, of the account, and of what to
  /// show instead.
  @Test func aBlockedAccountIsNews() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let subscriber = try subscribe(daemon, app, .null)
    #expect(try subscriber.receive()?["parameters"]?["generation"]?.int == 1)
    try daemon.write(
      DataPolicy.files(account: ", state: blocked")["policy.d/policy.yaml"] ?? "", to: "policy.d/policy.yaml")
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
    let news = try (0..<4).compactMap { _ in try subscriber.receive()?["parameters"] }
    #expect(news.map { $0["topic"]?.string } == ["policy", "account", "identity", "identity"])
    #expect(news[0]["generation"]?.int == 2)
    #expect(news[1]["account"]?.string == "work@contoso.com" && news[1]["state"]?.string == "blocked")
    #expect(Set(news[2...].map { $0["window"]?.string }) == [nil, "main"])
    #expect(news[2...].allSatisfy { $0["cause"]?.string == "cancelConditionalLaunch" && $0["account"]?.string == "" })
    #expect(try app.answer("Print", ["viewer": "E"]) == "block accountBlocked")
    for item in news[2...] { try app.peer.ask("Answer", ["request": item["request"] ?? .null, "result": "success"]) }
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow noManagedIdentity")
  }

  /// Who subscribes late hears of what is asked for already; who wants other topics does not.
  @Test func openRequestsAreToldAtTheStart() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let request = try #require(try app.decide("Receive", Self.receive)["request"])
    #expect(try subscribe(daemon, app, ["identity"]).receive()?["parameters"]?["request"] == request)
    let stranger = try DataApp(daemon)
    let other = try subscribe(daemon, stranger, ["identity", "policy"])
    #expect(try other.receive()?["parameters"]?["topic"]?.string == "policy")
    #expect(try app.decide("Receive", ["viewer": "P", "peer": "x.desktop"])["outcome"]?.string == "allow")
    try daemon.write(
      DataPolicy.files(protection: "send: any")["policy.d/policy.yaml"] ?? "", to: "policy.d/policy.yaml")
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
    #expect(try other.receive()?["parameters"]?["generation"]?.int == 2, "nothing of another instance came between")
  }

  @Test func aSubscriptionNeedsAnInstanceAndMore() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let peer = try daemon.connect()
    #expect(try peer.reply("org.webviewguard.Guard.Subscribe")["error"]?.string == "org.varlink.service.ExpectedMore")
    peer.send("org.webviewguard.Guard.Subscribe", flags: ["more"])
    #expect(try peer.receive()?["error"]?.string == "org.webviewguard.Guard.NotAttached")
  }

  /// A reader that never reads costs no memory, holds nobody up, and hears how much it missed.
  @Test func aSlowReaderMissesSome() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let slow = try subscribe(daemon, app, ["identity"])
    for _ in 0..<4_000 { try askAndAnswer(app) }
    // What was written before the pipe was full, and then the first that says how much was missed.
    var missed: Int64 = 0
    var told = 0
    while missed == 0, told < 5_000 {
      try askAndAnswer(app)
      missed = try slow.receive()?["parameters"]?["missed"]?.int ?? 0
      told += 1
    }
    #expect(told > 100 && missed > 100)
  }

  /// One piece of news.
  private func askAndAnswer(_ app: DataApp) throws {
    let request = try app.decide("Receive", Self.receive)["request"] ?? .null
    try app.peer.ask("Answer", ["request": request, "result": "success"])
    try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"])
  }

  // MARK: Switches that the app asks for

  @Test func theFourResultsOfASwitch() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    func result(_ parameters: JSONTree) throws -> String? {
      try app.peer.ask("SetIdentity", parameters)["result"]?.string
    }
    let work: JSONTree = ["level": "window", "window": "w", "account": "work@contoso.com", "gates": "success"]
    #expect(try result(work) == "success")
    let canceled: JSONTree = ["level": "window", "window": "v", "account": "work@contoso.com", "gates": "canceled"]
    let refused = try app.peer.ask("SetIdentity", canceled)
    #expect(refused["result"]?.string == "canceled" && refused["previous"] == nil)
    #expect(
      try result(["level": "window", "window": "v", "account": "work@contoso.com", "gates": "failed"]) == "failed")
    #expect(
      try result(["level": "window", "window": "v", "account": "other@contoso.com", "gates": "success"]) == "notAllowed"
    )
    #expect(try result(["level": "window", "window": "w", "account": "", "gates": "failed"]) == "success")
    try app.peer.ask("SetIdentity", ["level": "scope", "account": "me@example.org"])
    #expect(try result(work) == "notAllowed")
  }
}
