import JSONText
import Testing

/// What a subscription tells, and what an app makes of it.
@Suite struct NewsTests {
  private static let notifications = "notifications: allow\nprinting: allow"

  private func load(_ protection: String, _ daemon: DaemonProcess) throws {
    try daemon.write(
      DataPolicy.files(protection: protection)["policy.d/policy.yaml"] ?? "", to: "policy.d/policy.yaml")
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
  }

  private func subscribe(_ daemon: DaemonProcess, _ app: DataApp, _ topics: JSONTree) throws -> VarlinkPeer {
    let subscriber = try daemon.connect()
    try subscriber.ask("Attach", ["instance": app.token])
    subscriber.send("org.webviewguard.Guard.Subscribe", ["topics": topics], flags: ["more"])
    return subscriber
  }

  /// NT-04: an app that shows notifications from a process of its own hears of each change of the policy, asks again, and
  /// hands the new value on: show it, show a neutral text, show nothing.
  @Test func aChangeOfNotificationsIsToldByItsTopic() throws {
    let daemon = try DaemonProcess(DataPolicy.files(protection: Self.notifications))
    let app = try DataApp(daemon)
    let subscriber = try subscribe(daemon, app, ["policy"])
    let start = try #require(try subscriber.receive()?["parameters"])
    #expect(start["topic"]?.string == "policy" && start["generation"]?.int == 1)
    #expect(try app.answer("Notify", ["viewer": "E"]) == "allow notificationAllowed")
    for (value, generation, answer) in [
      ("blockOrgData", Int64(2), "redact notificationRedacted"), ("block", 3, "block notificationBlocked"),
      ("allow", 4, "allow notificationAllowed"),
    ] {
      try load("notifications: \(value)", daemon)
      let news = try #require(try subscriber.receive()?["parameters"])
      #expect(news["topic"]?.string == "policy" && news["generation"]?.int == generation)
      let decision = try app.decide("Notify", ["viewer": "E"])
      #expect("\(decision["outcome"]?.string ?? "") \(decision["reason"]?.string ?? "")" == answer)
      #expect(decision["generation"] == news["generation"] && decision["digest"] == news["digest"])
    }
  }

  /// NT-04: a policy that does not load is no news, and the value stays.
  @Test func whatDoesNotLoadIsNoNews() throws {
    let daemon = try DaemonProcess(DataPolicy.files(protection: Self.notifications))
    let app = try DataApp(daemon)
    let subscriber = try subscribe(daemon, app, ["policy"])
    _ = try subscriber.receive()
    try daemon.write("apps: 7\n", to: "policy.d/policy.yaml")
    let refused = try daemon.connectAsAdministrator().reply("org.webviewguard.Admin.Reload")
    #expect(refused["error"]?.string == "org.webviewguard.Admin.LoadFailed")
    #expect(try app.answer("Notify", ["viewer": "E"]) == "allow notificationAllowed")
    try load("notifications: block", daemon)
    #expect(try subscriber.receive()?["parameters"]?["generation"]?.int == 2, "nothing came between")
  }

  /// MI-25: an account that may not work any more, and the wipe of its data, are told with the account's name.
  @Test(arguments: ["blocked", "nonCompliant", "wiped"])
  func theStandingOfAnAccountIsTold(_ state: String) throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let subscriber = try subscribe(daemon, app, ["account"])
    try daemon.write(
      DataPolicy.files(account: ", state: \(state)")["policy.d/policy.yaml"] ?? "", to: "policy.d/policy.yaml")
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload")
    let news = try #require(try subscriber.receive()?["parameters"])
    #expect(news["topic"]?.string == "account")
    #expect(news["account"]?.string == "work@contoso.com" && news["state"]?.string == state)
  }
}
