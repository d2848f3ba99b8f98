import Foundation
import GuardModel
import JSONText
import TestSupport

/// The checks of a scenario about looks at accounts: an app calls `Remediate`, and hears by news what came of it.
final class ScenarioCompliance {
  let scenario: String
  private let daemon: DaemonProcess
  private let app: VarlinkPeer
  private let news: VarlinkPeer
  private let polkit: ScenarioPolkit?

  static let events: Set = ["remediate", "policy_required", "compliance_status"]

  /// - Parameter scenario: it says what the machine is like.
  init(_ scenario: Scenario) throws {
    self.scenario = scenario.id
    polkit = try Self.dialogue[scenario.id].map(ScenarioPolkit.init)
    daemon = try DaemonProcess(Self.files(scenario.id), environment: polkit?.environment ?? [:])
    (app, news) = (try daemon.connect(), try daemon.connect())
    let attached = try app.ask("Attach", ["app": "com.contoso.viewers"])
    try app.ask("RegisterViewer", ["viewer": "v"])
    try news.ask("Attach", ["app": "com.contoso.viewers", "instance": attached["instance"] ?? .null])
    news.send("org.webviewguard.Guard.Subscribe", ["topics": ["compliance"]], flags: ["more"])
    guard scenario.id == "CA-STATUS-NETWORK-FAILURE" else { return }
    let administrator = try daemon.connectAsAdministrator()
    try administrator.call("org.webviewguard.Admin.Reload", ["checkedIn": true])
    try administrator.call("org.webviewguard.Admin.NoteFailedCheckIn", ["cause": "no route to host"])
  }

  // MARK: The machine

  /// How the dialogue goes in the scenarios in which somebody has to unlock the account.
  private static let dialogue = [
    "CA-STATUS-USER-CANCELLED": "dismissed", "CA-STATUS-INTERACTION-REQUIRED": "yes", "CA-QUEUE": "hang",
  ]

  /// A condition of the facts that the daemon finds out itself, or that nobody tells.
  private static let conditions = [
    "CA-NONCOMPLIANT": "{ check: osName, operator: equals, value: no-such-system }",
    "CA-STATUS-NOT-COMPLIANT": "{ check: osName, operator: equals, value: no-such-system }",
    "CA-STATUS-SERVICE-FAILURE": "{ check: NobodyTells, operator: equals, value: true }",
    "CA-STATUS-NETWORK-FAILURE": "{ check: policyAge, operator: atLeast, value: 1 }",
    "CA-STATUS-COMPLIANT": "{ check: osName, operator: notEquals, value: no-such-system }",
  ]

  private static func files(_ scenario: String) -> [String: String] {
    let condition = conditions[scenario].map { "conditionalLaunch: [\($0)]" } ?? ""
    let policy = """
      apps:
        com.contoso.viewers:
          peers: [{ uid: \(getuid()) }]
          identityMode: multi
          accounts: { source: [app] }
      accounts:
        - { upn: "\(ScenarioPolicy.managed)" }
        - { upn: "b@contoso.com" }
      protections:
        contoso:
          accounts: ["*@contoso.com"]
          printing: allow
          \(condition)
          \(dialogue[scenario] == nil ? "" : "unlock: polkit")
      """
    return ["webviewguard.yaml": "policyRequired: true\n", "policy.d/policy.yaml": policy]
  }

  // MARK: Checks

  /// CA-01, CA-15: the account may not work before it is looked at, and the reason says so.
  func policyRequired(_ check: ScenarioCheck) throws -> [String] {
    let answer = try app.ask("SetIdentity", ["level": "process", "account": .string(check.text("account") ?? "")])
    return differences("reason", answer["reason"]?.string, "policyRequired")
      + differences("decision", answer["reason"]?.string == "policyRequired" ? "remediate" : "none", check.decision)
  }

  /// CA-02, CA-07: the look registers the account; when it is compliant it works from then on.
  func remediate(_ check: ScenarioCheck) throws -> [String] {
    let account = check.text("account") ?? ""
    if scenario == "CA-QUEUE" { return try queue(account, check) }
    let told = try look(at: account, silent: check.text("silent") == "true")
    return differences("decision", told["status"]?.string, camelCase(check.decision))
      + (try use(of: account, told["status"]?.string == "compliant"))
  }

  /// CA-06, CA-08, CA-09: the word, its number, and what the app has to do.
  func status(_ check: ScenarioCheck) throws -> [String] {
    let account = check.text("account") ?? ""
    let word = camelCase(check.text("status") ?? "")
    let told = try look(at: account, silent: word == "interactionRequired")
    var found = differences("status", told["status"]?.string, word)
    let status = told["status"]?.string.flatMap(ComplianceStatus.init)
    found += differences("code", status.map { String($0.number) }, check.text("code") ?? "")
    found += differences("decision", Self.duties[word], check.decision)
    found += differences("title", told["title"]?.string.map { $0.isEmpty ? "empty" : "there" }, "there")
    found += differences("text", told["text"]?.string.map { $0.contains("{") ? "with holes" : "there" }, "there")
    if word == "interactionRequired" {
      // Called again, it ends with another word.
      found += differences("again", try look(at: account, silent: false)["status"]?.string, "compliant")
      return found + (try use(of: account, true))
    }
    // Nobody is locked out while a provider is silent for less than the grace.
    return found + (try use(of: account, word == "compliant" || word == "serviceFailure"))
  }

  /// The scenarios' words for what the app does, by status. They are the app's part: the daemon gives title and text.
  private static let duties = [
    "compliant": "account usable, add it if new", "notCompliant": "show title and text, stop",
    "serviceFailure": "show text, try later", "networkFailure": "show text, try when network is back",
    "interactionRequired": "call remediation again with silent = NO", "userCancelled": "show text, stop",
  ]

  func navigate(_ check: ScenarioCheck) throws -> [String] {
    _ = try app.reply(
      "org.webviewguard.Guard.SetIdentity",
      ["level": "process", "account": .string(check.account(default: ScenarioPolicy.managed))])
    let viewer = check.text("viewer") ?? "v"
    let decision = try app.decide(
      "Navigate", ["viewer": .string(viewer), "url": "https://www.example.net/", "frame": "main"])
    return differences("outcome", decision["outcome"]?.string, check.decision) + check.reasonDifferences(decision)
  }

  /// CA-04: the first account waits for its person; the second waits for the first, and a repeat is dropped.
  private func queue(_ account: String, _ check: ScenarioCheck) throws -> [String] {
    let work = ScenarioPolicy.managed
    let first = try running ?? begin(work, silent: false)
    running = first
    let request = try begin(account, silent: false)
    guard account != work else {
      var found = differences("decision", request == first ? "dropped" : "queued", check.decision)
      // Without a dialogue, and then with one, which hangs.
      try polkit?.waitForCalls(2)
      try polkit?.order("answer", "yes")
      let told = [try told(), try told()]
      found += differences("first", told[0]["request"]?.string, first ?? "")
      return found + differences("then", told[1]["account"]?.string, "b@contoso.com")
    }
    let listed = try call("List")["accounts"]?.array?.first { $0["account"]?.string == account }
    let isQueued = request != first && listed?["remediation"]?.string == request && listed?["compliance"] == nil
    return differences("decision", isQueued ? "queued" : "dropped", check.decision)
  }

  private var running: String?

  // MARK: Parts

  private func call(_ method: String, _ members: JSONTree = [:]) throws -> JSONTree {
    try app.call("org.webviewguard.Accounts." + method, members)
  }

  private func begin(_ account: String, silent: Bool) throws -> String? {
    try call("Remediate", ["account": .string(account), "silent": .bool(silent)])["request"]?.string
  }

  private func look(at account: String, silent: Bool) throws -> JSONTree {
    let request = try begin(account, silent: silent)
    let told = try told()
    guard told["request"]?.string == request, told["account"]?.string == account else {
      throw DaemonFailure(text: "news of another look: \(told.text())")
    }
    return told
  }

  private func told() throws -> JSONTree {
    while let reply = try news.receive() {
      if let told = reply["parameters"], told["topic"]?.string == "compliance" { return told }
    }
    throw DaemonFailure(text: "no news of `compliance`")
  }

  /// Whether the app may use the account now.
  private func use(of account: String, _ mayWork: Bool) throws -> [String] {
    _ = try app.reply(
      "org.webviewguard.Guard.SetIdentity", ["level": "process", "account": .string(account)])
    let outcome = try app.decide("Print", ["viewer": "v"])["outcome"]?.string
    return differences("printing", outcome, mayWork ? "allow" : "block")
  }
}

/// A system bus of the scenario's own, with a polkit whose dialogue goes as the scenario says.
private final class ScenarioPolkit {
  private let process = Process()
  private let orders = Pipe()
  private let said = Pipe()
  let environment: [String: String]

  init(_ dialogue: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [Repository.root + "/Tests/Support/python/polkit_bus.py"]
    (process.standardInput, process.standardOutput) = (orders, said)
    try process.run()
    environment = ["DBUS_SYSTEM_BUS_ADDRESS": try Self.line(of: said)]
    try order("say", "challenge", dialogue)
  }

  deinit {
    // The end of its orders ends the bus.
    try? orders.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private static func line(of pipe: Pipe) throws -> String {
    var line = Data()
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1), byte != Data([10]) { line += byte }
    guard !line.isEmpty else { throw DaemonFailure(text: "there is no bus with a polkit") }
    return String(decoding: line, as: UTF8.self)
  }

  func waitForCalls(_ count: Int) throws { for _ in 0..<count { _ = try Self.line(of: said) } }

  func order(_ words: String...) throws {
    let line = JSONTree.array(words.map { .string($0) }).text() + "\n"
    try orders.fileHandleForWriting.write(contentsOf: Data(line.utf8))
  }
}
