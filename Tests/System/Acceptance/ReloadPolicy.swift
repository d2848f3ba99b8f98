import Foundation
import JSONText

/// Two versions of the example policy, and what tells them apart: the second lets `news.example` in and blocks
/// `wiki.contoso.com`.
enum ReloadPolicy {
  static let second = """
    ruleSet: documents
    default: external
    rules:
      - { id: the-document, internal: { same: document } }
      - { id: wiki, external: { host: wiki.contoso.com }, then: block }
      - { id: tenant, internal: { domain: contoso.com, scheme: https } }
      - { id: news, internal: { host: news.example } }
    """

  /// A third that only renames a rule.
  static let third = second.replacing("id: news", with: "id: newspapers")

  static let broken = "ruleSet: documents\ndefault: sometimes\n"

  static func rules(_ number: Int) -> String { [ExamplePolicy.rules, second, third][number - 1] }
}

extension DaemonProcess {
  /// Replaces the rules, as an editor does.
  func writeRules(_ text: String) throws { try write(text, to: "rules/documents.yaml") }

  func status() throws -> JSONTree { try connectAsAdministrator().call("org.webviewguard.Admin.Status") }

  func reload(_ parameters: JSONTree = [:]) throws -> JSONTree {
    try connectAsAdministrator().reply("org.webviewguard.Admin.Reload", parameters)
  }

  func rollBack(_ parameters: JSONTree = [:]) throws -> JSONTree {
    try connectAsAdministrator().reply("org.webviewguard.Admin.Rollback", parameters)
  }

  /// The directories of the policies that are kept, the newest first.
  var keptPolicies: [URL] {
    let folder = stateDirectory.appendingPathComponent("policy")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.first?.isNumber ?? false }.sorted(by: >).map { folder.appendingPathComponent($0) }
  }

  /// Waits until the policy that came into force at the start is kept.
  func waitUntilKept(_ count: Int = 1) throws {
    let deadline = Date(timeIntervalSinceNow: 240)
    while keptPolicies.count < count, Date() < deadline { usleep(5_000) }
    guard keptPolicies.count >= count else { throw DaemonFailure(text: "nothing is kept: " + stop()) }
  }
}

extension Viewers {
  func navigation(to url: String) throws -> JSONTree {
    try peer.decide("Navigate", ["viewer": "E", "url": .string(url), "frame": "main"])
  }

  /// Which version of the policy decides: 0 when none does.
  func version() throws -> Int {
    let (news, wiki) = (try navigation(to: "https://news.example/"), try navigation(to: "https://wiki.contoso.com/"))
    if wiki["outcome"] == "block", wiki["reason"] == "blockedByRule" { return news["rule"] == "news" ? 2 : 3 }
    return wiki["outcome"] == "allow" ? 1 : 0
  }
}
