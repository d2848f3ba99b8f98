import Foundation
import JSONText

/// A configuration for tests of all data paths: one app with a managed and a personal account, and others by their side.
enum DataPolicy {
  static func files(settings: String = "", protection: String = protection, account: String = "") -> [String: String] {
    [
      "webviewguard.yaml": "policyRequired: true\n" + settings,
      "policy.d/policy.yaml": policy(protection, account), "rules/documents.yaml": rules,
    ]
  }

  private static let rules = """
    ruleSet: documents
    default: external
    rules:
      - { id: tenant, internal: { domain: contoso.com, scheme: https }, for: [page, download, upload] }
      - { id: sharing, external: { domain: files.example }, for: [page, download, upload], then: block }
    """

  static let protection = """
    send: managed
    receive: managed
    save: { allowed: false, exceptions: [sharePoint] }
    printing: block
    notifications: blockOrgData
    clipboard: { level: managed }
    """

  private static func policy(_ protection: String, _ account: String) -> String {
    """
    apps:
      com.contoso.viewers:
        peers: [{ sameUser: true }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: documents }
          public: { policy: unmanaged }
      com.contoso.mail:
        peers: [{ uid: 4000000 }]
        identityMode: multi
    accounts:
      - { upn: work@contoso.com \(account) }
      - { upn: other@contoso.com }
      - { upn: me@example.org }
    protections:
      contoso:
        accounts: ["*@contoso.com"]
        webTransfer: managedBrowser
    \(protection.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
    browsers:
      managed: { desktopId: com.microsoft.Edge.desktop }
    """
  }
}

/// An app of `DataPolicy` with work in the viewer `E` and private data in the viewer `P`.
struct DataApp {
  let peer: VarlinkPeer
  let token: JSONTree

  static let setUp: [(method: String, parameters: JSONTree)] = [
    ("SetIdentity", ["level": "process", "account": "work@contoso.com"]),
    ("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"]),
    ("RegisterViewer", ["viewer": "E", "class": "documents", "window": "main"]),
    ("SetIdentity", ["level": "window", "window": "home", "account": "me@example.org"]),
    ("RegisterViewer", ["viewer": "P", "window": "home"]),
  ]

  init(_ daemon: DaemonProcess, features: [String] = ["redact", "switchIdentity", "wrap", "plainText"]) throws {
    peer = try daemon.connect()
    let attached = try peer.ask("Attach", ["features": .array(features.map(JSONTree.string))])
    token = attached["instance"] ?? .null
    for call in Self.setUp { try peer.ask(call.method, call.parameters) }
  }

  func decide(_ method: String, _ event: JSONTree) throws -> JSONTree { try peer.decide(method, event) }

  /// `block saveLocationNotListed`
  func answer(_ method: String, _ event: JSONTree) throws -> String {
    let decision = try decide(method, event)
    return "\(decision["outcome"]?.string ?? "") \(decision["reason"]?.string ?? "")"
  }
}
