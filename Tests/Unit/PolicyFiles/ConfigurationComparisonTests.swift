import PolicyFiles
internal import PolicyTools
import Testing

/// What two configurations say differently, line by line (review of November 2026, section 3, 1).
@Suite struct ConfigurationComparisonTests {
  struct Case: Sendable, CustomStringConvertible {
    /// The name, and the file that is changed.
    let name: String
    let file: String
    let old: String
    let new: String
    let lines: [String]

    init(_ name: String, _ file: String, _ old: String, _ new: String, _ lines: String...) {
      (self.name, self.file, self.old, self.new, self.lines) = (name, file, old, new, lines)
    }

    var description: String { name }
  }

  private static let policy = "policy.d/a.yaml"
  private static let settings = "webviewguard.yaml"
  private static let rules = "rules/s.yaml"

  private static func protection(_ name: String, _ old: String, _ new: String, _ lines: String...) -> Case {
    let all = lines.map { "\($0)".replacing("P:", with: "protection `p`:") }
    return Case(name, all)
      .with(
        policy, "protections: { p: { accounts: [\"*@a.example\"], \(old) } }",
        "protections: { p: { accounts: [\"*@a.example\"], \(new) } }")
  }

  private static func app(_ name: String, _ old: String, _ new: String, _ lines: String...) -> Case {
    Case(name, lines.map { $0.replacing("A:", with: "app `a`:") })
      .with(policy, "apps: { a: { \(old) } }", "apps: { a: { \(new) } }")
  }

  private static func daemon(_ name: String, _ old: String, _ new: String, _ lines: String...) -> Case {
    Case(name, lines.map { "daemon: " + $0 }.map(directionFirst)).with(settings, old, new)
  }

  private static func rules(_ name: String, _ old: String, _ new: String, _ lines: String...) -> Case {
    Case(name, lines.map { $0.replacing("R:", with: "rule `s/r`:") })
      .with(
        rules, "{ ruleSet: s, default: external, rules: [\(old)] }",
        "{ ruleSet: s, default: external, rules: [\(new)] }")
  }

  /// `daemon: looser policyRequired …` to `looser daemon: policyRequired …`
  private static func directionFirst(_ line: String) -> String {
    let parts = line.split(separator: " ", maxSplits: 2)
    return "\(parts[1]) \(parts[0]) \(parts[2])"
  }

  private static let protections = [
    protection("printing", "printing: allow", "printing: block", "tighter P: printing allow -> block"),
    protection("printing back", "printing: block", "", "looser P: printing block -> allow (default)"),
    protection(
      "the clipboard opened for everybody", "clipboard: { level: managed, exceptionLength: 50 }",
      "clipboard: { level: any, exceptionLength: 50 }", "looser P: clipboard.level managed -> any"),
    protection(
      "a longer exception", "clipboard: { level: managed, exceptionLength: 50 }",
      "clipboard: { level: managed, exceptionLength: 51 }", "looser P: clipboard.exceptionLength 50 -> 51"),
    protection(
      "a budget", "clipboard: { level: managed, exceptionLength: 5 }",
      "clipboard: { level: managed, exceptionLength: 5, exceptionPerMinute: 9 }",
      "tighter P: clipboard.exceptionPerMinute no budget (default) -> 9"),
    protection(
      "webTransfer", "webTransfer: managedBrowser", "webTransfer: block",
      "tighter P: webTransfer managedBrowser -> block"),
    protection(
      "externalInPlace", "externalInPlace: managed", "externalInPlace: unmanaged",
      "tighter P: externalInPlace managed -> unmanaged"),
    protection("send", "send: managed", "send: managedOsSharing", "looser P: send managed -> managedOsSharing"),
    protection("receive", "receive: any", "receive: none", "tighter P: receive any -> none"),
    protection(
      "one place more", "send: managed, save: { allowed: false, exceptions: [box] }",
      "send: managed, save: { allowed: false, exceptions: [egnyte, box] }",
      "looser P: save.exceptions [box] -> [box, egnyte]"),
    protection(
      "another place", "send: managed, save: { allowed: false, exceptions: [box] }",
      "send: managed, save: { allowed: false, exceptions: [egnyte] }", "sideways P: save.exceptions [box] -> [egnyte]"),
    protection(
      "a program for calls", "send: managed, telecommunication: none",
      "send: managed, telecommunication: { desktopId: c.desktop }",
      "looser P: telecommunication none -> { desktopId: c.desktop }"),
    protection(
      "another program for calls", "send: managed, telecommunication: { desktopId: b.desktop }",
      "send: managed, telecommunication: { desktopId: c.desktop }",
      "sideways P: telecommunication { desktopId: b.desktop } -> { desktopId: c.desktop }"),
    protection("automation goes with assistants", "assistants: block", "assistants: block, automation: block"),
    protection(
      "automation alone", "assistants: block", "assistants: block, automation: allow",
      "looser P: automation block (default) -> allow"),
    protection(
      "a warning", "printing: block", "printing: block, warn: [print]", "looser P: warn [] (default) -> [print]"),
    protection(
      "monitoring", "printing: block", "printing: block, monitorOnly: { until: 2031-01-31 }",
      "looser P: monitorOnly.until not monitored (default) -> 2031-02-01T00:00:00.000Z"),
    protection(
      "monitoring for longer", "monitorOnly: { until: 2031-01-31 }", "monitorOnly: { until: 2031-02-28 }",
      "looser P: monitorOnly.until 2031-02-01T00:00:00.000Z -> 2031-03-01T00:00:00.000Z"),
    protection("the way to encrypt that is the default", "", "encryption: { by: envelope }"),
    protection(
      "another way to encrypt", "encryption: { by: envelope }", "encryption: { by: volume }",
      "looser P: encryption.by envelope -> volume"),
    protection(
      "a stricter way to encrypt", "encryption: { by: gocryptfs }", "encryption: { by: fscrypt }",
      "tighter P: encryption.by gocryptfs -> fscrypt"),
    protection("no encryption", "", "encrypt: false", "looser P: encrypt true (default) -> false"),
    protection(
      "inspection", "inspection: { required: true }", "", "looser P: inspection.required true -> false (default)"),
  ]

  private static let bindings = [
    Case(
      "another pattern", policy, "protections: { p: { accounts: [\"*@a.example\"] } }",
      "protections: { p: { accounts: [\"*@b.example\"] } }",
      "sideways protection `p`: accounts [*@a.example] -> [*@b.example]"),
    Case(
      "one pattern less", policy, "protections: { p: { accounts: [\"*@a.example\", \"*@b.example\"] } }",
      "protections: { p: { accounts: [\"*@b.example\"] } }",
      "looser protection `p`: accounts [*@a.example, *@b.example] -> [*@b.example]"),
    Case(
      "a group that this machine does not know", policy, "protections: { p: { accounts: [{ group: unknown-a }] } }",
      "protections: { p: { accounts: [{ group: unknown-b }] } }",
      "sideways protection `p`: accounts [group: unknown-a] -> [group: unknown-b]"),
    Case(
      "the state of an account", policy, "accounts: [{ upn: a@x }]", "accounts: [{ upn: A@x, state: blocked }]",
      "tighter account `a@x`: state active (default) -> blocked"),
    Case(
      "the account under its other name", policy, "accounts: [{ upn: a@x, objectId: 1-2 }]",
      "accounts: [{ objectId: 1-2 }]", "sideways account `a@x`: upn a@x -> none (default)"),
    Case(
      "an account's own protection", policy,
      "{ protections: { p: {}, q: {} }, accounts: [{ upn: a@x, protection: p }] }",
      "{ protections: { p: {}, q: {} }, accounts: [{ upn: a@x, protection: q }] }",
      "sideways account `a@x`: protection p -> q"),
    Case(
      "a new protection", policy, "protections: { p: {} }",
      "protections: { p: {}, q: { accounts: [\"*@b.example\"], printing: block } }",
      "tighter protection `q`: is new: accounts [*@b.example], printing block"),
    Case(
      "no protection any more", policy, "protections: { p: {} }", "{}", "looser protection `p`: is gone"),
    app("an app's own account", "account: a@x", "account: b@x", "sideways A: account a@x -> b@x"),
    app("explicitly nobody", "account: null", "account: \"\"", "sideways A: account left to the app -> \"\""),
  ]

  private static let apps = [
    app(
      "a peer less", "peers: [{ unit: a.service }, { group: sales }]", "peers: [{ group: sales }]",
      "tighter A: peers [{ group: sales }, { unit: a.service }] -> [{ group: sales }]"),
    app(
      "a peer of whom less is asked", "peers: [{ group: sales, unit: a.service }]", "peers: [{ group: sales }]",
      "sideways A: peers [{ group: sales, unit: a.service }] -> [{ group: sales }]"),
    app("one user by name and by number", "peers: [{ user: kiosk }]", "peers: [{ uid: 990 }]"),
    app(
      "a user that this machine does not know", "peers: [{ user: nobody-a }]", "peers: [{ user: nobody-b }]",
      "sideways A: peers [{ user: nobody-a }] -> [{ user: nobody-b }]"),
    app("untilIdentity", "untilIdentity: block", "", "looser A: untilIdentity block -> allow (default)"),
    app(
      "sources of accounts", "", "accounts: { source: [app, broker] }",
      "tighter A: accounts.source not asked (default) -> [app, broker]"),
    app(
      "a source less", "accounts: { source: [app, broker] }", "accounts: { source: [broker] }",
      "tighter A: accounts.source [app, broker] -> [broker]"),
    app(
      "a list of accounts", "allowedAccounts: [\"*@contoso.com\"]", "",
      "looser A: allowedAccounts [*@contoso.com] -> all (default)"),
    app(
      "another list of accounts", "allowedAccounts: [a@x]", "allowedAccounts: [b@x]",
      "sideways A: allowedAccounts [a@x] -> [b@x]"),
    Case(
      "how long a sign-in holds", policy, "enrolment: { signInHolds: 1d }", "enrolment: { checkIn: 4h }",
      "sideways policy: enrolment.checkIn 8h (default) -> 4h",
      "looser policy: enrolment.signInHolds 1d -> 7d (default)"),
    Case(
      "who has copies of keys", policy, "enrolment: {}", "escrow: { publicKey: \(escrowKey) }",
      "looser policy: escrow.publicKey none (default) -> \(escrowKey)"),
    app("handledSchemes", "", "handledSchemes: [x-y]", "looser A: handledSchemes [] (default) -> [x-y]"),
    app(
      "dataDirectories", "", "dataDirectories: [\"~/x/{account}\"]",
      "sideways A: dataDirectories [] (default) -> [~/x/{account}]"),
    app("record", "record: all", "record: counts", "sideways A: record all -> counts"),
    app(
      "a class", "classes: { c: { policy: unmanaged } }",
      "classes: { c: { policy: currentIdentity, subFrames: true } }",
      "sideways class `a/c`: policy unmanaged -> currentIdentity",
      "tighter class `a/c`: subFrames false (default) -> true"),
    app(
      "sign-in", "classes: { c: {} }", "classes: { c: { signIn: [login.microsoftonline.com] } }",
      "looser class `a/c`: signIn [] (default) -> [login.microsoftonline.com]"),
    app(
      "a new class", "", "classes: { c: { rulesApply: always } }", "sideways class `a/c`: is new: rulesApply always"),
    Case("a new app", policy, "apps: { a: {} }", "apps: { a: {}, b: {} }", "looser app `b`: is new"),
    Case(
      "the browser", policy, "browsers: { managed: { desktopId: a.desktop } }",
      "browsers: { managed: { command: [a, \"{url}\"] } }",
      "sideways browsers.managed: desktopId a.desktop -> none (default)",
      "sideways browsers.managed: command none (default) -> [\"a\", \"{url}\"]"),
    Case(
      "no browser any more", policy, "browsers: { unmanaged: { scheme: x } }", "{}",
      "tighter browsers.unmanaged: is gone: scheme x"),
    Case(
      "an exempt link", policy, "links: { exempt: [{ match: { host: a.example } }] }",
      "links: { exempt: [{ match: { host: b.example } }, { match: { host: a.example } }] }",
      "looser links.exempt: is new: { host: b.example }"),
    Case(
      "two links the other way round", policy,
      "links: { managed: [{ match: { host: a.example } }, { match: { port: 1 }, desktopId: b }] }",
      "links: { managed: [{ match: { port: 1 }, desktopId: b }, { match: { host: a.example } }] }",
      "sideways links.managed `{ host: a.example }`: position 1 of 2 -> 2 of 2"),
    Case(
      "a text", policy, "texts: { de: { reasons: { printBlocked: nein } } }",
      "texts: { de: { reasons: { printBlocked: nie } } }", "sideways texts `de`: reasons.printBlocked nein -> nie"),
    Case(
      "a translation", policy, "{}", "texts: { de-AT: { notification: Neues } }",
      "sideways texts `de-at`: is new: notification Neues"),
    Case(
      "a text in place of the built-in one", policy, "{}", "texts: { default: { notification: News } }",
      "sideways texts `default`: notification You have a new notification. (default) -> News"),
    Case(
      "a person to ask", policy, "{}", "texts: { default: { contact: Eve } }",
      "sideways texts `default`: contact your help desk (default) -> Eve"),
    Case(
      "the built-in text, written out", policy, "{}",
      "texts: { default: { notification: You have a new notification. } }"),
  ]

  private static let daemonCases = [
    daemon("policyRequired", "{}", "policyRequired: false", "looser policyRequired true (default) -> false"),
    daemon(
      "the contract", "contract: { clipboard: open }", "{}", "tighter contract.clipboard open -> closed (default)"),
    daemon("the log", "{}", "log: { onLogFailure: continue }", "looser log.onLogFailure block (default) -> continue"),
    daemon(
      "a part of the log", "{}", "log: { redaction: { query: keep } }",
      "sideways log.redaction.query drop (default) -> keep"),
    daemon("a limit", "limits: { connections: 5 }", "limits: { connections: 6 }", "sideways limits.connections 5 -> 6"),
    daemon(
      "an answer's time", "contract: { answerMs: 5 }", "contract: { answerMs: 6 }", "sideways contract.answerMs 5 -> 6"),
    daemon(
      "a socket for everybody", "sockets: { apps: { x.y: {} } }", "sockets: { apps: { x.y: { open: true } } }",
      "looser sockets.apps.x.y.open false (default) -> true"),
    daemon(
      "defaults written out", "{}", "{ policyRequired: true, graceSeconds: 60, log: { keepDays: 90 }, sockets: {} }"),
  ]

  private static let ruleCases = [
    rules(
      "a host more", "{ id: r, internal: { host: a.example } }",
      "{ id: r, internal: { host: [b.example, a.example] } }",
      "looser R: host a.example -> [a.example, b.example]"),
    rules(
      "a host more of an external rule", "{ id: r, external: { host: a.example } }",
      "{ id: r, external: { host: [b.example, a.example] } }", "tighter R: host a.example -> [a.example, b.example]"),
    rules(
      "a host more in front of a stricter rule",
      "{ id: r, external: { host: a.example } }, { id: q, external: { port: 1 }, then: block }",
      "{ id: r, external: { host: [b.example, a.example] } }, { id: q, external: { port: 1 }, then: block }",
      "sideways R: host a.example -> [a.example, b.example]"),
    rules(
      "a smaller number of an external rule", "{ id: r, external: { queryOver: 2048 } }",
      "{ id: r, external: { queryOver: 1024 } }", "tighter R: queryOver 2048 -> 1024"),
    rules(
      "a smaller number of an internal rule", "{ id: r, internal: { queryOver: 10 } }",
      "{ id: r, internal: { queryOver: 9 } }", "looser R: queryOver 10 -> 9"),
    rules(
      "the smallest of several numbers", "{ id: r, external: { queryOver: [9, 30] } }",
      "{ id: r, external: { queryOver: [10, 20] } }", "looser R: queryOver [30, 9] -> [10, 20]"),
    rules(
      "a larger number beside the smallest", "{ id: r, external: { queryOver: 9 } }",
      "{ id: r, external: { queryOver: [9, 30] } }", "sideways R: queryOver 9 -> [30, 9]"),
    rules(
      "no length any more", "{ id: r, external: { host: a.example, queryOver: 9 } }",
      "{ id: r, external: { host: a.example } }", "tighter R: queryOver 9 -> not asked"),
    rules(
      "a condition more", "{ id: r, internal: { host: a.example } }",
      "{ id: r, internal: { host: a.example, scheme: https } }", "tighter R: scheme not asked -> https"),
    rules(
      "an exception more", "{ id: r, internal: { domain: a.example, not: { host: b.a.example } } }",
      "{ id: r, internal: { domain: a.example, not: [{ host: b.a.example }, { host: c.a.example }] } }",
      "tighter R: not { host: b.a.example } -> [{ host: b.a.example }, { host: c.a.example }]"),
    rules(
      "the other verdict", "{ id: r, internal: { host: a.example } }", "{ id: r, external: { host: a.example } }",
      "tighter R: verdict internal -> external"),
    rules(
      "then", "{ id: r, external: { host: a.example }, then: redirect }",
      "{ id: r, external: { host: a.example }, then: block }", "tighter R: then redirect -> block"),
    rules(
      "for uploads as well", "{ id: r, internal: { host: a.example } }",
      "{ id: r, internal: { host: a.example }, for: [upload, page] }",
      "looser R: for [page] (default) -> [page, upload]"),
    rules(
      "an end", "{ id: r, internal: { host: a.example } }",
      "{ id: r, internal: { host: a.example }, expires: 2031-01-01 }",
      "tighter R: expires never (default) -> 2031-01-02T00:00:00.000Z"),
    rules(
      "the end of a block", "{ id: r, external: { host: a.example }, expires: 2031-01-01 }",
      "{ id: r, external: { host: a.example }, expires: 2031-01-05 }",
      "tighter R: expires 2031-01-02T00:00:00.000Z -> 2031-01-06T00:00:00.000Z"),
    rules(
      "a block that only monitors", "{ id: r, external: { host: a.example } }",
      "{ id: r, external: { host: a.example }, monitorOnly: { until: 2031-01-01 } }",
      "looser R: monitorOnly.until not monitored (default) -> 2031-01-02T00:00:00.000Z"),
    rules(
      "credentials", "{ id: r, internal: { host: a.example } }",
      "{ id: r, internal: { host: a.example }, credentials: true }", "looser R: credentials false (default) -> true"),
    rules(
      "a message", "{ id: r, external: { host: a.example }, message: m }", "{ id: r, external: { host: a.example } }",
      "sideways R: message m -> none (default)"),
    rules(
      "case and order", "{ id: r, internal: { host: [A.example, b.example], scheme: HTTPS } }",
      "{ internal: { scheme: [https], host: [b.example, a.example, a.example] }, id: r }"),
    rules(
      "a pattern without case", "{ id: r, internal: { pattern: { pathname: /a } } }",
      "{ id: r, internal: { pattern: { pathname: /a, ignoreCase: true } } }",
      "sideways R: pattern { pathname: /a } -> { pathname: /a, ignoreCase: true }"),
    rules(
      "a filter of a policy of Chromium's",
      "{ id: r, external: { chromium: { block: [a.example], allow: [b.a.example] } } }",
      "{ id: r, external: { chromium: { block: [a.example] } } }",
      "sideways R: chromium [allow b.a.example, block a.example] -> block a.example"),
    rules(
      "a rule that came, and one that went", "{ id: r, internal: { host: a.example } }",
      "{ id: q, external: { host: b.example }, then: block }",
      "tighter rule `s/r`: is gone: verdict internal, host a.example",
      "tighter rule `s/q`: is new: verdict external, host b.example, then block"),
    rules(
      "another id", "{ id: r, internal: { host: a.example } }", "{ id: q, internal: { host: a.example } }",
      "sideways R: id r -> q"),
    rules(
      "another place", "{ id: r, internal: { host: a.example } }, { id: q, external: { host: a.example } }",
      "{ id: q, external: { host: a.example } }, { id: r, internal: { host: a.example } }",
      "sideways rule `s/r`: position 1 of 2 -> 2 of 2"),
    Case(
      "the default", "rules/s.yaml", "{ ruleSet: s, default: external, rules: [] }",
      "{ ruleSet: s, default: internal, rules: [] }", "looser rule set `s`: default external -> internal"),
    Case(
      "another rule set", "rules/s.yaml", "{ ruleSet: s, default: external, rules: [] }",
      "{ ruleSet: t, default: external, rules: [] }", "sideways rule set `s`: is gone: default external, with 0 rules",
      "sideways rule set `t`: is new: default external, with 0 rules"),
    Case(
      "only a test", "rules/s.yaml", "{ ruleSet: s, default: external, rules: [] }",
      "{ ruleSet: s, default: external, rules: [], tests: [{ url: \"https://a.example/\", expect: external }] }"),
  ]

  @Test(arguments: protections + bindings + apps + daemonCases + ruleCases)
  func tellsWhatDiffers(_ one: Case) throws {
    let names = ComparedNames(FixedNames())
    let base = ["policy.d/a.yaml": "{}"]
    let old = try #require(ComparisonWorld.load(base.merging([one.file: one.old]) { $1 }, names), "old")
    let new = try #require(ComparisonWorld.load(base.merging([one.file: one.new]) { $1 }, names), "new")
    let lines = ConfigurationComparison.differences(old, new).map(\.line)
    #expect(lines == one.lines)
    let back = ConfigurationComparison.differences(new, old)
    #expect(back.isEmpty == one.lines.isEmpty)
    let directions = Set(back.map(\.direction)),
      forward = Set(ConfigurationComparison.differences(old, new).map(\.direction))
    #expect(directions.contains(.looser) == forward.contains(.tighter))
  }

  @Test func tellsBothPlaces() throws {
    let names = ComparedNames(FixedNames())
    let old = try #require(
      ComparisonWorld.load(["policy.d/a.yaml": "protections:\n  p:\n    printing: block\n"], names))
    let new = try #require(
      ComparisonWorld.load(["policy.d/b.yaml": "protections:\n  p:\n    accounts: [\"*@a.example\"]\n"], names))
    let differences = ConfigurationComparison.differences(old, new)
    #expect(differences.map(\.key) == ["accounts", "printing"])
    // What is not stated has the place of the protection.
    #expect(differences.map(\.before.place) == ["c/policy.d/a.yaml:2:3", "c/policy.d/a.yaml:3:5"])
    #expect(differences.map(\.after.place) == ["c/policy.d/b.yaml:3:5", "c/policy.d/b.yaml:2:3"])
    #expect(differences.map(\.after.isStated) == [true, false])
  }

  @Test func tellsThePlaceOfADaemonSetting() throws {
    let names = ComparedNames(FixedNames())
    let old = try #require(ComparisonWorld.load(["policy.d/a.yaml": "{}"], names))
    let new = try #require(
      ComparisonWorld.load(["policy.d/a.yaml": "{}", "webviewguard.yaml": "log:\n  keepDays: 3\n"], names))
    let difference = try #require(ConfigurationComparison.differences(old, new).first)
    #expect(difference.before.place == "c")
    #expect(difference.after.place == "c/webviewguard.yaml:2:3")
  }
}

extension ConfigurationComparisonTests.Case {
  fileprivate init(_ name: String, _ lines: [String]) {
    (self.name, file, old, new, self.lines) = (name, "", "", "", lines)
  }

  fileprivate init(_ one: Self, _ file: String, _ old: String, _ new: String) {
    (name, self.file, self.old, self.new, lines) = (one.name, file, old, new, one.lines)
  }

  fileprivate func with(_ file: String, _ old: String, _ new: String) -> Self { Self(self, file, old, new) }
}

extension ConfigurationDifference {
  /// ``looser protection `p`: clipboard.level managed -> any``
  fileprivate var line: String { "\(direction.rawValue) \(subject): \(key.isEmpty ? "" : key + " ")\(change)" }
}

private let escrowKey =
  "wvg-escrow-public-1.07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c.9b1e58d0"
