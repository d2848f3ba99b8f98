import Foundation
import PolicyFiles

/// The configuration that a check is asked under: three apps of one user, one managed and one unmanaged account.
///
/// `com.contoso.viewers` is the app with the viewers of the scenarios, `com.contoso.other` another app that the
/// organisation manages, `org.example.editor` one that it does not.
struct ScenarioPolicy: Hashable {
  var flag = false
  var settings: [String: String] = [:]
  var ruleSet: String?
  var isBrowserConfigured = true
  var unmanagedBrowserScheme: String?
  var identityMode = "multi"
  var enrolled: String?
  /// No policy is there, and none is required.
  var isAbsent = false
  /// The viewers for signing in that are left unprotected.
  var unprotected: [String] = []

  static let managed = "work@contoso.com"
  static let second = "second@contoso.com"
  static let unmanaged = "me@example.org"

  /// Takes a check's policy, rules and circumstances.
  init(_ check: ScenarioCheck) throws {
    for (key, node) in check.entries("policy") {
      if key == "treat_all_web_views_as_unmanaged" {
        flag = node.scalar?.text == "true"
      } else {
        settings[key] = node.sequence.map(Self.locations) ?? camelCase(node.scalar?.text ?? "")
      }
    }
    switch check.text("event") {
    case "location_owner", "identity_switch_required": settings["receive"] = "managed"
    case "property": settings["screen_capture"] = "block"
    default: break
    }
    ruleSet = try Self.ruleSet(check)
    isBrowserConfigured = check.text("browser_present") != "false"
    if let target = check.text("target"), let scheme = target.split(separator: ":").first {
      unmanagedBrowserScheme = scheme.hasSuffix("s") ? String(scheme.dropLast()) : String(scheme)
      settings["web_transfer"] = "unmanagedBrowser"
      ruleSet = "default: external\nrules: []\n"
    }
    for (key, node) in check.entries("settings") {
      switch key {
      case "warn_absent": isAbsent = node.scalar?.text == "true"
      case "auth_viewers_unprotected": unprotected = (node.sequence ?? []).compactMap { $0.scalar?.text }
      default: throw DaemonFailure(text: "unknown setting `\(key)`")
      }
    }
    // Of a transfer it is the way that data goes.
    identityMode = check.text("mode") == "single" ? "single" : "multi"
    enrolled = check.text("enrolled")
  }

  /// The settings beside the policy that a check may state.
  static let knownDaemonSettings: Set = ["warn_absent", "auth_viewers_unprotected"]

  /// A list of locations in our words.
  private static func locations(_ nodes: [YAMLNode]) -> String {
    "[" + nodes.compactMap { $0.scalar.map { ScenarioTransfer.location($0.text) } }.joined(separator: ", ") + "]"
  }

  /// `rule_result` is a rule set that says nothing else; `rules` lists exact URLs.
  private static func ruleSet(_ check: ScenarioCheck) throws -> String? {
    if let result = check.text("rule_result") { return "default: \(result)\nrules: []\n" }
    guard check.has("rules") else { return nil }
    var text = ""
    for (key, node) in check.entries("rules") {
      switch key {
      case "default": text = "default: \(node.scalar?.text ?? "")\nrules:\n" + text
      case "internal":
        for (number, entry) in (node.sequence ?? []).enumerated() {
          guard let url = entry.mapping?["exact"]?.scalar?.text, entry.mapping?.entries.count == 1 else {
            throw DaemonFailure(text: "a rule of the scenario is not `exact`")
          }
          text += "  - { id: exact-\(number), internal: { url: \"\(url)\" } }\n"
        }
      default: throw DaemonFailure(text: "unknown key `\(key)` in rules")
      }
    }
    return text
  }

  /// The files of this configuration.
  var files: [String: String] {
    if isAbsent { return ["webviewguard.yaml": "policyRequired: false\n", "policy.d/policy.yaml": "apps: none yet\n"] }
    var files = ["webviewguard.yaml": "policyRequired: true\n", "policy.d/policy.yaml": policy]
    if let ruleSet { files["rules/scenario.yaml"] = "ruleSet: scenario\n" + ruleSet }
    return files
  }

  private var policy: String {
    let peers = "peers: [{ uid: \(getuid()) }]"
    return """
      apps:
        com.contoso.viewers:
          \(peers)
          identityMode: \(identityMode)
          treatAllWebViewsAsUnmanaged: \(flag)
          authViewersUnprotected: \(!unprotected.isEmpty)
          \(enrolled.map { "account: \"\($0)\"" } ?? "")
          classes:
            plain: {}
            \(ruleSet == nil ? "" : "ruled: { policy: currentIdentity, externalURLs: scenario }")
        com.contoso.other: { \(peers), account: "\(Self.managed)" }
        org.example.editor: { \(peers), account: "" }
      accounts:
        - { upn: "\(Self.managed)", objectId: "6d5c0000-0000-4000-8000-00000000abcd", protection: contoso }
        - { upn: "\(Self.second)", protection: contoso }
        - { upn: "\(Self.unmanaged)" }
        - { upn: "User@Contoso.com", protection: contoso }
      protections:
        contoso:
          webTransfer: \(settings["web_transfer"] ?? "any")
          \(stated.joined(separator: "\n    "))
          clipboard:
            level: \(settings["clipboard"] ?? "any")
            exceptionLength: \(settings["exception_length"] ?? "0")
      browsers: { \(browsers.joined(separator: ", ")) }
      """
  }

  /// The settings of the protection that the check states, or that are always stated.
  private var stated: [String] {
    let permissions = ["printing": "printing", "screen_capture": "screenCapture", "receive": "receive"]
    let single = permissions.compactMap { key, name in settings[key].map { "\(name): \($0)" } }.sorted()
    let places = [("save", "save_copies", "save_exceptions"), ("open", "open_into_org", "open_exceptions")]
    let blocks = places.compactMap { name, allowed, exceptions -> String? in
      guard let permission = settings[allowed] else { return nil }
      let list = settings[exceptions].map { ", exceptions: \($0)" } ?? ""
      return "\(name): { allowed: \(permission == "allow")\(list) }"
    }
    return ["send: \(settings["send"] ?? "any")"] + single + blocks
  }

  private var browsers: [String] {
    let managed = isBrowserConfigured ? "managed: { desktopId: com.microsoft.Edge.desktop }" : nil
    return [managed, unmanagedBrowserScheme.map { "unmanaged: { scheme: \($0) }" }].compactMap(\.self)
  }

  static let knownSettings: Set<String> = [
    "web_transfer", "send", "receive", "clipboard", "exception_length", "printing", "screen_capture", "save_copies",
    "save_exceptions", "open_into_org", "open_exceptions",
  ]
}
