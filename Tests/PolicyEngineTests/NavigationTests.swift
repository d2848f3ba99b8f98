import GuardModel
import PolicyEngine
import Testing
import URLRules

/// The amendments' navigation, step by step: each reason at least once.
struct NavigationTests {
  // MARK: 1. No policy

  @Test(arguments: [(true, Outcome.block), (false, .allow)])
  func withoutAPolicyPolicyRequiredDecides(_ required: Bool, _ outcome: Outcome) throws {
    var example = try Example(ExamplePolicy().with { ($0.number, $0.policyRequired) = (0, required) })
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(outcome, .noPolicy))
    #expect(Answer(example.clip(.paste)) == Answer(outcome, .noPolicy))
    #expect(Decision() == Decision(.block, .unknownEvent))
    #expect(
      Answer(decide(Event(.navigate), of: example.portal, &example.state, under: Snapshot()))
        == Answer(.block, .noPolicy))
  }

  @Test
  func anAppThatLeftThePolicyIsBlocked() throws {
    var example = try Example()
    example.reload(ExamplePolicy().with { $0.app.name = "com.contoso.other" })
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.block, .unknownApp))
    example.reload(ExamplePolicy())
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.allow, .internal))
    example.state.end(example.portal)
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.block, .unknownApp))
  }

  @Test
  func anUnknownKindOfEventIsBlocked() throws {
    var example = try Example()
    #expect(
      Answer(decide(Event(), of: example.portal, &example.state, under: example.snapshot))
        == Answer(.block, .unknownEvent))
  }

  // MARK: 3, 4. Identity and standing

  @Test(arguments: [(UntilIdentity.allow, Answer(.allow, .noIdentity)), (.block, Answer(.block, .noIdentity))])
  func untilAnIdentityIsSetTheAppsSettingDecides(_ setting: UntilIdentity, _ answer: Answer) throws {
    var example = try Example(ExamplePolicy().with { $0.app.untilIdentity = setting }, as: nil)
    #expect(Answer(example.navigate("https://evil.example/")) == answer)
    #expect(Answer(example.navigate("https://evil.example/", in: "P")) == Answer(.allow, .noManagedIdentity))
    try example.set("")
    #expect(Answer(example.navigate("https://evil.example/")) == Answer(.allow, .noManagedIdentity))
  }

  @Test(arguments: [
    (AccountState.blocked, Reason.accountBlocked), (.nonCompliant, .accountNotCompliant), (.wiped, .accountWiped),
  ])
  func anAccountInBadStandingIsBlocked(_ state: AccountState, _ reason: Reason) throws {
    var example = try Example(ExamplePolicy().with { $0.work.state = state })
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.block, reason))
    #expect(Answer(example.clip(.copy)) == Answer(.block, reason))
    #expect(Answer(example.clip(.paste)) == Answer(.block, reason))
    #expect(Answer(example.navigate("https://evil.example/", in: "P")) == Answer(.allow, .noManagedIdentity))
  }

  // MARK: 5. Nobody and unmanaged; popups

  @Test
  func nobodyAndUnmanagedAreFree() throws {
    var example = try Example(as: "private@home.example")
    #expect(Answer(example.navigate("https://evil.example/")) == Answer(.allow, .unmanaged))
    #expect(Answer(example.navigate("not a url")) == Answer(.allow, .unmanaged))
    try example.set("")
    #expect(Answer(example.navigate("https://evil.example/")) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func rulesThatApplyAlwaysBindNobodyToo() throws {
    let policy = ExamplePolicy().with { $0.app.classes[0].rulesApply = .always }
    var example = try Example(policy, as: "")
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.allow, .internal))
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
    #expect(Answer(example.navigate("skype:x")) == Answer(.handOff, .noManagedIdentity))
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.navigate("https://news.example/", in: "unheard-of")) == Answer(.redirect, .external))
  }

  @Test
  func rulesThatApplyAlwaysTakeTheStrictestWebTransfer() throws {
    var strict = Protection(name: "strict")
    strict.webTransfer = .block
    let policy = ExamplePolicy().with {
      $0.app.classes[0].rulesApply = .always
      $0.otherProtections = [strict]
    }
    var example = try Example(policy, as: "private@home.example")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.block, .externalBlocked))
    try example.set("work@contoso.com")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
  }

  @Test
  func popupsMayBeBlocked() throws {
    var example = try Example(ExamplePolicy().with { $0.app.popups = .block })
    let opens: (inout Event) -> Void = { $0.opensWindow = true }
    #expect(Answer(example.navigate("https://contoso.com/", with: opens)) == Answer(.block, .popupBlocked))
    #expect(Answer(example.navigate("not a url", with: opens)) == Answer(.block, .popupBlocked))
    #expect(Answer(example.navigate("https://contoso.com/")) == Answer(.allow, .internal))
    try example.set("")
    #expect(Answer(example.navigate("https://contoso.com/", with: opens)) == Answer(.allow, .noManagedIdentity))
  }

  @Test
  func aPopupIsJudgedByItsOpenersRules() throws {
    var example = try Example()
    let opens: (inout Event) -> Void = { $0.opensWindow = true }
    #expect(Answer(example.navigate("https://cloud.evil.example/", with: opens)) == Answer(.block, .blockedByRule))
    #expect(
      Answer(example.navigate("https://news.example/", frame: .unknown, with: opens)) == Answer(.block, .external))
  }

  @Test
  func aWindowThatASubFrameOpensIsNoSubFrame() throws {
    var example = try Example()
    let decision = example.navigate("https://news.example/", frame: .sub) { $0.opensWindow = true }
    #expect(Answer(decision) == Answer(.block, .external))
    #expect(decision.offered == .redirect)
  }

  // MARK: 6. Reading

  @Test(arguments: [
    nil, "", "contoso.com", "https://exa mple.com/",
    "view-source:view-source:view-source:view-source:view-source:https://contoso.com/",
  ])
  func whatIsNoURLIsBlocked(_ url: String?) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.block, .invalidURL))
  }

  @Test(arguments: ["javascript:void(0)", "JAVASCRIPT:x", "view-source:javascript:1"])
  func scriptsMoveNoDocument(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.allow, .sameDocument))
  }

  @Test(
    arguments: [
      ("https://news.example/#b", "https://news.example/#a", Answer(.allow, .sameDocument)),
      ("https://news.example/other", "https://news.example./a", Answer(.allow, .sameDocument)),
      ("https://news.example/", nil, Answer(.redirect, .external)),
      ("https://news.example/", "https://contoso.com/", Answer(.redirect, .external)),
      ("https://news.example:8443/", "https://news.example/", Answer(.redirect, .external)),
      ("http://news.example/", "https://news.example/", Answer(.redirect, .external)),
      ("file:///etc/passwd", "file:///home/x", Answer(.redirect, .external)),
      ("skype:a", "skype:b", Answer(.handOff, .exemptScheme)),
      ("data:,a", "data:,a", Answer(.redirect, .external)),
      ("about:blank", "https://news.example/", Answer(.redirect, .external)),
    ] as [(String, String?, Answer)])
  func theEnginesWordForAMoveHoldsWithinAnOrigin(_ url: String, _ from: String?, _ answer: Answer) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url, from: from) { $0.isSameDocument = true }) == answer)
  }

  @Test
  func theSameURLWithoutTheEnginesWordIsNoMove() throws {
    var example = try Example()
    #expect(
      Answer(example.navigate("https://news.example/#b", from: "https://news.example/#a"))
        == Answer(.redirect, .external))
  }

  @Test(arguments: ["about:blank", "about:srcdoc", "data:text/html,x", "blob:null/7", "view-source:about:blank"])
  func whatAPageMadeIsJudgedAsThatPage(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url, from: "https://docs.contoso.com/")) == Answer(.allow, .internal))
    #expect(Answer(example.navigate(url, from: "https://cloud.evil.example/")) == Answer(.block, .blockedByRule))
    #expect(Answer(example.navigate(url, from: "https://user@contoso.com/")) == Answer(.redirect, .external))
    for unknown in [nil, "data:,x", "not a url", "about:blank"] {
      #expect(Answer(example.navigate(url, from: unknown)) == Answer(.redirect, .external))
    }
    #expect(Answer(example.navigate(url, in: "C")) == Answer(.allow, .noRules))
  }

  @Test(arguments: [
    "view-source:https://contoso.com/", "blob:https://contoso.com/1", "filesystem:https://contoso.com/temporary/",
    "wss://contoso.com/",
    "ws://mail.contoso.com./",
  ])
  func wrappedURLsAreJudgedAsTheOneInside(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.allow, .internal))
    let other = url.replacing("contoso.com", with: "news.example")
    #expect(Answer(example.navigate(other)) == Answer(.redirect, .external))
  }

  // MARK: 7. Schemes

  @Test
  func theAppsOwnSchemesLoadInPlace() throws {
    var example = try Example()
    #expect(Answer(example.navigate("contoso-portal://app/x")) == Answer(.allow, .handledInViewer))
    #expect(Answer(example.navigate("CONTOSO-PORTAL:x", frame: .sub)) == Answer(.allow, .handledInViewer))
  }

  @Test
  func filesAreExternalUnlessARuleSaysOtherwise() throws {
    var example = try Example()
    #expect(Answer(example.navigate("file:///d/42")) == Answer(.redirect, .external))
    #expect(Answer(example.navigate("file:///d/42", in: "C")) == Answer(.redirect, .external))
    #expect(example.navigate("file:///d/42", in: "C").ruleSet == nil)
    let files = Rule(id: "files", verdict: .internal, condition: .scheme(Array("file".utf8)))
    var lenient = try Example(ExamplePolicy().with { $0.rules.append(files) })
    #expect(Answer(lenient.navigate("file:///d/42")) == Answer(.allow, .internal))
  }

  // MARK: Sub-frames

  @Test
  func subFramesAreAskedWhereTheClassSaysSo() throws {
    var example = try Example()
    #expect(Answer(example.navigate("https://cloud.evil.example/", frame: .sub)) == Answer(.allow, .subFrame))
    #expect(Answer(example.navigate("not a url", frame: .sub)) == Answer(.block, .invalidURL))
    #expect(Answer(example.navigate("tel:1", frame: .sub)) == Answer(.block, .schemeClassAllowed))
    #expect(
      Answer(example.navigate("https://news.example/", in: "unheard-of", frame: .sub)) == Answer(.block, .external))
    let frames = ExamplePolicy().with {
      $0.app.classes[0].subFrames = true
      $0.rules[0].purposes = [.page, .frame]
    }
    var asked = try Example(frames)
    #expect(Answer(asked.navigate("https://contoso.com/", frame: .sub)) == Answer(.allow, .internal))
    #expect(Answer(asked.navigate("https://news.example/", frame: .sub)) == Answer(.block, .external))
  }

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
    #expect(decision.bodyDropped == dropped)
    #expect(
      !example.navigate("https://contoso.com/") { event in event.method = method.map { event.append($0) } }.bodyDropped)
  }

  // MARK: Unread

  @Test
  func aStepThatEndsBeforeTheURLLeavesItUnread() throws {
    var example = try Example()
    _ = example.navigate("https://contoso.com/", from: "https://www.contoso.com/")
    #expect(example.state.judgedURL != nil && example.state.judgedFrom != nil)
    _ = example.navigate("https://contoso.com/", in: "P", from: "https://www.contoso.com/")
    #expect(example.state.judgedURL == nil && example.state.judgedFrom == nil && !example.state.judgedURLIsInvalid)
    _ = example.navigate("not a url")
    #expect(example.state.judgedURL == nil && example.state.judgedURLIsInvalid)
    _ = example.clip(.copy)
    #expect(!example.state.judgedURLIsInvalid)
  }
}
