import GuardModel
import PolicyEngine
import Testing
import URLRules
import URLStandard

/// Which navigation may carry the proof that a person is signed in (`signIn`), and every neighbour of it.
struct SignInTests {
  private static let page = "https://login.microsoftonline.com/common/oauth2/authorize?client_id=a"

  /// Class `documents` signs in at the given hosts, as do the classes without rules and without accounts.
  private static func policy(_ hosts: [LoginHost] = [.global]) -> ExamplePolicy {
    ExamplePolicy().with { policy in
      policy.ruleDefault = .internal
      for place in policy.app.classes.indices { policy.app.classes[place].signIn = hosts }
      policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    }
  }

  private static func example(_ policy: ExamplePolicy = policy(), as account: String? = Name.work) throws -> Example {
    try Example(policy, as: account)
  }

  @Test func aSignInPageInAManagedViewMayCarryIt() throws {
    var example = try Self.example()
    for url in [
      Self.page, "https://login.microsoftonline.com", "HTTPS://LOGIN.MicrosoftOnline.COM/x",
      "https://login.microsoftonline.com:443/", " https:login.microsoftonline.com/ ",
      "https://login%2Emicrosoftonline%2Ecom/", "https:\\\\login.microsoftonline.com\\x",
      "https://ｌogin.microsoftonline.com/", "https://login.microsoftonline.com/@evil.example",
      "https://login.microsoftonline.com/#x",
    ] {
      for viewer in ["D", "C"] {
        let decision = example.navigate(url, in: viewer)
        #expect(decision.outcome == .allow && decision.flags[.signIn], "\(url) in \(viewer)")
      }
    }
  }

  @Test(arguments: [
    "http://login.microsoftonline.com/", "https://login.microsoftonline.com:8443/",
    "https://login.microsoftonline.com:80/",
    "https://login.microsoftonline.com./", "https://login.microsoftonline.com../",
    "https://user@login.microsoftonline.com/",
    "https://user:password@login.microsoftonline.com/", "https://login.microsoftonline.com@evil.example/",
    "https://login.microsoftonline.com%40evil.example/", "https://login.microsoftonline.com.evil.example/",
    "https://evil.example/https://login.microsoftonline.com/", "https://a.login.microsoftonline.com/",
    "https://microsoftonline.com/", "https://login.microsoftonline.co/", "https://login-microsoftonline.com/",
    "https://login.microsoftonl1ne.com/", "https://lоgin.microsoftonline.com/", "https://login.microsoftonline.cοm/",
    "https://xn--lgin-6cd.microsoftonline.com/", "https://login.microsoftonline.com%00.evil.example/",
    "https://login.microsoftonline.com%2f.evil.example/", "https://evil.example\\@login.microsoftonline.com/",
    "https://evil.example/\\@login.microsoftonline.com/", "https://evil.example#@login.microsoftonline.com/",
    "https://login.microsoftonline.us/", "https://login.partner.microsoftonline.cn/", "https://login.windows.net/",
    "https://login.live.com/", "wss://login.microsoftonline.com/", "ftp://login.microsoftonline.com/",
    "view-source:https://login.microsoftonline.com/", "blob:https://login.microsoftonline.com/x",
    "filesystem:https://login.microsoftonline.com/temporary/x", "data:text/html,https://login.microsoftonline.com/",
    "javascript:location='https://login.microsoftonline.com/'", "//login.microsoftonline.com/",
    "login.microsoftonline.com",
    "about:blank", "file://login.microsoftonline.com/x", "https://", "",
  ])
  func noOtherPageMay(_ url: String) throws {
    var example = try Self.example()
    #expect(!example.navigate(url).flags[.signIn])
    #expect(!example.navigate(nil).flags[.signIn])
  }

  @Test func eachCloudHasItsOwnPages() throws {
    for host in LoginHost.allCases {
      var example = try Self.example(Self.policy([host]))
      for other in LoginHost.allCases {
        #expect(example.navigate("https://\(other.rawValue)/x").flags[.signIn] == (other == host))
      }
    }
    var none = try Self.example(Self.policy([]))
    #expect(!none.navigate(Self.page).flags[.signIn])
    var all = try Self.example(Self.policy(LoginHost.allCases))
    for host in LoginHost.allCases { #expect(all.navigate("https://\(host.rawValue)/").flags[.signIn]) }
  }

  /// The wire spells a page of the host one way only, and the agent asks the same question again.
  @Test func aPageIsToldByItsWholeBeginning() {
    for host in LoginHost.allCases {
      let whole = "https://\(host.rawValue)/"
      #expect(host.isPage(Array(whole.utf8)) && host.isPage(Array("\(whole)x?y#z".utf8)))
      for count in 0..<whole.utf8.count { #expect(!host.isPage(Array(whole.utf8.prefix(count)))) }
      for place in whole.utf8.indices {
        var bytes = Array(whole.utf8)
        bytes[whole.utf8.distance(from: whole.startIndex, to: place)] ^= 0x20
        #expect(!host.isPage(bytes), "\(String(decoding: bytes, as: UTF8.self))")
      }
      #expect(LoginHost(rawValue: host.rawValue) == host)
    }
    #expect(LoginHost(rawValue: "login.windows.net") == nil && LoginHost(rawValue: "") == nil)
  }

  // MARK: What is asked

  @Test func onlyANavigationOfTheMainFrameMay() throws {
    var example = try Self.example()
    for frame in Frame.allCases where frame != .main {
      #expect(!example.navigate(Self.page, frame: frame).flags[.signIn], "\(frame)")
    }
    #expect(!example.navigate(Self.page) { $0.opensWindow = true }.flags[.signIn])
    #expect(!example.navigate(Self.page) { $0.isSameDocument = true }.flags[.signIn])
    #expect(!example.navigate(Self.page) { $0.isProbe = true }.flags[.signIn])
    // A hop on the way there is a navigation of its own, and the next one is as well.
    for hop in [Ternary.yes, .no, .unknown] { #expect(example.navigate(Self.page) { $0.hop = hop }.flags[.signIn]) }
    for kind in EventKind.allCases where kind != .navigate {
      let event = Event.data(kind, url: Self.page) { $0.frame = .main }
      let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
      #expect(!decision.flags[.signIn], "\(kind)")
    }
  }

  @Test func aPageThatIsNotAllowedMayNot() throws {
    let blocking = Rule(
      id: "login", verdict: .external, condition: .host(Array(LoginHost.global.rawValue.utf8)), then: .block)
    var example = try Self.example(Self.policy().with { $0.rules = [blocking] })
    let decision = example.navigate(Self.page)
    #expect(decision.outcome != .allow && !decision.flags[.signIn])
  }

  // MARK: Where it is asked

  @Test func onlyARegisteredViewerOfANamedClassMay() throws {
    var example = try Self.example(Self.policy().with { $0.app.classes[1].signIn = [] })
    for viewer in [nil, "", "who", "d", "D "] {
      #expect(!example.navigate(Self.page, in: viewer).flags[.signIn], "\(viewer ?? "none")")
    }
    #expect(!example.navigate(Self.page, in: "C").flags[.signIn])
    #expect(example.navigate(Self.page, in: "D").flags[.signIn])
  }

  /// A view without a tag counts as the account that is signed in; one that is tagged `unmanaged` as nobody.
  @Test func anUnmanagedViewMayNot() throws {
    var open = ViewerClass(name: "open")
    open.signIn = [.global]
    var example = try Self.example(Self.policy().with { $0.app.classes.append(open) })
    try example.register(ViewerDescription("O", class: "open"))
    #expect(!example.navigate(Self.page, in: "P").flags[.signIn])
    #expect(example.navigate(Self.page, in: "O").flags[.signIn])
    for (policy, isWanted) in [
      (WebViewPolicy.unmanaged, false), (.currentIdentity, true), (.unmanaged, false),
      (.currentIdentityBlockUpload, true), (.unset, true),
    ] {
      try example.tag("O", policy)
      #expect(example.navigate(Self.page, in: "O").flags[.signIn] == isWanted, "\(policy)")
    }
  }

  /// Nobody yet, nobody, and a private account.
  @Test(arguments: [nil, "", Name.home] as [String?])
  func aViewWithoutAManagedAccountMayNot(_ account: String?) throws {
    var example = try Self.example(as: account)
    for viewer in ["D", "C", "P"] { #expect(!example.navigate(Self.page, in: viewer).flags[.signIn]) }
  }

  @Test func theAccountOfTheWindowCounts() throws {
    var example = try Self.example(as: Name.home)
    try example.set(Name.work, window: "w")
    try example.register(ViewerDescription("W", class: "documents", window: "w"))
    #expect(example.navigate(Self.page, in: "W").flags[.signIn])
    #expect(!example.navigate(Self.page, in: "D").flags[.signIn])
    try example.set(Name.home, window: "w")
    #expect(!example.navigate(Self.page, in: "W").flags[.signIn])
  }

  @Test func severalAccountsInOneViewMayNot() throws {
    for accounts in [[Name.work, Name.home], [Name.work, ""], [Name.work, Name.second]] {
      var example = try Self.example()
      let identities = try accounts.map { try example.state.identity($0, in: example.portal, example.snapshot) }
      _ = try example.state.setIdentities(identities, ofWindow: "w", in: example.portal, example.snapshot)
      try example.register(ViewerDescription("M", class: "documents", window: "w"))
      #expect(!example.navigate(Self.page, in: "M").flags[.signIn], "\(accounts)")
      #expect(example.navigate(Self.page, in: "D").flags[.signIn])
    }
  }

  @Test(arguments: [AccountState.blocked, .nonCompliant, .wiped])
  func anAccountThatMayNotWorkMayNot(_ state: AccountState) throws {
    var example = try Self.example(Self.policy().with { $0.work.state = state })
    #expect(!example.navigate(Self.page).flags[.signIn])
  }

  /// Signing in is no way around the list of accounts that an app takes.
  @Test func anAccountThatTheAppDoesNotTakeMayNot() throws {
    var example = try Self.example(Self.policy().with { $0.app.accounts.allowed = ["*@fabrikam.com"] })
    #expect(!example.navigate(Self.page).flags[.signIn])
  }

  @Test func withoutAPolicyAndAfterItsEndNobodyMay() throws {
    var none = try Self.example(Self.policy().with { ($0.number, $0.policyRequired) = (0, false) })
    let decision = none.navigate(Self.page)
    #expect(decision.outcome == .allow && !decision.flags[.signIn])
    var example = try Self.example()
    example.reload(Self.policy([]))
    #expect(!example.navigate(Self.page).flags[.signIn])
    example.reload(Self.policy())
    #expect(example.navigate(Self.page).flags[.signIn])
    example.reload(Self.policy().with { $0.app.name = "com.contoso.other" })
    #expect(!example.navigate(Self.page).flags[.signIn])
  }
}
