import Foundation
import GuardModel
import JSONText
import PolicyFiles
import WebViewGuardClient

/// A scenario's question about app configuration: its sources become entries of `appConfig`, and the client for Swift reads
/// the answer of a daemon of its own.
struct ScenarioConfig {
  private let check: ScenarioCheck
  private let account: String

  static let events: Set = ["config_get", "config_conflict"]

  init(_ check: ScenarioCheck) {
    self.check = check
    account = check.text("account") ?? ScenarioPolicy.managed
  }

  /// What differs from the scenario.
  func run() throws -> [String] {
    let key = check.text("key") ?? ""
    guard check.decision != "each" else { return try eachValue(of: key) }
    let values = try values(of: key, check.sources)
    switch check.text("event") {
    case "config_conflict":
      let found = differences("conflict", String(values.hasConflict), check.decision)
      // The scenario also asks for all values: those that count are what it lists, but for a default.
      let stated = check.sources.filter { !$0.isDefault }.compactMap { $0.values[key] }
      return found + differences("all values", "\(values.allNumbers.map { String(Int($0)) })", "\(stated)")
    default: return differences("value", Self.read(values, check.text("query") ?? "any"), check.decision)
    }
  }

  /// One configuration for each value: booleans, a number, strings.
  private func eachValue(of key: String) throws -> [String] {
    try ["true", "false", "7", "-1.5", "blue", "\"\""].flatMap { value in
      let source = ScenarioSource(name: "p", isDefault: false, values: [key: value])
      let values = try values(of: key, [source])
      return differences("value", Self.read(values, "any"), value == "\"\"" ? "" : value)
    }
  }

  /// The value of whatever type there is.
  private static func read(_ values: AppConfigValues, _ query: String) -> String? {
    let choice = AppConfigValues.OrderedChoice(rawValue: query) ?? .any
    if let number = values.number(choice) { return Int(exactly: number).map(String.init) ?? String(number) }
    return values.string(choice) ?? values.bool(.any).map(String.init)
  }

  private func values(of key: String, _ sources: [ScenarioSource]) throws -> AppConfigValues {
    let daemon = try DaemonProcess(["policy.d/policy.yaml": policy(sources)])
    let app = try Viewers(daemon)
    guard try configuration(app).configuration.keys.isEmpty else {
      throw DaemonFailure(text: "values before enrolment")
    }
    try app.peer.call("org.webviewguard.Accounts.Register", ["account": .string(account)])
    let found = try configuration(app)
    guard found.state == .enrolled else { throw DaemonFailure(text: "the account is \(found.state), and not enrolled") }
    let log = try String(contentsOf: daemon.logFile, encoding: .utf8)
    // No personal data: neither the name of the account nor a value.
    let isPrivate =
      !log.contains(account) && sources.allSatisfy { $0.values.values.allSatisfy { !log.contains("\"\($0)\"") } }
    guard isPrivate, log.contains("registered") else { throw DaemonFailure(text: "the log says too much, or nothing") }
    return found.configuration[key]
  }

  /// The answer, as the client for Swift reads it.
  private func configuration(_ app: Viewers) throws -> AccountConfiguration {
    let reply = try app.peer.call("org.webviewguard.Accounts.Config", ["accounts": [.string(account)]])
    guard let account = ValueReader.read(Array(reply.text().utf8)[...])?["accounts"]?.array?.first else {
      throw DaemonFailure(text: "no account in the reply")
    }
    return AccountConfiguration(reading: account)
  }

  private func policy(_ sources: [ScenarioSource]) -> String {
    let entries = sources.map { source in
      let target = source.isDefault ? "default: true" : "accounts: [\"\(account)\"]"
      let values = source.values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      return "  - { name: \(source.name), app: com.contoso.viewers, \(target), values: { \(values) } }"
    }
    return """
      apps:
        com.contoso.viewers:
          peers: [{ uid: \(getuid()) }]
          identityMode: multi
          accounts: { source: [app] }
      protections: { contoso: { accounts: ["*@contoso.com"] } }
      appConfig:
      \(entries.joined(separator: "\n"))
      """
  }
}

/// An entry of `sources` of a scenario.
struct ScenarioSource {
  let name: String
  let isDefault: Bool
  /// As YAML writes them.
  let values: [String: String]
}

extension ScenarioCheck {
  var sources: [ScenarioSource] {
    nodes("sources").compactMap(\.mapping).map { source in
      let others = source.entries.filter { $0.key != "name" && $0.key != "default" }
      return ScenarioSource(
        name: source["name"]?.scalar?.text ?? "", isDefault: source["default"]?.scalar?.text == "true",
        values: Dictionary(uniqueKeysWithValues: others.map { ($0.key, $0.value.scalar?.text ?? "") }))
    }
  }
}
