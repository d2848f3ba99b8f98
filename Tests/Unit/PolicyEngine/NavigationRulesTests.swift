import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// The amendments' navigation, steps 8 to 10: what the rules say, and what external means.
struct NavigationRulesTests {
  // MARK: 8. Rules

  @Test
  func withoutRulesEverythingIsTheOrganisations() throws {
    var example = try Example()
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.allow, .noRules))
  }

  @Test
  func theDecisionNamesWhatDecided() throws {
    var example = try Example()
    let inside = example.navigate("https://contoso.com/")
    #expect(Answer(inside) == Answer(.allow, .internal))
    #expect(inside.verdict == .internal && inside.ruleSet == 0 && inside.rule == 0)
    #expect(inside.policy == .currentIdentity && inside.policySource == .viewerClass && inside.viewerClass == 0)
    #expect(inside.identityLevel == .process && inside.protection == 0 && inside.app == 0)
    let outside = example.navigate("https://news.example/")
    #expect(
      outside.verdict == .external && outside.ruleSet == 0 && outside.rule == nil && outside.target == .managedBrowser)
  }

  @Test
  func anUnknownFrameIsEither() throws {
    let policy = ExamplePolicy().with { $0.rules[0].purposes = .frame }
    var example = try Example(policy)
    #expect(Answer(example.navigate("https://contoso.com/", frame: .unknown)) == Answer(.block, .external))
    #expect(example.navigate("https://cloud.evil.example/", frame: .unknown).rule == 1)
    var both = try Example()
    #expect(Answer(both.navigate("https://contoso.com/", frame: .unknown)) == Answer(.block, .external))
    #expect(
      Answer(both.navigate("https://contoso.com/", frame: .unknown) { $0.opensWindow = true })
        == Answer(.allow, .internal))
  }

  // MARK: 9. External

  @Test(arguments: [
    (WebTransfer.any, Answer(.allow, .externalInPlace), Target.none),
    (.managedBrowser, Answer(.redirect, .external), .managedBrowser),
    (.unmanagedBrowser, Answer(.redirect, .external), .unmanagedBrowser),
    (.block, Answer(.block, .externalBlocked), .none),
  ])
  func webTransferSaysWhatExternalMeans(_ transfer: WebTransfer, _ answer: Answer, _ target: Target) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.webTransfer = transfer })
    let decision = example.navigate("https://news.example/")
    #expect(Answer(decision) == answer)
    #expect(decision.target == target)
  }

  @Test(arguments: [
    (WebTransfer.any, Answer(.redirect, .external), Target.managedBrowser),
    (.unmanagedBrowser, Answer(.redirect, .external), .unmanagedBrowser),
    (.block, Answer(.block, .externalBlocked), .none),
  ])
  func aRulesRedirectOnlyTightens(_ transfer: WebTransfer, _ answer: Answer, _ target: Target) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.webTransfer = transfer })
    let decision = example.navigate("https://watched.example/")
    #expect(Answer(decision) == answer)
    #expect(decision.target == target)
  }

  /// WT-07: several managed browsers, in their order and by app; each of them is one.
  @Test
  func severalManagedBrowsersAreOfferedInOrder() throws {
    func browser(_ name: String, app: String? = nil, for apps: [String] = []) -> ManagedBrowser {
      var browser = ManagedBrowser(program: Program(desktopID: name), app: app)
      browser.apps = apps
      return browser
    }
    var first = browser("notes-only.desktop", for: ["com.contoso.notes"])
    first.alternatives = [
      browser("first.desktop"), browser("second.desktop", app: "com.contoso.browser", for: ["com.contoso.portal"]),
      browser("other.desktop", for: ["com.contoso.browser"]),
    ]
    var example = try Example(ExamplePolicy().with { $0.browsers.managed = first })
    let decision = example.navigate("https://news.example/")
    #expect(Answer(decision) == Answer(.redirect, .external))
    let offer = try #require(example.state.report(decision, example.snapshot).open)
    #expect(offer.desktopID == "first.desktop" && offer.fallback.map(\.desktopID) == ["second.desktop"])
    // One of them is never sent elsewhere, whichever it is.
    var inBrowser = try Example(
      ExamplePolicy().with {
        $0.browsers.managed = first
        $0.browsers.managed?.alternatives[1].app = "com.contoso.portal"
      })
    #expect(Answer(inBrowser.navigate("https://news.example/")) == Answer(.allow, .isManagedBrowser))
    // An app for which none is meant has none.
    let none = ExamplePolicy().with { $0.browsers.managed = browser("a.desktop", for: ["com.contoso.notes"]) }
    var without = try Example(none)
    #expect(Answer(without.navigate("https://news.example/")) == Answer(.block, .managedBrowserUnavailable))
  }

  @Test(arguments: [WebTransfer.managedBrowser, .unmanagedBrowser])
  func aBrowserThatIsNotConfiguredBlocks(_ transfer: WebTransfer) throws {
    var example = try Example(
      ExamplePolicy().with { ($0.browsers, $0.protection.webTransfer) = (Browsers(), transfer) })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.block, .managedBrowserUnavailable))
  }

  @Test
  func theManagedBrowserIsNotSentToItself() throws {
    var example = try Example(ExamplePolicy().with { $0.browsers.managed?.app = "com.contoso.portal" })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .isManagedBrowser))
    #expect(Answer(example.navigate("https://cloud.evil.example/")) == Answer(.block, .blockedByRule))
  }

  @Test
  func linksComeBeforeTheBrowserAndBehindTheRules() throws {
    let maps = Rule(id: "maps", verdict: .external, condition: .domain(Array("maps.example".utf8)))
    let both = Rule(id: "both", verdict: .internal, condition: .domain(Array("both.example".utf8)))
    let evil = Rule(id: "evil", verdict: .internal, condition: .domain(Array("evil.example".utf8)))
    let unknown = Rule(id: "hop", verdict: .external, condition: .hop(true))
    let policy = ExamplePolicy().with {
      $0.links.exempt = LinkList(rules: [unknown, maps, both, evil], programs: Array(repeating: Program(), count: 4))
      $0.links.managed = LinkList(
        rules: [both, Rule(id: "t", verdict: .internal, condition: .host(Array("teams.example".utf8)))],
        programs: [Program(), Program()])
      $0.protection.webTransfer = .block
    }
    var example = try Example(policy)
    #expect(example.navigate("https://www.maps.example/").target == .exemptLink(1))
    #expect(example.navigate("https://both.example/").target == .exemptLink(2))
    #expect(Answer(example.navigate("https://maps.example/")) == Answer(.handOff, .exemptLink))
    #expect(Answer(example.navigate("https://teams.example/")) == Answer(.handOff, .managedLink))
    #expect(Answer(example.navigate("https://evil.example/")) == Answer(.block, .blockedByRule))
    #expect(Answer(example.navigate("https://user@maps.example/")) == Answer(.block, .externalBlocked))
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.block, .externalBlocked))
    let frame = example.navigate("https://maps.example/", frame: .unknown)
    #expect(Answer(frame) == Answer(.block, .exemptLink))
    #expect(frame.offered == .handOff && frame.target == .exemptLink(1))
  }

  // MARK: 10. Frames and methods

  @Test(arguments: [Frame.unknown, .sub])
  func onlyMainFramesLeave(_ frame: Frame) throws {
    var example = try Example(ExamplePolicy().with { $0.app.classes[0].subFrames = true })
    let page = example.navigate("https://news.example/", frame: frame)
    #expect(Answer(page) == Answer(.block, .external))
    #expect(page.offered == .redirect && page.target == .managedBrowser)
    let scheme = example.navigate("skype:x", frame: frame)
    #expect(Answer(scheme) == Answer(.block, .exemptScheme))
    #expect(scheme.offered == .handOff && scheme.target == .schemeHandler)
  }

  @Test(
    arguments: [(nil, false), ("GET", false), ("POST", true), ("HEAD", true), ("get", true), ("", true)]
      as [(String?, Bool)])
  func onlyTheURLTravels(_ method: String?, _ dropped: Bool) throws {
    var example = try Example()
    let decision = example.navigate("https://news.example/") { event in event.method = method.map { event.append($0) } }
    #expect(decision.flags[.bodyDropped] == dropped)
    let internally = example.navigate("https://contoso.com/") { event in
      event.method = method.map { event.append($0) }
    }
    #expect(!internally.flags[.bodyDropped])
  }
}
