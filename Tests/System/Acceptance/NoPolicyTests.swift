import JSONText
import Testing

/// Before any policy loaded: what `policyRequired` says, over the socket.
@Suite struct NoPolicyTests {
  private static let events: [(method: String, event: JSONTree)] =
    DataPathTests.events.map { ($0.method, $0.event) } + [
      ("Navigate", ["viewer": "E", "url": "https://news.example/", "frame": "main"]),
      ("Copy", ["viewer": "E", "selection": "clipboard"]), ("Paste", ["viewer": "E", "selection": "clipboard"]),
    ]

  private static func daemon(requiringPolicy required: String) throws -> DaemonProcess {
    try DaemonProcess(["webviewguard.yaml": "policyRequired: \(required)\n", "policy.d/policy.yaml": "apps: 7\n"])
  }

  /// SE-07: where a policy is required, everything is blocked. SE-08: where none is, everything goes on, and each answer
  /// says why, so that the app can warn its user.
  @Test(arguments: [("true", "block"), ("false", "allow")])
  func everythingIsAnsweredByPolicyRequired(_ required: String, _ outcome: String) throws {
    let daemon = try Self.daemon(requiringPolicy: required)
    let peer = try daemon.connect()
    #expect(try peer.reply("org.webviewguard.Guard.Attach")["error"]?.string == "org.webviewguard.Guard.NoPolicy")
    for (method, event) in Self.events {
      let decision = try peer.decide(method, event)
      #expect(decision["outcome"]?.string == outcome && decision["reason"]?.string == "noPolicy", "\(method)")
      #expect(decision["generation"]?.int == 0)
      #expect((decision["message"] == nil) == (outcome == "allow"), "people are told of a block")
    }
    daemon.stop()
    let records = try daemon.records().filter { $0["type"] == "decision" }
    #expect(records.map { $0["outcome"]?.string } == Self.events.map { _ in outcome })
    // Nobody knows whose the pages are, so none is named.
    #expect(records.allSatisfy { $0["url"] == nil })
    #expect(records.count { $0["redacted"] == ["url"] } == Self.events.count { $0.event["url"] != nil })
    #expect(records.allSatisfy { $0["reason"] == "noPolicy" && $0["uid"] != nil && $0["app"] == nil })
  }

  /// With the first policy the app must say who it is, on the same connection.
  @Test func withTheFirstPolicyTheAppMustAttach() throws {
    let daemon = try Self.daemon(requiringPolicy: "false")
    let peer = try daemon.connect()
    #expect(try peer.decide("Print", ["viewer": "E"])["outcome"]?.string == "allow")
    for (name, text) in DataPolicy.files() where name != "webviewguard.yaml" { try daemon.write(text, to: name) }
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
    let refused = try peer.reply("org.webviewguard.Guard.Print", ["event": ["viewer": "E"]])
    #expect(refused["error"]?.string == "org.webviewguard.Guard.NotAttached")
    try peer.ask("Attach")
    #expect(try peer.decide("Print", ["viewer": "E"])["generation"]?.int == 1)
  }

  /// A policy that was in force once is kept, so that no broken file opens anything.
  @Test func aPolicyThatBreaksLaterStaysInForce() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    try daemon.write("policyRequired: false\n", to: "webviewguard.yaml")
    try daemon.write("apps: 7\n", to: "policy.d/policy.yaml")
    let reload = try daemon.connectAsAdministrator().reply("org.webviewguard.Admin.Reload")
    #expect(reload["error"]?.string == "org.webviewguard.Admin.LoadFailed")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    let stranger = try daemon.connect().reply("org.webviewguard.Guard.Print", ["event": ["viewer": "E"]])
    #expect(stranger["error"]?.string == "org.webviewguard.Guard.NotAttached")
  }
}
