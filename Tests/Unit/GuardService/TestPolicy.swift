/// A configuration for the tests of the service: users 1000 to 1003 have an app with a managed account, 4000 another.
enum TestPolicy {
  /// - Parameters:
  ///   - settings: lines of `webviewguard.yaml`.
  ///   - app: a further line of the app.
  ///   - account: further members of the managed account, after a comma.
  ///   - protection: settings of the managed account's data, one a line.
  static func files(
    settings: String = "", app: String = "identityMode: multi", account: String = "",
    protection: String = protection, rules: String = rules
  ) -> [String: String] {
    [
      "webviewguard.yaml": "policyRequired: true\n" + settings,
      "policy.d/policy.yaml": policy(app, account, protection), "rules/documents.yaml": rules,
    ]
  }

  static let rules = """
    ruleSet: documents
    default: external
    rules:
      - { id: tenant, internal: { domain: contoso.com, scheme: https }, for: [page, frame, resource, download, upload] }
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

  private static func policy(_ app: String, _ account: String, _ protection: String) -> String {
    """
    apps:
      com.contoso.viewers:
        peers: [{ uid: 1000 }, { uid: 1001 }, { uid: 1002 }, { uid: 1003 }]
        \(app)
        classes:
          documents: { policy: currentIdentity, externalURLs: documents, subFrames: true }
          public: { policy: unmanaged }
      com.contoso.mail:
        peers: [{ uid: 4000 }]
        identityMode: multi
      com.contoso.chat:
        peers: [{ uid: 5000 }]
        identityMode: multi
      com.contoso.call:
        peers: [{ uid: 5000 }, { socket: call }]
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
