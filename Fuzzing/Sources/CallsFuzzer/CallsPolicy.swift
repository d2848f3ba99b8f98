import PolicyFiles

/// Two configurations that take turns.
enum CallsPolicy {
  private static let settings = """
    graceSeconds: 2
    limits:
      messageBytes: 4096
      pipelinedRequests: 4
      connections: 40
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

  private static let pages = """
    ruleSet: pages
    default: external
    rules:
      - { id: tenant, internal: { domain: contoso.com } }
      - { id: sharing, external: { domain: files.example }, then: block }
      - { id: own, internal: { same: origin }, for: [page, frame, resource] }
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
        peers: [{ uid: 1 }, { uid: 2 }, { uid: 3 }]
        identityMode: multi
        managedAccounts: several
        accounts: { source: [app, broker] }
      wallet:
        peers: [{ uid: 7 }, { uid: 8 }]
        identityMode: multi
        managedAccounts: several
        accounts: { source: [app] }
      ledger:
        peers: [{ uid: 7 }, { uid: 8 }]
        identityMode: multi
        managedAccounts: several
        accounts: { source: [app] }
      desk:
        peers: [{ uid: 4 }, { uid: 5 }]
        identityMode: multi
      notes:
        peers: [{ uid: 4 }, { uid: 5 }]
        identityMode: multi
      reader:
        peers: [{ uid: 6 }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: pages }
    accounts:
      - { upn: work@contoso.com }
      - { upn: left@contoso.com }
      - { upn: me@example.org }
      - { upn: reader@open.example }
    protections:
      contoso:
        accounts: ["*@contoso.com"]
        webTransfer: managedBrowser
        send: managed
        receive: managed
        printing: \(printing)
        clipboard: { level: managed }
      open:
        accounts: ["*@open.example"]
        webTransfer: any
    wipe: { mode: on, causes: [admin, deregister], answerTime: 1d }
    appConfig:
      - { name: common, app: mail, default: true, values: { size: 1 } }
      - { name: own, app: mail, accounts: ["*@contoso.com"], values: { size: 2, colour: blue } }
    browsers:
      managed: { desktopId: b.desktop }
    """
  }

  static let loaded = ["block", "allow"].map { printing in
    load([
      "webviewguard.yaml": settings, "rules/documents.yaml": rules, "rules/pages.yaml": pages,
      "policy.d/policy.yaml": policy(printing),
    ])
  }
}
