import GuardModel
import PolicyEngine
import Testing
import URLRules

/// The words of a decision.
struct ReportTests {
  private func report(_ url: String, in viewer: String? = "D", _ policy: ExamplePolicy = ExamplePolicy()) throws
    -> DecisionReport
  {
    var example = try Example(policy)
    let decision = example.navigate(url, in: viewer)
    return example.state.report(decision, example.snapshot)
  }

  @Test
  func aReportNamesWhatDecided() throws {
    let inside = try report("https://contoso.com/")
    #expect(inside.ruleSet == "contoso-documents" && inside.rule == "tenant" && inside.ruleLocation == "r.yaml:4:5")
    #expect(
      inside.viewerClass == "documents" && inside.identity == "work@contoso.com"
        && inside.protection == "contoso-standard")
    #expect(inside.policySource == .viewerClass && inside.identityLevel == .process && inside.verdict == .internal)
    #expect(inside.open == nil && inside.message == nil && inside.replacement == nil && inside.clip == nil)
    let outside = try report("https://news.example/")
    #expect(outside.rule == "default" && outside.ruleLocation == "r.yaml:2:1")
    let unruled = try report("https://news.example/", in: "C")
    #expect(unruled.ruleSet == nil && unruled.rule == nil)
    #expect(try report("https://x.example/", in: nil).flags[.viewerIsUnknown])
    #expect(try report("https://x.example/", in: "P").identity == "")
  }

  @Test(arguments: [
    ("https://www.evil.example/a?b", "www.evil.example is a file-sharing site: https://www.evil.example/a?b"),
    ("view-source:https://evil.example/", "evil.example is a file-sharing site: view-source:https://evil.example/"),
    ("wss://evil.example/s", "evil.example is a file-sharing site: wss://evil.example/s"),
  ])
  func messagesNameTheHostAndTheURL(_ url: String, _ message: String) throws {
    #expect(try report(url).message == message)
  }

  @Test
  func messagesKeepOtherBraces() throws {
    let policy = ExamplePolicy().with { $0.rules[1].message = "{ho{host}{nothing} {{url}" }
    #expect(try report("https://evil.example/", policy).message == "{hoevil.example{nothing} {https://evil.example/")
  }

  @Test
  func whatIsAllowedNeedsNoMessage() throws {
    let policy = ExamplePolicy().with {
      $0.rules[1].then = .none
      $0.protection.webTransfer = .any
    }
    let report = try report("https://evil.example/", policy)
    #expect(report.outcome == .allow && report.rule == "sharing" && report.message == nil)
  }

  @Test
  func anOfferIsReadyToUse() throws {
    let redirect = try report("https://user@news.example:443/a b#c").open
    #expect(
      redirect
        == OpenOffer(
          target: "managedBrowser", desktopID: "com.microsoft.Edge.desktop",
          argv: ["edge", "--new", "https://user@news.example/a%20b#c"], url: "https://user@news.example/a%20b#c"))
    #expect(try report("skype:x").open == OpenOffer(target: "schemeHandler", url: "skype:x"))
  }

  @Test
  func templatesWrapTheURLOnce() throws {
    let policy = ExamplePolicy().with { $0.browsers.managed?.program.template = "edge:{url}?{url}" }
    let offer = try report("https://news.example/?{url}", policy).open
    #expect(offer?.url == "edge:https://news.example/?{url}?https://news.example/?{url}")
    #expect(offer?.argv == ["edge", "--new", "edge:https://news.example/?{url}?https://news.example/?{url}"])
  }

  /// Ledger WT-04.
  @Test(arguments: [
    ("http://news.example/x", "mybrowser://news.example/x"), ("https://news.example/x", "mybrowsers://news.example/x"),
    ("file:///x", "file:///x"),
  ])
  func theUnmanagedBrowserTakesItsOwnScheme(_ url: String, _ rewritten: String) throws {
    let policy = ExamplePolicy().with { $0.protection.webTransfer = .unmanagedBrowser }
    #expect(try report(url, policy).open?.url == rewritten)
    let plain = policy.with { $0.browsers.unmanaged?.scheme = nil }
    #expect(try report(url, plain).open?.url == url)
  }

  @Test
  func aManagedLinkFallsBackToTheBrowser() throws {
    let teams = Rule(id: "teams", verdict: .internal, condition: .domain(Array("teams.example".utf8)))
    let list = LinkList(rules: [teams], programs: [Program(desktopID: "teams.desktop", template: "teams:{url}")])
    let managed = try report("https://teams.example/", ExamplePolicy().with { $0.links.managed = list }).open
    #expect(
      managed?.target == "managedLink" && managed?.desktopID == "teams.desktop"
        && managed?.url == "teams:https://teams.example/")
    #expect(managed?.fallback.map(\.target) == ["managedBrowser"])
    #expect(managed?.fallback.first?.url == "https://teams.example/")
    let exempt = try report("https://teams.example/", ExamplePolicy().with { $0.links.exempt = list }).open
    #expect(exempt?.target == "exemptLink" && exempt?.fallback == [])
  }

  @Test
  func aBlockedSubFrameKeepsTheOffer() throws {
    var example = try Example(ExamplePolicy().with { $0.app.classes[0].subFrames = true })
    let decision = example.navigate("https://news.example/", frame: .sub)
    let report = example.state.report(decision, example.snapshot)
    #expect(report.outcome == .block && report.offered == .redirect && report.open?.target == "managedBrowser")
  }

  @Test
  func clipsAreDescribed() throws {
    var example = try Example(
      ExamplePolicy().with {
        $0.protection.clipboard.exceptionLength = 3
        $0.protection.clipboard.replacement = "not here"
      })
    let copy = example.clip(.copy, length: 5)
    let copied = example.state.report(copy, example.snapshot)
    #expect(
      copied.clip == "clip-000000000000002a-1" && copied.clipOwner == "work@contoso.com"
        && copied.replacement == "not here")
    let paste = example.clip(.paste, in: "P", length: 5)
    let refused = example.state.report(paste, example.snapshot)
    #expect(refused.replacement == "not here" && refused.limit == 3 && refused.protection == "contoso-standard")
    #expect(refused.reason == .orgDataOverLimit && refused.clipOwner == "work@contoso.com")
    let unknown = example.clip(.paste, .drag, in: "P")
    let nobodyKnows = example.state.report(unknown, example.snapshot)
    #expect(nobodyKnows.replacement == ClipboardSettings.standardReplacement && nobodyKnows.clipOwner == nil)
  }

  /// The names in its texts are those of its own question, whatever was asked since.
  @Test
  func aReportOutlivesTheNextQuestion() throws {
    var engine = Guard(epoch: 42, under: try Example().snapshot)
    let portal = try engine.attach(app: "com.contoso.portal", peer: Peer(uid: 1000), at: 1)
    let caller = Caller(portal, connection: 1)
    try engine.perform(.registerViewer(ViewerDescription("D", class: "documents")), for: caller, at: 1)
    try engine.perform(.setIdentity(IdentityStatement(.process, account: "work@contoso.com")), for: caller, at: 1)
    var rulings = [Ruling(), Ruling()]
    for (index, url) in ["https://a.evil.example/1", "https://b.evil.example/2"].enumerated() {
      var event = Event(.navigate)
      event.viewer = event.append("D")
      event.url = event.append(url)
      event.frame = .main
      try engine.decide(&event, for: caller, at: 2, into: &rulings[index])
    }
    let messages = rulings.map { engine.report($0, for: portal).message }
    #expect(
      messages == [
        "a.evil.example is a file-sharing site: https://a.evil.example/1",
        "b.evil.example is a file-sharing site: https://b.evil.example/2",
      ])
    #expect(rulings.indices.map { rulings[$0].judgedURL()?.bytes.count } == [24, 24])
  }

  @Test
  func theURLsPartsAreThoseOfTheTextThatWasRead() throws {
    var example = try Example()
    _ = example.navigate("https://user:pass@news.example:8443/a?q#f", from: "mailto:x?y#z")
    let url = try #require(example.state.readURLs.url)
    func part(_ range: Range<Int>, of text: URLText) -> String { String(decoding: text.bytes[range], as: UTF8.self) }
    #expect(part(url.credentials, of: url) == "user:pass@" && part(url.host, of: url) == "news.example:8443")
    #expect(part(url.path, of: url) == "/a" && part(url.query, of: url) == "?q" && part(url.fragment, of: url) == "#f")
    let from = try #require(example.state.readURLs.from)
    #expect(
      part(from.path, of: from) == "x" && part(from.query, of: from) == "?y" && part(from.fragment, of: from) == "#z")
    #expect(from.host.isEmpty && from.credentials.isEmpty)
  }
}
