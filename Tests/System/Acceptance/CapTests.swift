import JSONText
import TestSupport
import Testing

/// Caps answer a clear error; what was there before stays and is answered as before.
@Suite struct CapTests {
  private let daemon: DaemonProcess
  private let app: Programs

  init() throws {
    let limits = "limits: { viewersPerInstance: 3, windowsPerInstance: 2, instancesPerUser: 2 }\n"
    daemon = try DaemonProcess(
      ExamplePolicy.files(settings: limits, app: "identityMode: multi\n    managedAccounts: several"),
      arguments: ["--without-decision-log"])
    app = try Programs.attach(daemon)
  }

  @Test func viewersAreCapped() throws {
    try app.peer.ask("RegisterViewer", ["viewer": "third", "class": "public"])
    try expectLimit("viewers", 3, "RegisterViewer", ["viewer": "fourth", "class": "public"])
    #expect(try app.peer.decide("Print", ["viewer": "third"])["reason"] == "noManagedIdentity")
    try app.peer.ask("RegisterViewer", ["viewer": "third", "window": "known ones still change"])
    try app.peer.ask("ForgetViewer", ["viewer": "third"])
    try app.peer.ask("RegisterViewer", ["viewer": "fourth", "class": "public"])
  }

  @Test func windowsAreCapped() throws {
    for window in ["a", "b"] { try app.peer.ask("SetIdentity", show("work@contoso.com", in: window)) }
    try expectLimit("windows", 2, "SetIdentity", show("", in: "c"))
    let shown = try app.peer.ask("SetIdentity", show("", in: "a"))
    #expect(shown["previous"] == "work@contoso.com")
  }

  @Test func instancesAreCapped() throws {
    let second = try Programs.attach(daemon)
    let refused = try daemon.connect().reply("org.webviewguard.Guard.Attach", ["app": "com.contoso.viewers"])
    #expect(refused["error"] == "org.webviewguard.Guard.LimitReached")
    #expect(refused["parameters"]?["limit"] == "instances")
    for known in [app, second] {
      _ = try known.copy("E")
      #expect(try known.paste("clipboard")["reason"] == "sameAccount")
      #expect(try Programs.attach(daemon, token: known.token).token == known.token)
    }
  }

  @Test func accountsAreCapped() throws {
    let maximum = 4096
    for number in 0..<maximum { try app.peer.ask("SetIdentity", show("user\(number)@contoso.com")) }
    try expectLimit("accounts", Int64(maximum), "SetIdentity", show("user\(maximum)@contoso.com"))
    for known in ["user0@contoso.com", "USER7@contoso.com", "work@contoso.com", "me@example.org", ""] {
      try app.peer.ask("SetIdentity", show(known))
    }
  }

  /// No error, since a copy cannot be undone: a number that is too old counts as an unknown managed owner's.
  @Test func clipNumbersAreCapped() throws {
    let oldest = try #require(try app.copy("E")["clip"]?.string)
    let next = try #require(try app.copy("E")["clip"]?.string)
    for _ in 0..<255 { _ = try app.copy("E") }
    _ = try app.fill("P")
    #expect(try app.paste("clipboard", in: "P", clip: next)["reason"] == "orgData")
    #expect(try app.paste("clipboard", in: "P", clip: oldest)["reason"] == "ownerUnknown")
    #expect(try app.paste("clipboard", in: "P")["outcome"] == "allow")
  }

  private func expectLimit(_ limit: String, _ maximum: Int64, _ method: String, _ parameters: JSONTree) throws {
    let refused = try app.peer.reply("org.webviewguard.Guard." + method, parameters)
    #expect(refused["error"] == "org.webviewguard.Guard.LimitReached")
    #expect(refused["parameters"]?.text() == #"{"limit":"\#(limit)","maximum":\#(maximum)}"#)
  }

  private func show(_ account: String, in window: String? = nil) -> JSONTree {
    guard let window else { return ["level": "process", "account": .string(account)] }
    return ["level": "window", "window": .string(window), "account": .string(account)]
  }
}
