import PolicyFiles

/// Two configurations that take turns.
enum CallsPolicy {
  private static let settings = """
    graceSeconds: 2
    limits:
      messageBytes: 4096
      pipelinedRequests: 4
      connections: 8
      connectionsPerUser: 6
      partialMessageSeconds: 2
      viewersPerInstance: 5
      windowsPerInstance: 3
      instancesPerUser: 4
      switchSeconds: 5
    """

  private static let rules = """
    ruleSet: documents
    default: external
    rules:
      - { id: tenant, internal: { domain: contoso.com } }
      - { id: sharing, external: { domain: files.example }, then: block }
    """

  private static func policy(_ printing: String) -> String {
    """
    apps:
      portal:
        peers: [{ uid: 1 }, { uid: 2 }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: documents }
          public: { policy: unmanaged }
      mail:
        peers: [{ uid: 2 }]
        identityMode: multi
    accounts:
      - { upn: work@contoso.com }
      - { upn: me@example.org }
    protections:
      contoso:
        accounts: ["*@contoso.com"]
        webTransfer: managedBrowser
        send: managed
        receive: managed
        printing: \(printing)
        clipboard: { level: managed }
    browsers:
      managed: { desktopId: b.desktop }
    """
  }

  static let loaded = ["block", "allow"].map { printing in
    load([
      "webviewguard.yaml": settings, "rules/documents.yaml": rules, "policy.d/policy.yaml": policy(printing),
    ])
  }
}
