import PolicyEngine
import PolicyFiles
import Testing

/// Every mistake that a file of `policy.d` can hold, with the text it is told by.
@Suite struct PolicyDiagnosticTests {
  private static func problems(_ yaml: String) -> String {
    load(["policy.d/a.yaml": yaml, "rules/s.yaml": "ruleSet: s\ndefault: external\nrules: []"])
      .diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  /// PM-01: beyond what the engine keeps, a protection would bind nobody.
  @Test func aPolicyHasAtMostSoManyProtections() {
    let protections = (1...ProtectionSet.capacity + 1).map { "  p\($0): {}\n" }
    let most = "apps: { x: {} }\nprotections:\n" + protections.dropLast().joined()
    #expect(!Self.problems(most).contains("too-many-protections"))
    let expected = "f:259:3: error: a policy has at most 256 protections [too-many-protections]"
    #expect(Self.problems(most + protections.last!).contains(expected))
  }

  private static func app(_ text: String) -> String { "apps: { x: { \(text) } }" }
  private static func protection(_ text: String) -> String { "apps: { x: {} }\nprotections: { p: { \(text) } }" }

  @Test(arguments: [
    YAMLCase(
      "peers: [{ group: stuff }]", "f:1:31: warning: unknown group `stuff`; this speaks of nobody [unknown-group]",
      "  hint: make the group, and reload"),
    YAMLCase(
      "peers: [{ user: nobody }]", "f:1:30: warning: unknown user `nobody`; this speaks of nobody [unknown-user]",
      "  hint: make the user, and reload"),
    YAMLCase(
      "peers: [{}]",
      "f:1:22: error: a peer has to state one of `uid`, `user`, `group`, `unit`, `label`, `socket`, `sameUser` [empty-peer]"
    ),
    YAMLCase(
      "peers: [{ uid: 1, user: kiosk }]", "f:1:32: error: `user` may not stand beside `uid` [conflicting-keys]",
      "  hint: keep one of the two"),
    YAMLCase(
      "peers: [{ uid: -1 }]",
      "f:1:29: error: expected a whole number from 0 to 4294967294, found `-1` [out-of-range]"),
    YAMLCase(
      "peers: [{ socket: a }] }, y: { peers: [{ socket: b }, { socket: a, uid: 1 }]",
      "f:1:40: error: the socket `a` is app `x`'s own already, at f:1:9 [shared-socket]",
      "  hint: give each app a socket of its own"),
    YAMLCase("peers: [{ unit: \"\" }]", "f:1:30: error: the string may not be empty [out-of-range]"),
    YAMLCase(
      "account: \"*@contoso.com\"", "f:1:23: error: `*@contoso.com` is not an account [invalid-account]",
      "  hint: an account is a UPN or an object id: up to 256 bytes without spaces and without `*`"),
    YAMLCase(
      "handledSchemes: [contoso, HTTPS]",
      "f:1:40: error: `https` may not be a handled scheme: it is judged by the rules [browser-scheme]",
      "  hint: `handledSchemes` is for schemes of the app's own, such as `contoso-portal`"),
    YAMLCase(
      "handledSchemes: [\"contoso:\"]", "f:1:31: error: `contoso:` is not a scheme [invalid-scheme]",
      "  hint: write `contoso`"),
    YAMLCase(
      "dataDirectories: [\"~/.local/share/contoso\"]",
      "f:1:32: error: `~/.local/share/contoso` is not one account's: it has neither `{account}` nor `{objectId}` "
        + "[data-directory]",
      "  hint: a wipe removes the whole directory: write one of each account, as in `~/.local/share/contoso/{account}`"),
    YAMLCase(
      "dataDirectories: [\"/srv/x/{account}\"] }, y: { dataDirectories: [\"/srv/x/{account}/cache\"]",
      "f:1:55: error: `/srv/x/{account}/cache` lies in a directory of the app `x`, or has one in it [data-directory]",
      "  hint: give each app a directory of its own: a wipe of one app removes the whole directory"),
    YAMLCase(
      "dataDirectories: [\"/home/{account}\"]",
      "f:1:32: error: `/home/{account}` may be a directory of somebody else, such as a home, for some accounts "
        + "[data-directory]",
      "  hint: put it into a directory of the app, as in `~/.local/share/contoso/{account}` or `/srv/contoso/{account}`"
    ),
    YAMLCase(
      "dataDirectories: [\"~/x/{user}\"]",
      "f:1:32: error: `~/x/{user}` has `{user}`, which is no placeholder [data-directory]",
      "  hint: the placeholders are `{account}` and `{objectId}`"),
    YAMLCase(
      "classes: { c: { policy: unmanaged, externalURLs: s } }",
      "f:1:63: warning: rules of an unmanaged class are never asked: what happens there counts as nobody's "
        + "[rules-on-unmanaged]",
      "  hint: remove `externalURLs`, or write `rulesApply: always`"),
    YAMLCase(
      "classes: { c: { externalURLs: t } }", "f:1:44: error: unknown rule set `t` [unknown-reference]",
      "  hint: known: `s`"),
    YAMLCase(
      "classes: { \"\": {} }", "f:1:25: error: a name may not be empty [invalid-name]",
      "  hint: a name is 1 to 128 ASCII letters, digits and punctuation marks, without spaces"),
    YAMLCase(
      "classes: { c: { policy: managed } }",
      "f:1:38: error: `managed` is not one of `unset`, `unmanaged`, `currentIdentity`, `currentIdentityBlockUpload` "
        + "[unknown-value]",
      "  hint: did you mean `unmanaged`?"),
    YAMLCase(
      "treatAllWebviewsAsUnmanaged: true", "f:1:14: error: unknown key `treatAllWebviewsAsUnmanaged` [unknown-key]",
      "  hint: did you mean `treatAllWebViewsAsUnmanaged`?"),
    YAMLCase(
      "treatAllWebViewsAsUnmanaged: yes", "f:1:43: error: expected true or false, found `yes` [wrong-type]",
      "  hint: write true or false"),
  ])
  func appsAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(Self.app(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "accounts: [\"*.contoso.com\"]", "f:2:32: error: `*.contoso.com` is not an account pattern [account-pattern]",
      "  hint: write one account, or `*@contoso.com` for every account of a domain"),
    YAMLCase(
      "accounts: [\"*@\", \"*@a@b\", \"a@*\"]", "f:2:32: error: `*@` is not an account pattern [account-pattern]",
      "  hint: write one account, or `*@contoso.com` for every account of a domain",
      "f:2:38: error: `*@a@b` is not an account pattern [account-pattern]",
      "  hint: write one account, or `*@contoso.com` for every account of a domain",
      "f:2:47: error: `a@*` is not an account pattern [account-pattern]",
      "  hint: write one account, or `*@contoso.com` for every account of a domain"),
    YAMLCase(
      "accounts: [\"a b\"]", "f:2:32: error: `a b` is not an account [invalid-account]",
      "  hint: an account is a UPN or an object id: up to 256 bytes without spaces and without `*`"),
    YAMLCase(
      "accounts: [{ group: stuff }]", "f:2:41: warning: unknown group `stuff`; this speaks of nobody [unknown-group]",
      "  hint: make the group, and reload"),
    YAMLCase(
      "clipboard: { exceptionLength: -1, exceptionPerMinute: 1.5 }",
      "f:2:51: error: expected a whole number from 0 to 1000000, found `-1` [out-of-range]",
      "f:2:75: error: expected a whole number from 0 to 1000000, found the number `1.5` [wrong-type]",
      "  hint: write decimal digits only: no sign `+`, no leading zero, no separator, no fraction"),
    YAMLCase(
      "webTransfer: managedBrowse",
      "f:2:34: error: `managedBrowse` is not one of `any`, `unmanagedBrowser`, `managedBrowser`, `block` "
        + "[unknown-value]",
      "  hint: did you mean `managedBrowser`?"),
  ])
  func protectionsAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(Self.protection(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "accounts: [{ state: active }]", "f:2:12: error: missing key `upn` [missing-key]", "  hint: it takes an account"),
    YAMLCase(
      "accounts: [{ upn: a@b, protection: p }]", "f:2:36: error: unknown protection `p` [unknown-reference]",
      "  hint: there is no protection in `policy.d`"),
    YAMLCase(
      "accounts: [{ upn: A@B.example, objectId: i }, { upn: c@d, objectId: a@b.EXAMPLE }]",
      "f:2:69: error: account `a@b.EXAMPLE` is defined already at f:2:19 [defined-twice]",
      "  hint: keep one of the two"),
    YAMLCase(
      "browsers: { managed: { desktopId: x, command: [y, \"{url}\"] } }",
      "f:2:38: error: `command` may not stand beside `desktopId` [conflicting-keys]", "  hint: keep one of the two"),
    YAMLCase(
      "browsers: { managed: { template: url } }", "f:2:34: error: the template holds no `{url}` [missing-placeholder]",
      "  hint: write `{url}` where the URL belongs, as in `microsoft-edge:{url}`"),
    YAMLCase(
      "browsers: { unmanaged: { command: [firefox] } }",
      "f:2:35: error: the command holds no `{url}` [missing-placeholder]",
      "  hint: add an argument `{url}` where the URL belongs"),
    YAMLCase(
      "browsers: { unmanaged: { command: [\"{url}\"] } }",
      "f:2:35: error: the URL may not name the program [open-command]", "  hint: put the program first"),
    YAMLCase(
      "links: { exempt: [{ match: { port: 1 }, id: a }, { match: { port: 2 }, id: a }] }",
      "f:2:76: error: link `a` is defined already at f:2:45 [defined-twice]", "  hint: keep one of the two"),
    YAMLCase(
      "links: { managed: [{ match: { regex: '(' } }] }",
      "f:2:40: error: wrong regular expression: missing closing parenthesis [invalid-regex]"),
    YAMLCase(
      "escrow: { publicKey: wvg-escrow-public-1.3948cfe1ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d.95bf3211 }",
      "f:2:22: error: `wvg-escrow-public-1.3948cfe1ad1ddb695d780e59077195da6c56506b...` is not a public escrow key "
        + "[invalid-escrow-key]",
      "  hint: take the text that `webviewguard account escrow new-key` printed, whole"),
    YAMLCase(
      "escrow: { publicKey: wvg-escrow-private-1.3948 }",
      "f:2:22: error: `wvg-escrow-private-1.3948` is not a public escrow key [invalid-escrow-key]",
      "  hint: take the text that `webviewguard account escrow new-key` printed, whole"),
    YAMLCase("browser: {}", "f:2:1: error: unknown key `browser` [unknown-key]", "  hint: did you mean `browsers`?"),
  ])
  func theRestIsExplained(_ test: YAMLCase) {
    #expect(Self.problems("apps: { x: {} }\n" + test.yaml) == test.printed)
  }

  @Test func settingsAreExplained() {
    let settings = """
      log: { directory: logs, durability: fast, onLogFailure: allow, redaction: { host: drop } }
      limits: { messageBytes: 1, connections: many }
      contract: { navigation: block }
      sockets: { guard: run/guard.sock, admin: \"/\(String(repeating: "x", count: 107))\" }
      """
    #expect(
      load(["policy.d/a.yaml": "apps: { x: {} }", "webviewguard.yaml": settings]).diagnostics.description == """
        c/webviewguard.yaml:1:19: error: `logs` does not begin with `/` [invalid-path]
        c/webviewguard.yaml:1:37: error: `fast` is not one of `written`, `synced` [unknown-value]
        c/webviewguard.yaml:1:57: error: `allow` is not one of `block`, `continue` [unknown-value]
        c/webviewguard.yaml:1:77: error: unknown key `host` [unknown-key]
          hint: known keys: `credentials`, `path`, `query`, `fragment`, `filePath`
        c/webviewguard.yaml:2:25: error: expected a whole number from 4096 to 16777216, found `1` [out-of-range]
        c/webviewguard.yaml:2:41: error: expected a whole number from 1 to 65536, found `many` [wrong-type]
        c/webviewguard.yaml:3:25: error: `block` is not one of `closed`, `open` [unknown-value]
        c/webviewguard.yaml:4:19: error: `run/guard.sock` does not begin with `/` [invalid-path]
        c/webviewguard.yaml:4:42: error: the path has more than 107 bytes [invalid-path]
        """)
  }

  @Test func listsAndBrowsersInTwoFilesAreErrors() {
    let one = "apps: { x: {} }\nbrowsers: { managed: {}, unmanaged: {} }\nlinks: { exempt: [], managed: [] }"
    let two = "protections: { p: {} }\nbrowsers: { managed: {}, unmanaged: {} }\nlinks: { exempt: [], managed: [] }"
    let places = [
      "browsers.managed": "2:13", "browsers.unmanaged": "2:26", "links.exempt": "3:10", "links.managed": "3:22",
    ]
    let expected = places.sorted { $0.value < $1.value }.map { key, place in
      "c/policy.d/b.yaml:\(place): error: key `\(key)` is defined already at c/policy.d/a.yaml:\(place) [defined-twice]"
        + "\n  hint: keep one of the two"
    }
    #expect(
      load(["policy.d/a.yaml": one, "policy.d/b.yaml": two]).diagnostics.description
        == expected.joined(separator: "\n"))
  }

  /// Unknown names speak of nobody, and never of more than was written.
  @Test func unknownNamesSpeakOfNobody() throws {
    let policy = try #require(
      load([
        "policy.d/a.yaml": """
        apps: { x: { peers: [{ unit: u, group: stuff }, { unit: v, group: staff }, { user: nobody }] } }
        protections: { p: { accounts: [{ group: stuff }, { group: sales }] } }
        """
      ]).policy)
    #expect(policy.apps.first?.peers == [PeerRule(group: 50, unit: "v")])
    #expect(policy.protections.first?.groups == [51])
  }

  @Test(arguments: [
    ("accounts: [{ upn: a@b, protection: p }]", 1), ("accounts: [{ upn: a@b }]", 0),
    ("accounts: [{ upn: A@C }, { upn: d@e }]", 1), ("accounts: [{ upn: a@c }, { upn: b@c }]", 2),
  ])
  func singleModeNeedsOneManagedAccount(accounts: String, managed: Int) {
    let yaml = """
      apps: { x: { identityMode: single, peers: [{ sameUser: true }] } }
      protections: { p: { accounts: ["*@c"] } }
      \(accounts)
      """
    let expected = """
      f:1:9: info: app `x` has to say whose data it shows (`SetIdentity`) before anything passes: it runs as one account, \
      and the policy names \(managed > 1 ? "more than one managed account" : "no managed account by itself") [no-single-account]
        hint: for an app that does not say so, state its `account`, or name exactly one managed account
      """
    #expect(Self.problems(yaml) == (managed == 1 ? "" : expected))
    #expect(Self.problems(yaml.replacing("single,", with: "single, account: \"\",")) == "")
  }

  @Test func fixedAccountsAreKept() {
    let accounts = ["null": nil, "\"\"": "", "A@b": "A@b"] as [String: String?]
    for (text, account) in accounts {
      let app = load(["policy.d/a.yaml": "apps: { x: { account: \(text) } }"]).policy?.apps.first
      #expect(app?.name == "x")
      #expect(app?.account == account)
    }
  }
}
