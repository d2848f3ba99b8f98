import Foundation
import JSONText

/// A check of a restart that the daemon asks for: an app whose static rules are of another configuration is asked, and
/// answers. With the SDK's `true` it starts anew by itself; with `false` the person is told at once.
struct ScenarioRestart {
  private let check: ScenarioCheck
  private let daemon: DaemonProcess

  static let events: Set = ["restart_reply"]

  init(_ check: ScenarioCheck) throws {
    self.check = check
    let policy = """
      apps:
        com.contoso.viewers:
          peers: [{ uid: \(getuid()) }]
          identityMode: multi
      accounts: [{ upn: "\(ScenarioPolicy.managed)", protection: contoso }]
      protections: { contoso: {} }
      """
    daemon = try DaemonProcess(["webviewguard.yaml": "policyRequired: true\n", "policy.d/policy.yaml": policy])
  }

  func run() throws -> [String] {
    let stale = String(repeating: "0", count: 64)
    let app = try daemon.connect()
    let attached = try app.ask("Attach", ["app": "com.contoso.viewers", "rules": .string(stale)])
    let request = try asked(attached["instance"] ?? .null)
    var found = differences("notices before", try notices(), "")
    let isTrue = check.text("value") == "true"
    let result = isTrue ? "done" : "refused"
    try app.call("org.webviewguard.Accounts.Complete", ["request": .string(request), "result": .string(result)])
    let told = try notices()
    let text = "Close com.contoso.viewers and open it again: your organization changed its rules."
    found += differences("notices", told, isTrue ? "" : text)
    let acts = try daemon.records().filter { $0["request"]?.string == request }.compactMap { $0["act"]?.string }
    found += differences("records", acts.joined(separator: " "), "restartAsked restartAnswered")
    return found
      + differences("decision", told.isEmpty ? "client_restarts" : "restart_notice", check.decision)
  }

  /// The request that the app hears of: its first policy is in force by then, and needed no restart.
  private func asked(_ instance: JSONTree) throws -> String {
    let news = try daemon.connect()
    try news.ask("Attach", ["app": "com.contoso.viewers", "instance": instance])
    news.send("org.webviewguard.Guard.Subscribe", ["topics": ["restart"]], flags: ["more"])
    guard let told = try news.receive()?["parameters"], told["topic"]?.string == "restart",
      told["restart"]?.string == "staticRules", let request = told["request"]?.string
    else { throw DaemonFailure(text: "the app is not asked to start anew") }
    return request
  }

  private func notices() throws -> String {
    let reply = try daemon.connect().call("org.webviewguard.Accounts.Notices", ["languages": ["en"]])
    return (reply["notices"]?.array ?? []).compactMap { $0["text"]?.string }.joined(separator: "\n")
  }
}
