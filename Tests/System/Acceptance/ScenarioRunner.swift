import Foundation
import GuardModel
import JSONText
import PolicyFiles
import WebViewGuardClient

/// Carries out the checks of a scenario through the real socket and says what came of each.
final class ScenarioRunner {
  private var daemons: [ScenarioPolicy: DaemonProcess] = [:]
  /// Accounts outlive their app, so each scenario of them has a daemon of its own.
  private var accountApp: (scenario: String, daemon: DaemonProcess, app: VarlinkPeer)?
  private var wipe: ScenarioWipe?
  private var compliance: ScenarioCompliance?
  private var current: (scenario: String, app: Viewers)?
  private(set) var ran = 0

  /// What differs from the scenario; empty when it holds.
  func run(_ scenario: Scenario) throws -> [String] {
    try scenario.checks.enumerated().flatMap { number, check in
      let found = try run(check, in: scenario)
      let unknown = check.unknownKeys.map { "unknown key `\($0)`" }
      ran += 1
      return (found + unknown).map { "\(scenario.id) check \(number + 1): \($0)" }
    }
  }

  /// Whether each check of a scenario is an event that is carried out here, with settings that are known.
  func canRun(_ scenario: Scenario) -> Bool {
    scenario.checks.allSatisfy { check in
      let event = check.text("event") ?? ""
      let settings = check.entries("settings").map(\.key)
      return
        (Self.events.contains(event) || ScenarioWipe.events.contains(event) || ScenarioConfig.events.contains(event)
        || ScenarioCompliance.events.contains(event) || ScenarioRestart.events.contains(event)
        || ScenarioTransfer.methods[event] != nil)
        && settings.allSatisfy(ScenarioPolicy.knownDaemonSettings.contains)
    }
  }

  private static let events: Set = [
    "resolve", "navigate", "paste", "set_rules", "effective_identity", "same_account", "scope", "location_owner",
    "share_targets", "restart_client", "is_managed", "property", "switch_identity", "identity_switch_required",
    "register", "sign_in", "parse_account",
  ]

  private func run(_ check: ScenarioCheck, in scenario: Scenario) throws -> [String] {
    if ScenarioConfig.events.contains(check.text("event") ?? "") { return try ScenarioConfig(check).run() }
    if ScenarioRestart.events.contains(check.text("event") ?? "") { return try ScenarioRestart(check).run() }
    if let found = try runOfAccounts(check, in: scenario) { return found }
    let policy = try ScenarioPolicy(check)
    let unknown = policy.settings.keys.filter { !ScenarioPolicy.knownSettings.contains($0) }
    guard unknown.isEmpty else { return ["unknown settings \(unknown)"] }
    let daemon = try daemon(policy)
    switch check.text("event") {
    case "resolve": return try resolve(check, daemon)
    case "navigate": return try navigate(check, policy, daemon, identityIsSet: scenario.group != "effective identity")
    case "paste": return try ScenarioPaste(check, daemon).run()
    case "set_rules": return try setRules(check, daemon)
    case "effective_identity": return try effectiveIdentity(check, daemon)
    case "same_account": return try sameAccount(check, daemon)
    case "scope": return try scope(check, daemon)
    case "location_owner": return try ScenarioQuestions(check, daemon).locationOwner()
    case "share_targets": return try ScenarioQuestions(check, daemon).shareTargets()
    case "restart_client": return try restartClient(check, scenario, daemon)
    case let event?:
      if ScenarioTransfer.methods[event] != nil { return try ScenarioTransfer(check, daemon).run() }
      return try identity(event, ScenarioIdentity(check, instance(of: scenario, daemon), daemon))
    case nil: return ["a check without an event"]
    }
  }

  /// A check of accounts' life; nil for any other. In the group of signing in and out, `register` shows an account.
  private func runOfAccounts(_ check: ScenarioCheck, in scenario: Scenario) throws -> [String]? {
    let event = check.text("event") ?? ""
    let endsAccess = scenario.checks.contains { $0.text("event") == "deregister" }
    if scenario.checks.contains(where: { $0.text("wipe") == "true" || $0.text("event") == "wipe_reply" }) {
      return try runOfWipe(event, check, scenario)
    }
    if scenario.checks.contains(where: { ScenarioCompliance.events.contains($0.text("event") ?? "") }) {
      return try runOfCompliance(event, check, scenario)
    }
    switch event {
    case "register" where scenario.group != "sign-in and sign-out": return try accounts(check, scenario).register()
    case "deregister": return try accounts(check, scenario).deregister()
    case "is_managed" where endsAccess: return try accounts(check, scenario).isManaged()
    case "sign_in": return try accounts(check, scenario).signIn()
    case "parse_account": return try accounts(check, scenario).parseAccount()
    default: return nil
    }
  }

  private func runOfWipe(_ event: String, _ check: ScenarioCheck, _ scenario: Scenario) throws -> [String] {
    let wipe = try wipe.flatMap { $0.scenario == scenario.id ? $0 : nil } ?? ScenarioWipe(scenario: scenario.id)
    self.wipe = wipe
    switch event {
    case "deregister": return try wipe.deregister(check)
    case "wipe_reply": return try wipe.reply(check)
    case "is_managed": return try ScenarioAccounts(check, wipe.app).isManaged()
    default: return ["unknown event `\(event)`"]
    }
  }

  private func runOfCompliance(_ event: String, _ check: ScenarioCheck, _ scenario: Scenario) throws -> [String] {
    let known = compliance.flatMap { $0.scenario == scenario.id ? $0 : nil }
    let compliance = try known ?? ScenarioCompliance(scenario)
    self.compliance = compliance
    switch event {
    case "remediate": return try compliance.remediate(check)
    case "policy_required": return try compliance.policyRequired(check)
    case "compliance_status": return try compliance.status(check)
    case "navigate": return try compliance.navigate(check)
    default: return ["unknown event `\(event)`"]
    }
  }

  private func accounts(_ check: ScenarioCheck, _ scenario: Scenario) throws -> ScenarioAccounts {
    let files = ScenarioAccounts.files(allowed: check.texts("allowed"))
    if let accountApp, accountApp.scenario == scenario.id { return ScenarioAccounts(check, accountApp.app) }
    let daemon = try DaemonProcess(files)
    let app = try ScenarioAccounts.attached(daemon)
    accountApp = (scenario.id, daemon, app)
    return ScenarioAccounts(check, app)
  }

  private func identity(_ event: String, _ check: ScenarioIdentity) throws -> [String] {
    switch event {
    case "is_managed": try check.isManaged()
    case "register": try check.register()
    case "property": try check.followsShownAccount()
    case "switch_identity": try check.switchIdentity()
    case "identity_switch_required": try check.switchIsRequired()
    default: ["unknown event `\(event)`"]
    }
  }

  /// The app ends and comes back without its token: it begins as nobody's, and what it shows next decides.
  private func restartClient(_ check: ScenarioCheck, _ scenario: Scenario, _ daemon: DaemonProcess) throws -> [String] {
    let before = try instance(of: scenario, daemon)
    try before.register("v")
    let token = before.token
    current = nil
    let again = try Viewers(daemon)
    current = (scenario.id, again)
    let reply = try again.peer.reply("org.webviewguard.Guard.SetDocument", ["viewer": "v", "document": .null])
    return differences("viewer of before", reply["error"]?.string, "org.webviewguard.Guard.UnknownViewer")
      + differences("decision", token == again.token ? "the same instance" : "ok", check.decision)
  }

  /// The instance of the app that the identity checks of a scenario share: each builds on the one before.
  private func instance(of scenario: Scenario, _ daemon: DaemonProcess) throws -> Viewers {
    if let current, current.scenario == scenario.id { return current.app }
    let app = try Viewers(daemon)
    current = (scenario.id, app)
    return app
  }

  private func daemon(_ policy: ScenarioPolicy) throws -> DaemonProcess {
    if let running = daemons[policy] { return running }
    let daemon = try DaemonProcess(policy.files)
    daemons[policy] = daemon
    if policy.isAbsent { return daemon }
    let status = try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Status")
    if let error = status["lastError"]?.string { throw DaemonFailure(text: error) }
    return daemon
  }

  private func resolve(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws -> [String] {
    let app = try Viewers(daemon)
    let viewer = check.text("viewer") ?? ""
    let parents = Dictionary(
      uniqueKeysWithValues: check.entries("attach").map { ($0.key, $0.value.scalar?.text ?? "") })
    for parent in Set(parents.values) { try app.register(parent, ["kind": "container"]) }
    for (tagged, tag) in check.entries("tags") {
      if !parents.values.contains(tagged) { try app.register(tagged) }
      try app.tag(tagged, camelCase(tag.scalar?.text ?? ""))
    }
    let parent = parents[viewer].map { ["parent": JSONTree.string($0)] } ?? [:]
    let resolved = try app.register(viewer, parent)
    return differences("policy", resolved["policy"]?.string, camelCase(check.decision))
  }

  private func navigate(
    _ check: ScenarioCheck, _ policy: ScenarioPolicy, _ daemon: DaemonProcess, identityIsSet: Bool
  ) throws -> [String] {
    let viewer = check.text("viewer") ?? "v"
    if policy.isAbsent {
      let members: JSONTree = ["viewer": .string(viewer), "url": "https://www.example.net/", "frame": "main"]
      let decision = try daemon.connect().decide("Navigate", members)
      return differences("outcome", decision["outcome"]?.string, check.decision) + check.reasonDifferences(decision)
    }
    let app = try Viewers(daemon)
    if identityIsSet || check.has("active_account") { try app.signIn(check.account(default: ScenarioPolicy.managed)) }
    let kind: [String: JSONTree] = policy.unprotected.contains(viewer) ? ["kind": "auth"] : [:]
    let viewerClass: JSONTree = .string(policy.ruleSet == nil ? "plain" : "ruled")
    try app.register(viewer, kind.merging(["class": viewerClass]) { $1 })
    if policy.ruleSet == nil, kind.isEmpty { try app.tag(viewer, "currentIdentity") }
    let url = check.text("url") ?? "https://www.example.net/page"
    let decision = try app.peer.decide("Navigate", ["viewer": .string(viewer), "url": .string(url), "frame": "main"])
    var found = differences("outcome", decision["outcome"]?.string, check.decision)
    found += check.reasonDifferences(decision)
    if let target = check.text("target") { found += differences("target", decision["open"]?["url"]?.string, target) }
    return found
  }

  private func setRules(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws -> [String] {
    let app = try Viewers(daemon)
    let viewer = check.text("viewer") ?? ""
    try app.register(viewer, ["kind": "container"])
    let reply = try app.peer.reply(
      "org.webviewguard.Guard.SetExternalURLRules", ["viewer": .string(viewer), "ruleSet": "scenario"])
    let reason = check.reason ?? ""
    return differences("decision", reply["error"] == nil ? "ok" : "error", check.decision)
      + differences(
        "error", reply["error"]?.string, "org.webviewguard.Guard." + reason.prefix(1).uppercased() + reason.dropFirst())
  }

  private func effectiveIdentity(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws -> [String] {
    let app = try Viewers(daemon)
    for (key, level) in [("process", "process"), ("ui", "window"), ("thread", "scope")] {
      if let account = check.text(key) { try app.setIdentity(level, account) }
    }
    try app.register("v", ["window": "main"])
    let kind = check.text("kind")
    // Setting a level to what it is tells what is in effect; in single mode there is only the process.
    let isSingle = check.text("mode") == "single"
    let reply =
      isSingle
      ? try app.setIdentity("process", check.text("enrolled")) : try app.setIdentity("window", check.text("ui"))
    return differences(
      "identity", reply[kind == "file" ? "effectiveFile" : "effectiveUI"]?.string ?? "", check.decision)
  }

  private func sameAccount(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws -> [String] {
    let app = try Viewers(daemon)
    let one = try app.setIdentity("process", check.text("a"))
    let other = try app.setIdentity("process", check.text("b"))
    let areSame = one["effectiveUI"]?.string == other["effectiveUI"]?.string && one["effectiveUI"] != nil
    return differences("same account", String(areSame), check.decision)
  }

  private struct WorkFailed: Error {}

  /// Through the client for Swift, which puts back what was shown when the work in a scope throws. What counts is whose an
  /// event is that is asked about afterwards.
  private func scope(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws -> [String] {
    let client = GuardClient(.init(app: "com.contoso.viewers", socketPath: daemon.guardSocket))
    guard client.startBlocking() else { return ["the client did not start"] }
    defer { client.close() }
    _ = try client.registerViewerBlocking("v", class: "plain")
    let shown = { client.decideBlocking(.print, GuardEvent(viewer: "v")).identity }
    let (outer, inner) = (check.text("outer"), check.text("inner"))
    return try client.setAccountBlocking(outer) {
      var within: String?
      do {
        try client.setAccountBlocking(inner) {
          within = shown()
          if check.text("throws") == "true" { throw WorkFailed() }
        }
      } catch is WorkFailed {}
      let isRestored = shown() == outer
      return differences("identity within", within, inner ?? "")
        + differences("decision", isRestored ? "restored" : "lost", check.decision)
    }
  }
}

/// One line for a value that is not the expected one.
func differences(_ what: String, _ found: String?, _ expected: String) -> [String] {
  found == expected ? [] : ["\(what) is `\(found ?? "nothing")`, expected `\(expected)`"]
}

/// The app with the viewers, attached on a connection of its own.
final class Viewers {
  let peer: VarlinkPeer
  /// The token of the instance.
  let token: String?

  init(_ daemon: DaemonProcess, app: String = "com.contoso.viewers") throws {
    peer = try daemon.connect()
    token = try peer.ask("Attach", ["app": .string(app), "features": ["wrap", "plainText"]])["instance"]?.string
  }

  @discardableResult
  func register(_ viewer: String, _ more: [String: JSONTree] = [:]) throws -> JSONTree {
    let members = [JSONTree.Member("viewer", .string(viewer))] + more.map { JSONTree.Member($0.key, $0.value) }
    return try peer.ask("RegisterViewer", .object(members))
  }

  func tag(_ viewer: String, _ policy: String) throws {
    try peer.ask("SetWebViewPolicy", ["viewer": .string(viewer), "policy": .string(policy)])
  }

  /// Shows an account in the window `main`, where every viewer without a window of its own inherits it from the process.
  func signIn(_ account: String) throws { try setIdentity("process", account) }

  @discardableResult
  func setIdentity(_ level: String, _ account: String?) throws -> JSONTree {
    var members = [JSONTree.Member("level", .string(level))]
    if level == "window" { members.append(JSONTree.Member("window", "main")) }
    if let account { members.append(JSONTree.Member("account", .string(account))) }
    return try peer.ask("SetIdentity", .object(members))
  }
}
