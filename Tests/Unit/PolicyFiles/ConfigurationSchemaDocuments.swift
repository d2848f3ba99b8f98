/// Good and bad documents of each kind, for schema and loader alike.
enum SchemaDocuments {
  static func good(_ kind: ConfigurationSchemaTests.Kind) -> [String] {
    switch kind {
    case .webviewguard: goodSettings
    case .policy: goodPolicies + goodProtections + goodAppConfig + goodPolicyTests
    case .rules: goodRules + goodMatchers.map { "rules: [{ id: a, internal: { \($0) } }]" }
    }
  }

  static func bad(_ kind: ConfigurationSchemaTests.Kind) -> [String] {
    switch kind {
    case .webviewguard: badSettings
    case .policy: badPolicies + badProtections + badAppConfig + badPolicyTests
    case .rules: badRules + badMatchers.map { "rules: [{ id: a, internal: { \($0) } }]" }
    }
  }

  private static let goodSettings = [
    "{}", "policyRequired: false", "log: {}", "log: { directory: /var/log/x, durability: written, accounts: plain }",
    "log: { onLogFailure: continue, durability: synced }",
    "log: { rotateMegabytes: 1, keepDays: 3650, maximumMegabytes: 4, userPercent: 100 }",
    "log: { redaction: { credentials: keep, path: drop, query: keep, fragment: keep, filePath: keep } }",
    "limits: { messageBytes: 4096, pipelinedRequests: 1, connections: 65536, connectionsPerUser: 2 }",
    "limits: { partialMessageSeconds: 3600, viewersPerInstance: 1, windowsPerInstance: 1, instancesPerUser: 1 }",
    "limits: { switchSeconds: 3600 }", "limits: { attachSeconds: 1, memoryMegabytes: 16 }",
    "sockets: { apps: {} }", "sockets: { apps: { a: {}, b-1: { path: /run/b.sock, group: c }, d: { open: true } } }",
    "sockets: { apps: { a: { group: b, open: false } } }",
    "postureDirectory: /srv/posture.d", "graceSeconds: 0",
    "contract: { startMs: 1, answerMs: 60000, navigation: open, clipboard: closed, other: open }",
    "sockets: { guard: /run/a.sock, admin: /run/b.sock, adminGroup: wheel }",
  ]

  private static let badSettings = [
    "[]", "text", "policyRequired: 1", "policyRequired: \"true\"", "policyrequired: true", "log: []", "log: null",
    "log: { directory: logs }", "log: { directory: 1 }", "log: { durability: fast }", "log: { keepDays: 0 }",
    "log: { rotateMegabytes: 0 }", "log: { maximumMegabytes: 3 }", "log: { userPercent: 101 }",
    "log: { accounts: hidden }", "log: { redaction: { host: drop } }", "log: { redaction: { path: no } }",
    "log: { onLogFailure: allow }", "limits: { messageBytes: 4095 }", "limits: { messageBytes: 1.5 }",
    "limits: { connections: 0 }", "limits: { connections: \"1\" }", "limits: { viewers: 1 }", "graceSeconds: -1",
    "graceSeconds: 86401", "contract: { navigation: block }", "postureDirectory: posture.d", "postureDirectory: 1",
    "contract: { startMs: 0 }", "contract: { paste: open }",
    "limits: { attachSeconds: 0 }",
    "limits: { memoryMegabytes: 15 }", "sockets: { apps: [] }", "sockets: { apps: { \"a b\": {} } }",
    "sockets: { apps: { guard: {} } }", "sockets: { apps: { ../a: {} } }", "sockets: { apps: { .a: {} } }",
    "sockets: { apps: { a: { path: b } } }", "sockets: { apps: { a: { mode: \"0600\" } } }",
    "sockets: { apps: { a: { group: b, open: true } } }", "sockets: { guard: run }", "sockets: { adminGroup: \"\" }",
  ]

  private static let goodPolicies = [
    "protections: { p: { conditionalLaunch: [] } }",
    "protections: { p: { conditionalLaunch: [{ check: diskEncrypted, operator: equals, value: true, action: warn }] } }",
    "protections: { p: { conditionalLaunch: [{ check: osVersion, operator: atLeast, value: \"12.4\", grace: 14d }], "
      + "notCheckedAfter: 0s } }",
    "protections: { p: { conditionalLaunch: [{ check: a.b_c-1, operator: less, value: 5, action: wipe, message: m }] } }",
    "{}", "apps: {}", "apps: { x: {} }", "apps: { x: { account: null } }", "apps: { x: { account: \"\" } }",
    "apps: { x: { account: a@b, identityMode: single, untilIdentity: block, popups: block, record: counts } }",
    "apps: { x: { accounts: { source: [user, broker, app] } } }",
    "apps: { x: { accounts: { source: [app] }, allowedAccounts: [\"*@contoso.com\", a@b, c] } }",
    "escrow: { publicKey: wvg-escrow-public-1.07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c.9b1e58d0 }",
    "enrolment: {}", "enrolment: { retry: 24h, checkIn: 8h, forgetAfter: 90d, signInHolds: 7d }",
    "enrolment: { retry: 60s, checkIn: 1m, forgetAfter: 3600s, signInHolds: 1h }",
    "apps: { x: { unlocks: true } }", "accounts: [{ upn: a@b, user: ada }]", "accounts: [{ upn: a@b, user: ada@b }]",
    "apps: { x: { peers: [{ uid: 0 }, { user: kiosk }, { sameUser: true }] } }",
    "apps: { x: { peers: [{ group: staff, unit: a.service, label: b }] } }",
    "apps: { x: { peers: [{ socket: a }, { socket: a, uid: 1 }] } }",
    "apps: { x: { treatAllWebViewsAsUnmanaged: true, handledSchemes: [x-y, z+1] } }",
    "apps: { x: { dataDirectories: [] } }",
    "apps: { x: { dataDirectories: [\"~/x/{account}\", \"/srv/x/y-{objectId}.d/z\"] } }",
    "apps: { x: { classes: { a: { policy: unset, rulesApply: always, subFrames: true } } } }",
    "apps: { x: { classes: { a: { externalURLs: s } } } }", "accounts: []",
    "apps: { x: { classes: { a: { signIn: [login.microsoftonline.com, login.partner.microsoftonline.cn] } } } }",
    "apps: { x: { classes: { a: { signIn: [] } } } }",
    "accounts: [{ upn: a@b }, { objectId: c, protection: p, state: wiped }]", "protections: { p: {} }",
    "accounts: [{ objectId: c, state: wiped, since: 2026-11-20T08:00:00Z }]",
    "wipe: { mode: off }", "wipe: { mode: on, causes: [admin, marker], delay: 72h, answerTime: 10m, approvals: 2 }",
    "wipe: { mode: dryRun, causes: [offlineGrace], offlineAfter: 90d }",
    "protections: { p: { accounts: [a@b, \"*@b\", c, { group: staff }] } }",
    "protections: { p: { webTransfer: unmanagedBrowser, externalInPlace: unmanaged, send: managedFiltered, telecommunication: none } }",
    "protections: { p: { messaging: any, exemptSchemes: [a], managedSchemes: [] } }",
    "protections: { p: { clipboard: { level: blocked, exceptionLength: 0, exceptionPerMinute: 1 } } }",
    "protections: { p: { clipboard: { replacement: \"\" } } }", "apps: { x: { authViewersUnprotected: true } }",
    "protections: { p: { telecommunication: { desktopId: a }, messaging: { command: [a, \"{url}\"] } } }",
    "protections: { p: { send: managed, telecommunication: { template: \"a:{url}\", desktopId: b } } }",
    "texts: {}", "texts: { default: {}, de: { replacement: a, notification: b }, zh-Hant-TW: { reasons: {} } }",
    "texts: { de: { organization: die Contoso AG, contact: Ihren Helpdesk } }",
    "texts: { de: { name: Contoso, contactLink: \"tel:+431\", color: \"#0F6cbd\", darkColor: \"#000000\" } }",
    "texts: { de: { contactLink: \"mailto:a@b.example\" }, en: { contactLink: \"https://a.example/b\" } }",
    "texts: { de: { reasons: { printBlocked: \"no {app}\", unmanaged: a, external: \"{host} {x y} {\" } } }",
    "browsers: { managed: { desktopId: a, apps: [c], alternatives: [{ desktopId: b, apps: [d], app: c }] } }",
    "browsers: {}", "browsers: { managed: { desktopId: a, template: \"b:{url}\", app: c }, unmanaged: { scheme: s } }",
    "browsers: { managed: { command: [a, b, \"--x={url}\"] } }",
    "links: { exempt: [], managed: [{ match: { domain: a.example }, id: a, desktopId: b }] }",
    "links: { exempt: [{ match: { from: { port: 1, queryOver: 9 }, hop: false, queryOver: 9 }, command: [a, \"{url}\"] }] }",
    "links: { exempt: [{ match: { host: a, url: \"b:c\", regex: d, same: document, not: { port: 1 } } }] }",
    "links: { exempt: [{ match: { cidr: 10.0.0.0/8, filter: a, chromium: { block: [a], allow: [b] } } }] }",
    "links: { exempt: [{ match: { list: { file: lists/a.txt, format: hosts }, pattern: { \(components) } } }] }",
    "links: { exempt: [{ match: { pattern: { pattern: /a, baseURL: \"https://a.example\", ignoreCase: true } } }] }",
  ]

  private static let components =
    "protocol: https, username: \"\", password: \"\", hostname: a, port: \"1\", pathname: /a, search: b, hash: \"\""

  private static let badPolicies = [
    "protections: { p: { conditionalLaunch: {} } }", "protections: { p: { conditionalLaunch: [{}] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, value: 1 }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a b, operator: equals, value: 1 }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: is, value: 1 }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: [1] }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: null }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: 1, action: allow }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: 1, grace: 5 }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: 1, message: \"\" }] } }",
    "protections: { p: { conditionalLaunch: [{ check: a, operator: equals, value: 1, since: 1 }] } }",
    "protections: { p: { notCheckedAfter: 5 } }", "protections: { p: { notCheckedAfter: soon } }",
    "[]", "app: {}", "apps: []", "apps: { \"\": {} }", "apps: { \"a b\": {} }", "apps: { x: null }",
    "apps: { x: { accounts: {} } }", "apps: { x: { accounts: { source: [] } } }",
    "apps: { x: { accounts: { source: app } } }", "apps: { x: { accounts: { source: [portal] } } }",
    "apps: { x: { accounts: [app] } }", "apps: { x: { accounts: { source: [app], allowed: [] } } }",
    "apps: { x: { allowedAccounts: [] } }", "apps: { x: { allowedAccounts: a@b } }",
    "apps: { x: { allowedAccounts: [\"*@\"] } }", "apps: { x: { allowedAccounts: [\"a b\"] } }",
    "apps: { x: { allowedAccounts: [1] } }", "enrolment: []", "enrolment: { retry: 24 }",
    "escrow: {}", "escrow: []", "escrow: { publicKey: 1 }", "escrow: { publicKey: abc }", "escrow: { file: key.pub }",
    "escrow: { publicKey: wvg-escrow-PRIVATE-1.07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c.9b1e58d0 }",
    "enrolment: { retry: -1h }", "enrolment: { every: 1h }", "enrolment: { checkIn: daily }",
    "enrolment: { signInHolds: 7w }", "enrolment: { forgetAfter: \"\" }",
    "apps: { x: { account: 1 } }", "apps: { x: { account: \"*@b\" } }", "apps: { x: { identityMode: none } }",
    "apps: { x: { peers: {} } }", "apps: { x: { peers: [{}] } }", "apps: { x: { peers: [{ uid: -1 }] } }",
    "apps: { x: { peers: [{ uid: 1, user: kiosk }] } }", "apps: { x: { peers: [{ pid: 1 }] } }",
    "apps: { x: { peers: [{ sameUser: false }] } }",
    "apps: { x: { peers: [{ socket: \"a b\" }] } }", "apps: { x: { peers: [{ socket: \"\" }] } }",
    "apps: { x: { peers: [{ unit: \"\" }] } }", "apps: { x: { handledSchemes: [https] } }",
    "apps: { x: { dataDirectories: \"~/x/{account}\" } }", "apps: { x: { dataDirectories: [\"~/x\"] } }",
    "apps: { x: { dataDirectories: [\"/{account}\"] } }",
    "apps: { x: { dataDirectories: [\"/home/{account}\"] } }",
    "apps: { x: { dataDirectories: [\"~/{account}\"] } }",
    "apps: { x: { dataDirectories: [\"x/{account}\"] } }",
    "apps: { x: { dataDirectories: [\"~/x/../{account}\"] } }",
    "apps: { x: { dataDirectories: [\"~/x/{account}/\"] } }",
    "apps: { x: { dataDirectories: [\"~/x/{account}/{user}\"] } }",
    "apps: { x: { dataDirectories: [\"~//x/{account}\"] } }",
    "apps: { x: { dataDirectories: [\"~/x/{account}/..\"] } }",
    "apps: { x: { handledSchemes: [\"a:\"] } }", "apps: { x: { handledSchemes: a } }",
    "apps: { x: { treatAllWebViewsAsUnmanaged: yes } }", "apps: { x: { classes: { a: { policy: managed } } } }",
    "apps: { x: { classes: { a: { externalURLs: [s] } } } }", "apps: { x: { classes: { a: { rules: s } } } }",
    "accounts: {}", "accounts: [{}]", "accounts: [{ protection: p }]", "accounts: [{ upn: \"\" }]",
    "accounts: [{ upn: a@b, state: gone }]", "protections: { p: { accounts: [\"*.b\"] } }",
    "protections: { p: { accounts: [\"*@\"] } }", "protections: { p: { accounts: [{ user: a }] } }",
    "protections: { p: { webTransfer: edge } }", "protections: { p: { externalInPlace: nobody } }",
    "protections: { p: { clipboard: any } }",
    "protections: { p: { clipboard: { exceptionLength: -1 } } }",
    "protections: { p: { monitorOnly: {} } }", "apps: { x: { authViewersUnprotected: 1 } }",
    "protections: { p: { telecommunication: {} } }", "protections: { p: { messaging: { app: a } } }",
    "protections: { p: { messaging: other } }", "protections: { p: { telecommunication: { template: a } } }",
    "protections: { p: { telecommunication: { desktopId: a, command: [b, \"{url}\"] } } }",
    "texts: []", "texts: { de: a }", "texts: { d: {} }", "texts: { de_AT: {} }", "texts: { Default: {} }",
    "texts: { de: { title: a } }", "texts: { de: { contact: \"\" } }",
    "texts: { de: { contactLink: \"javascript:alert(1)\" } }", "texts: { de: { contactLink: \"http://a.example\" } }",
    "texts: { de: { contactLink: \"mailto:\" } }", "texts: { de: { contactLink: \"tel:1 2\" } }",
    "texts: { de: { color: red } }", "texts: { de: { color: \"#fff\" } }", "texts: { de: { darkColor: \"#00000g\" } }",
    "texts: { de: { color: \"#1234567\" } }",
    "texts: { de: { organization: [a] } }",
    "texts: { de: { replacement: \"\" } }", "texts: { de: { notification: 1 } }",
    "texts: { de: { reasons: { printed: a } } }", "texts: { de: { reasons: { internal: a } } }",
    "texts: { de: { reasons: { printBlocked: \"a\\nb\" } } }", "texts: { de: { reasons: [printBlocked] } }",
    "texts: { de: { replacement: \(String(repeating: "a", count: 501)) } }",
    "protections: { p: { exemptSchemes: [1] } }", "browsers: { other: {} }",
    "browsers: { managed: { desktopId: a, command: [b, \"{url}\"] } }", "browsers: { managed: { template: a } }",
    "browsers: { managed: { command: [\"{url}\"] } }", "browsers: { managed: { command: [a] } }",
    "browsers: { managed: { command: [] } }", "browsers: { managed: { scheme: a } }",
    "browsers: { unmanaged: { app: a } }", "links: []", "links: { exempt: [{ desktopId: a }] }",
    "links: { exempt: [{ match: {} }] }", "links: { managed: [{ match: { port: 1 }, id: \"\" }] }",
  ]

  private static let goodRules = [
    "rules: []", "{ ruleSet: s, default: internal, rules: [] }", "rules: [{ include: a/b.yaml }]",
    "rules: [{ id: a, external: { port: 1 }, then: block, for: page, message: m }]",
    "rules: [{ id: a, external: { port: 1 }, then: redirect, for: [frame, resource, download, upload, paste] }]",
    "rules: [{ id: a, internal: { port: 1 }, credentials: true, expires: 2027-01-31 }]",
    "rules: [{ id: a, internal: { port: 1 }, monitorOnly: { until: 2027-01-31 } }]",
    "rules: [{ id: a, internal: { port: 1 }, location: sharePoint, account: own }]",
    "rules: [{ id: a, external: { port: 1 }, location: dropbox, for: upload }]",
    "{ ruleSet: s, default: external, rules: [], tests: [{ url: \"\", expect: invalidURL, at: 2027-01-31 }] }",
    "{ ruleSet: s, default: external, rules: [], tests: [{ url: u, from: f, document: d, hop: true, for: frame, "
      + "expect: internal, rule: default }] }",
    "{ ruleSet: s, default: external, rules: [], tests: [{ chain: [{ url: u, expect: external, rule: default, "
      + "hop: true }], from: f, document: d, for: page }] }",
  ]

  private static let badRules = [
    "{}", "[]", "ruleSet: s", "{ ruleSet: s, rules: [] }", "{ default: internal, rules: [] }",
    "{ ruleSet: s, default: block, rules: [] }", "{ ruleSet: 1, default: internal, rules: [] }", "rules: {}",
    "rules: [a]", "rules: [{}]", "rules: [{ include: \"\" }]", "rules: [{ include: a.yaml, id: a }]",
    "rules: [{ id: a }]", "rules: [{ internal: { port: 1 } }]", "rules: [{ id: default, internal: { port: 1 } }]",
    "rules: [{ id: a, internal: { port: 1 }, external: { port: 1 } }]",
    "rules: [{ id: a, internal: { port: 1 }, then: block }]", "rules: [{ id: a, external: { port: 1 }, then: allow }]",
    "rules: [{ id: a, external: { port: 1 }, for: [] }]", "rules: [{ id: a, external: { port: 1 }, for: x }]",
    "rules: [{ id: a, external: { port: 1 }, message: 1 }]",
    "rules: [{ id: a, external: { port: 1 }, monitorOnly: {} }]",
    "rules: [{ id: a, external: { port: 1 }, expires: 1 }]",
    "rules: [{ id: a, internal: { port: 1 }, account: own }]",
    "rules: [{ id: a, internal: { port: 1 }, location: camera, account: own }]",
    "rules: [{ id: a, external: { port: 1 }, location: box, account: own }]",
    "rules: [{ id: a, external: { port: 1 }, credentials: true }]",
    "rules: [{ id: a, internal: { port: 1 }, credentials: 1 }]",
    "{ rules: [], tests: [] }", "{ ruleSet: s, default: internal, rules: [], tests: [{ url: u }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ expect: internal }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ url: u, expect: block }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ url: u, expect: internal, hop: 1 }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ chain: [] }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ chain: [{ url: u }] }] }",
    "{ ruleSet: s, default: internal, rules: [], tests: [{ chain: [{ url: u, expect: internal }], url: u }] }",
  ]

  private static let goodMatchers = [
    "domain: a.example", "domain: [a.example, b.example]", "host: a.example", "url: \"https://a.example/\"",
    "scheme: [http, https]", "port: [1, 65535]", "regex: a", "same: [document, documentPath, origin]", "hop: false",
    "from: { domain: a.example, not: { port: 1 } }", "from: [{ port: 1 }, { same: origin }]",
    "not: { hop: true, from: { port: 1 } }", "not: [{ port: 1 }, { port: 2 }]",
    "domain: a.example, scheme: https, port: 1", "queryOver: 1024", "queryOver: [1, 65535]",
    "from: { queryOver: 9 }", "same: site", "cidr: 10.0.0.0/8", "cidr: [10.0.0.0/8, \"::1\"]",
    "pattern: \"https://a.example/*\"", "pattern: [{ hostname: a.example }, { pathname: /a, ignoreCase: true }]",
    "pattern: { \(components) }", "pattern: { pattern: /a, baseURL: \"https://a.example\" }", "filter: a.example/b",
    "filter: [a.example, \"*\"]",
    "chromium: { block: [a.example] }", "chromium: { block: [\"*\"], allow: [a.example, b.example] }",
    "list: { file: lists/a.txt, format: domains }", "list: [{ file: lists/b.txt, format: urlFilters }]",
  ]

  private static let badMatchers = [
    "", "domain: []", "domain: 1", "domain: {}", "domain: \"\"", "host: null", "url: [1]", "scheme: \"https:\"",
    "port: 0", "port: \"443\"", "port: 65536",
    "queryOver: 0", "queryOver: -1", "queryOver: 65536", "queryOver: \"9\"", "queryOver: []", "queryOver: {}",
    "queryOver: 1.5", "regex: []", "same: page", "hop: 1", "from: {}",
    "from: { hop: true }", "from: { from: { port: 1 } }", "from: a.example", "not: {}", "not: []", "not: { x: 1 }",
    "pattern: {}", "pattern: { ignoreCase: true }", "pattern: { pattern: /a, search: b }", "pattern: { path: /a }",
    "pattern: 1", "filter: []", "filter: 1", "list: a", "list: { file: a }", "list: { file: a, format: hostnames }",
    "list: { format: hosts }", "cidr: 10", "chromium: [a]", "chromium: { allow: [a.example] }",
    "chromium: { block: [] }",
    "credentials: true", "expires: 2027-01-31", "monitorOnly: { until: 2027-01-31 }",
  ]
}
