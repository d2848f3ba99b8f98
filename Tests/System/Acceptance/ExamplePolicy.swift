import Foundation
import JSONText

/// A small configuration for tests of the service itself: one app, one managed account, one rule set.
enum ExamplePolicy {
  static func files(settings: String = "", app: String = "identityMode: multi", rules: String = rules) -> [String:
    String]
  {
    [
      "webviewguard.yaml": "policyRequired: true\n" + settings, "policy.d/policy.yaml": policy(app),
      "rules/documents.yaml": rules,
    ]
  }

  static let rules = """
    ruleSet: documents
    default: external
    rules:
      - { id: the-document, internal: { same: document } }
      - { id: tenant, internal: { domain: contoso.com, scheme: https } }
      - { id: sharing, external: { domain: files.example }, then: block, message: "{host} is a personal file-sharing site" }
    """

  private static func policy(_ app: String) -> String {
    """
    apps:
      com.contoso.viewers:
        peers: [{ sameUser: true }]
        \(app)
        classes:
          documents: { policy: currentIdentity, externalURLs: documents }
          public: { policy: unmanaged }
    accounts:
      - { upn: work@contoso.com }
      - { upn: me@example.org }
    protections:
      contoso: { accounts: ["*@contoso.com"], webTransfer: managedBrowser, clipboard: { level: managed }, send: managed }
    browsers:
      managed: { desktopId: com.microsoft.Edge.desktop }
    """
  }
}

extension Viewers {
  /// An attached app with a managed account and a viewer `E` of class `documents`.
  static func signedIn(_ daemon: DaemonProcess) throws -> Viewers {
    let app = try Viewers(daemon)
    try app.signIn("work@contoso.com")
    try app.register("E", ["class": "documents", "document": "https://docs.contoso.com/d/42"])
    return app
  }
}
