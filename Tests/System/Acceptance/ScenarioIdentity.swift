import Foundation
import JSONText

/// A check about who is signed in, and about switching between accounts.
struct ScenarioIdentity {
  private let check: ScenarioCheck
  private let app: Viewers
  private let daemon: DaemonProcess

  /// - Parameter app: the instance that the checks of one scenario share.
  init(_ check: ScenarioCheck, _ app: Viewers, _ daemon: DaemonProcess) throws {
    self.check = check
    self.app = app
    self.daemon = daemon
    try app.register("v", ["window": "main"])
    try app.tag("v", "currentIdentity")
  }

  /// Managed is an account whose data a protection binds.
  func isManaged() throws -> [String] {
    try app.signIn(check.text("account") ?? "")
    let decision = try app.peer.decide("Print", ["viewer": "v"])
    return differences("managed", String(decision["protection"] != nil), check.decision)
  }

  /// Signing in is showing an account somewhere in the app, each in a window of its own.
  func register() throws -> [String] {
    let account = JSONTree.string(check.text("account") ?? "")
    let reply = try app.peer.reply(
      "org.webviewguard.Guard.SetIdentity", ["level": "window", "window": account, "account": account])
    let error = reply["error"]?.string
    guard check.reason != nil else { return differences("decision", error ?? "allow", check.decision) }
    return differences("decision", error == nil ? "allow" : "error", check.decision)
      + differences("error", error, "org.webviewguard.Guard.SecondManagedAccount")
  }

  /// What is shown decides, at once, there and back.
  func followsShownAccount() throws -> [String] {
    let outcomes = try [ScenarioPolicy.managed, ScenarioPolicy.unmanaged, ScenarioPolicy.managed].map { account in
      try app.signIn(account)
      return try app.peer.decide("Capture", ["viewer": "v", "capture": "screenshot"])["outcome"]?.string ?? ""
    }
    return differences("property", check.text("property"), "policy follows the shown account")
      + differences("outcomes", outcomes.joined(separator: " "), "block allow block")
      + differences("decision", "holds", check.decision)
  }

  /// A switch that the app wants, with the four results of ledger E.5.
  func switchIdentity() throws -> [String] {
    var (account, gates) = (ScenarioPolicy.managed, "success")
    switch check.text("condition") {
    case "target managed, gates pass": break
    case "target is the empty string": account = ""
    case "unknown error": gates = "failed"
    case "other account of the same organisation as the enrolled one":
      try app.signIn(ScenarioPolicy.managed)
      account = ScenarioPolicy.second
    case "a different thread identity is set on the main thread":
      try app.setIdentity("scope", ScenarioPolicy.unmanaged)
    case let condition: return ["unknown condition `\(condition ?? "")`"]
    }
    let reply = try app.peer.ask(
      "SetIdentity", ["level": "window", "window": "main", "account": .string(account), "gates": .string(gates)])
    return differences("result", reply["result"]?.string, camelCase(check.decision))
  }

  /// A switch that the daemon wants. Nothing is held until the app replies (amendments, identity): the question is
  /// answered at once with the request, and asked again after it.
  func switchIsRequired() throws -> [String] {
    let reason = check.text("reason_code")
    guard let target = check.text("account"), reason == "open_url" else { return ["another request"] }
    let client = try daemon.connect()
    let token = try client.ask("Attach", ["app": "com.contoso.viewers", "features": ["switchIdentity"]])["instance"]
    let news = try daemon.connect()
    try news.ask("Attach", ["app": "com.contoso.viewers", "instance": token ?? .null])
    news.send("org.webviewguard.Guard.Subscribe", ["topics": ["identity", "policy"]], flags: ["more"])
    _ = try news.receive()
    try client.ask("RegisterViewer", ["viewer": "v", "window": "main"])
    try client.ask("SetWebViewPolicy", ["viewer": "v", "policy": "currentIdentity"])
    try client.ask("SetIdentity", ["level": "process", "account": .string(ScenarioPolicy.managed)])
    let event: JSONTree = [
      "viewer": "v", "owner": "", "peer": "org.example.editor.desktop", "url": "contoso-viewers:open?document",
    ]
    let first = try client.decide("Receive", event)
    guard let request = first["request"] else { return ["no request in \(first.text())"] }
    let told = try news.receive()?["parameters"]
    let again = try client.decide("Receive", event)
    try client.ask("Answer", ["request": request, "result": "success"])
    let after = try client.decide("Receive", event)
    return differences("target", first["switchTo"]?.string, target)
      + differences("request in the news", told?["request"]?.string, request.string ?? "")
      + differences("cause", told?["cause"]?.string, "openURL")
      + differences("outcome", first["outcome"]?.string, "switchIdentity")
      + differences("outcome before the reply", again["outcome"]?.string, "switchIdentity")
      + differences("outcome after the reply", after["outcome"]?.string, "allow")
      + differences("decision", "hold_until_reply", check.decision)
  }
}
