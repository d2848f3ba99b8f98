import PolicyFiles
internal import PolicyTools
import TestSupport

/// Configurations that state every key of every schema, and what a test does with them.
struct ComparisonWorld: Sendable {
  /// The files by their names, without lists.
  var files: [String: TextTree]

  /// Keys that exclude each other stand in different ones.
  static let whole = [
    ComparisonWorld(files: [
      "webviewguard.yaml": .read(settings), "policy.d/a.yaml": .read(policy), "rules/s.yaml": .read(rules),
      "rules/t.yaml": .read(otherRules), "rules/common/f.yaml": .read(fragment),
      "rules/common/g.yaml": .read(otherFragment),
    ]),
    ComparisonWorld(files: [
      "webviewguard.yaml": .read("sockets: { apps: { a: { group: kiosks } } }"),
      "policy.d/a.yaml": .read(otherPolicy), "rules/s.yaml": .read(rules), "rules/common/f.yaml": .read(fragment),
      "rules/common/g.yaml": .read(otherFragment),
    ]),
  ]

  private static let lists = [
    "rules/lists/a.txt": "one.example\ntwo.example\n", "rules/lists/b.txt": "three.example\n",
    "rules/lists/c.txt": "four.example\n", "rules/lists/d.txt": "five.example\n", "rules/lists/f.txt": "six.example\n",
  ]

  static let settings = """
    policyRequired: false
    graceSeconds: 61
    postureDirectory: /run/w/posture.d
    log:
      directory: /var/log/x
      durability: synced
      accounts: plain
      onLogFailure: continue
      rotateMegabytes: 10
      keepDays: 20
      maximumMegabytes: 100
      userPercent: 30
      redaction: { credentials: keep, path: drop, query: keep, fragment: keep, filePath: keep }
    limits:
      messageBytes: 4096
      pipelinedRequests: 2
      connections: 500
      connectionsPerUser: 3
      partialMessageSeconds: 4
      viewersPerInstance: 5
      windowsPerInstance: 6
      instancesPerUser: 7
      switchSeconds: 8
      attachSeconds: 9
      memoryMegabytes: 64
    contract: { startMs: 1000, answerMs: 250, navigation: open, clipboard: open, other: open }
    sockets:
      guard: /run/w/guard.sock
      admin: /run/w/admin.sock
      adminGroup: admins
      apps: { a: { path: /run/w/a.sock, group: staff }, b.c: { open: true } }
    """

  static let policy = """
    apps:
      com.contoso.portal:
        peers:
          - { uid: 1000, unit: a.service }
          - { user: kiosk, label: x }
          - { group: sales, sameUser: true }
          - { socket: a }
        identityMode: multi
        managedAccounts: several
        account: work@contoso.com
        accounts: { source: [user, broker] }
        allowedAccounts: ["*@contoso.com", one@fabrikam.example]
        untilIdentity: block
        unlocks: true
        treatAllWebViewsAsUnmanaged: true
        authViewersUnprotected: true
        handledSchemes: [contoso-a, contoso-b]
        dataDirectories: ["~/.local/share/contoso/{account}", "/srv/contoso/{objectId}"]
        popups: block
        record: notAllowed
        monitorOnly: { until: 2031-01-31 }
        classes:
          documents: { policy: currentIdentity, externalURLs: s, rulesApply: always, subFrames: true, signIn: [login.microsoftonline.us] }
          news: { policy: unmanaged }
      y: { identityMode: multi, account: "" }
    accounts:
      - { upn: work@contoso.com, objectId: 6d5c-0001, protection: p, state: blocked }
      - { upn: other@contoso.com, user: kiosk }
      - { upn: gone@contoso.com, objectId: 6d5c-0002, state: wiped, since: 2026-11-20T08:00:00Z }
    protections:
      p:
        accounts: ["*@contoso.com", one@fabrikam.example, { group: sales }, { group: nobody-knows }]
        webTransfer: managedBrowser
        externalInPlace: unmanaged
        clipboard: { level: managed, exceptionLength: 12, exceptionPerMinute: 60, replacement: "not here" }
        send: managed
        receive: managed
        save: { allowed: false, exceptions: [sharePoint, box] }
        open: { allowed: false, exceptions: [box] }
        managedApps: [a.desktop, b.desktop]
        telecommunication: { desktopId: calls.desktop, template: "c:{url}" }
        messaging: { command: [m, "{url}"] }
        exemptSchemes: [skype, zoom]
        managedSchemes: [teams]
        printing: block
        screenCapture: block
        notifications: blockOrgData
        indexing: block
        contacts: block
        widgets: block
        backup: block
        assistants: block
        automation: allow
        writingTools: block
        inputMethods: block
        inspection: { required: true }
        encrypt: false
        unlock: app
        conditionalLaunch:
          - { check: diskEncrypted, operator: equals, value: true, action: warn }
          - { check: antivirus, operator: equals, value: on-and-new, action: wipe, grace: 2d, message: no antivirus }
        notCheckedAfter: 3d
        warn: [download, upload]
        monitorOnly: { until: 2031-01-31 }
      p2: { accounts: ["*@else.example"], encryption: { by: volume } }
    browsers:
      managed:
        desktopId: edge.desktop
        template: "edge:{url}"
        app: com.contoso.portal
        apps: [com.contoso.portal]
        alternatives: [{ desktopId: b.desktop, template: "b:{url}", app: com.contoso.portal, apps: [com.contoso.portal] }]
      unmanaged: { desktopId: firefox.desktop, template: "x{url}", scheme: mybrowser }
    links:
      exempt:
        - { match: { domain: maps.example }, id: maps, desktopId: maps.desktop, template: "m:{url}" }
        - { match: { list: { file: lists/a.txt, format: domains }, same: site }, command: [x, "{url}"] }
      managed: [{ match: { host: [meet.example, call.example], port: 8443 }, desktopId: t.desktop }]
    wipe:
      { mode: dryRun, causes: [admin, offlineGrace], delay: 48h, answerTime: 5m, offlineAfter: 90d, approvals: 2 }
    enrolment: { retry: 12h, checkIn: 4h, forgetAfter: 60d, signInHolds: 3d }
    escrow: { publicKey: wvg-escrow-public-1.07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c.9b1e58d0 }
    texts:
      default: { replacement: Nothing, notification: News, organization: C, contact: E, name: N, contactLink: "tel:1", color: "#000000", darkColor: "#ffffff", reasons: { printBlocked: "no printing", orgData: "no" } }
      de-AT: { replacement: Nichts, notification: Neues, organization: die C, contact: Eva, name: N, contactLink: "tel:2", color: "#000001", darkColor: "#fffffe", reasons: { printBlocked: nein } }
    appConfig:
      - { name: base, app: com.contoso.portal, default: true, values: { a: true, b: 1, c: text } }
      - { name: some, app: y, accounts: [work@contoso.com, "*@contoso.com"], groups: [sales], values: { b: 2 } }
    scrubKeys: [c]
    """

  static let otherPolicy = """
    apps: { com.contoso.portal: { identityMode: multi, peers: [{ sameUser: true }] }, y: {} }
    accounts: [{ objectId: a-1, state: nonCompliant }]
    protections:
      p:
        accounts: [a-1]
        unlock: polkit
        recheckAfter: 15m
        telecommunication: { command: [call, "{url}"] }
        messaging: { desktopId: chat.desktop, template: "c:{url}" }
        send: managed
        save: { allowed: false }
        receive: managed
        open: { allowed: false }
      q: { receive: none }
    browsers:
      managed: { command: [browser, "{url}"], alternatives: [{ command: [c, "{url}"] }] }
      unmanaged: { command: [other, "--new={url}"] }
    links:
      managed: [{ match: { domain: a.example, url: "https://a.example/", regex: "^https://a" }, command: [t, "{url}"] }]
      exempt:
        - match:
            scheme: https
            cidr: 10.0.0.0/8
            queryOver: 1024
            hop: true
            from: { host: a.example, domain: a.example, url: "https://a.example/", regex: a, scheme: https, port: 1 }
            not: { port: 1 }
            filter: a.example
            chromium: { block: [b.example], allow: [c.example] }
            pattern: { protocol: https, username: a, password: b, hostname: "*.a.example", port: "1", pathname: /a }
        - match:
            pattern: { search: a, hash: b, ignoreCase: true }
            from:
              filter: a.example
              chromium: { block: [b.example], allow: [c.example] }
              pattern: { protocol: https, username: a, password: b, hostname: "*.a.example", port: "1", pathname: /a }
              same: origin
              cidr: 10.0.0.0/8
              queryOver: 9
              list: { file: lists/c.txt, format: domains }
              not: { port: 1 }
        - match:
            pattern: { pattern: /a, baseURL: "https://a.example" }
            from: { pattern: { pattern: /a, baseURL: "https://a.example", ignoreCase: true } }
        - match: { from: { pattern: { search: a, hash: b } } }
    """

  static let rules = """
    ruleSet: s
    default: external
    rules:
      - include: common/f.yaml
      - { id: tenant, internal: { domain: [contoso.com, contoso.net], scheme: https }, credentials: true }
      - { id: page, internal: { same: document }, expires: 2031-05-01, for: [page, resource] }
      - { id: net, external: { cidr: [10.0.0.0/8], port: 80, queryOver: 1024, hop: true }, then: redirect, message: "not {host}" }
      - { id: lists, external: { list: { file: lists/f.txt, format: urlFilters } }, monitorOnly: { until: 2031-01-01 } }
      - { id: urls, internal: { url: "https://a.example/b", regex: "^https://a", filter: [a.example, b.example] } }
      - { id: chrome, external: { chromium: { block: [b.example], allow: [c.b.example] } }, for: [upload], then: block }
      - { id: placed, internal: { host: files.example, scheme: https }, location: box, account: own }
      - id: parts
        external:
          pattern: { protocol: https, username: a, password: b, hostname: "*.a.example", port: "1", pathname: /a }
      - { id: more, external: { pattern: { search: a, hash: b, ignoreCase: true } } }
      - { id: based, external: { pattern: { pattern: /a, baseURL: "https://a.example" } } }
      - { id: after, internal: { host: return.example, from: { domain: contoso.com, scheme: https } } }
      - id: reached
        internal:
          from:
            host: a.example
            url: "https://a.example/"
            regex: a
            port: 1
            same: origin
            cidr: 10.0.0.0/8
            queryOver: 9
            filter: a.example
            chromium: { block: [b.example], allow: [c.example] }
            list: { file: lists/d.txt, format: domains }
            pattern: { protocol: https, username: a, password: b, hostname: "*.a.example", port: "1", pathname: /a }
            not: { port: 1 }
      - { id: reached-2, internal: { from: { pattern: { search: a, hash: b, ignoreCase: true } } } }
      - { id: reached-3, internal: { from: { pattern: { pattern: /a, baseURL: "https://a.example" } } } }
      - { id: but, external: { domain: d.example, not: [{ host: e.d.example }, { port: 8080 }] } }
    """

  static let otherRules = """
    ruleSet: s2
    default: internal
    rules: [{ id: one, external: { host: z.example }, then: block }]
    """

  static let fragment = "rules: [{ id: sso, internal: { host: login.example }, message: welcome }]"
  static let otherFragment = "rules: [{ id: other, internal: { host: other.example } }]"
}

extension ComparisonWorld {
  /// Loads it, each file written by `text`.
  func load(_ names: ComparedNames, written text: (TextTree) -> String) -> ComparedConfiguration? {
    var texts = files.mapValues(text)
    texts.merge(Self.lists) { $1 }
    return Self.load(texts, names)
  }

  static func load(_ texts: [String: String], _ names: ComparedNames) -> ComparedConfiguration? {
    let files = MemoryFiles(Dictionary(uniqueKeysWithValues: texts.map { ("c/" + $0.key, $0.value) }))
    let result = ConfigurationLoader(roots: ["c"], files: files, resolver: names).load()
    return ComparedConfiguration(result, names, root: "c")
  }

  func load(_ names: ComparedNames) -> ComparedConfiguration? {
    load(names) { tree in
      var generator = SeededGenerator(seed: 1)
      return tree.written(&generator)
    }
  }

  /// Every value that can be changed, by file and path, but those of tests and of files that nothing includes.
  var places: [(file: String, path: [String])] {
    let read = filesThatAreRead
    return files.keys.sorted().filter(read.contains).flatMap { file -> [(file: String, path: [String])] in
      // The id of a link is told to nobody, and decides nothing.
      let paths = (files[file]?.paths ?? []).filter { path in
        !path.isEmpty && path[0] != "tests" && !(path[0] == "links" && path.last == "id")
      }
      return paths.map { (file, $0) }
    }
  }

  /// All but those that are only there to be included, and that no other file includes (any more).
  private var filesThatAreRead: Set<String> {
    var read = Set(files.keys.filter { !$0.hasPrefix("rules/") || files[$0]?[["ruleSet"]] != nil })
    var waiting = Array(read)
    while let file = waiting.popLast() {
      for case .text(let name)? in files[file]?.paths.filter({ $0.last == "include" }).map({ files[file]?[$0[...]] })
        ?? []
      where read.insert("rules/" + name).inserted { waiting.append("rules/" + name) }
    }
    return read
  }
}

extension ConfigurationDifference {
  /// Whether it names the key, or the thing, that a path of a file leads to.
  func names(_ path: [String]) -> Bool {
    let keys = Set(key.split(separator: ".").map(String.init) + kind.split(separator: ".").map(String.init) + [name])
    let steps = path.filter { Int($0) == nil }
    if let section = steps.first, steps.count > 1 || key.isEmpty, steps.dropFirst().contains(where: keys.contains) {
      return Self.kinds(of: section, steps).contains(kind)
    }
    return Self.kinds(of: steps.first ?? "", steps).contains(kind) && (key.isEmpty || steps.contains(where: isSame))
  }

  private func isSame(_ step: String) -> Bool {
    key.split(separator: ".").contains(step[...]) || ["internal", "external"].contains(step) && key == "verdict"
      || step == "ruleSet" || step == "id"
  }

  private static func kinds(of section: String, _ steps: [String]) -> [String] {
    switch section {
    case "apps": ["app", "class"]
    case "accounts": ["account"]
    case "protections": ["protection"]
    case "rules": ["rule", "list"]
    case "ruleSet", "default": ["rule set", "class"]
    case "browsers", "links":
      steps.count > 1
        ? [steps.prefix(2).joined(separator: "."), "list"]
        : ["managed", "unmanaged", "exempt"].map { "\(section).\($0)" }
    case "texts": ["texts"]
    case "enrolment", "escrow", "wipe", "scrubKeys": ["policy"]
    case "appConfig": ["appConfig"]
    default: ["daemon"]
    }
  }
}
