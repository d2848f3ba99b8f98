import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Which pages may be documents: rules with `same` trust what the app registered, so that a page must not become it.
struct DocumentTests {
  /// External pages load in place, and what has the origin of the document is internal.
  static let policy = ExamplePolicy().with {
    $0.protection.webTransfer = .any
    $0.rules.append(
      Rule(id: "own", verdict: .internal, condition: .same(.origin), purposes: [.page, .frame, .resource]))
  }
  private static let refused = Refusal.documentIsExternal(viewer: "D")

  @Test
  func noneOfAHundredExternalPagesIsADocument() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://first.example/", "D")
    let pages = (0..<100).map { "https://news\($0).example/" }
    for page in pages {
      #expect(Answer(example.navigate(page)) == Answer(.allow, .externalInPlace))
      #expect(throws: Self.refused) { try example.setDocument(page + "#top", "D") }
      #expect(throws: Self.refused) { try example.register(ViewerDescription("D", document: page)) }
    }
    for page in pages {
      #expect(throws: Self.refused) { try example.setDocument(page, "D") }
      #expect(Answer(example.navigate(page + "more", frame: .main)) == Answer(.allow, .externalInPlace))
    }
    // Another viewer has nothing to do with it.
    try example.setDocument(pages[0], "C")
  }

  @Test(arguments: [
    ("https://evil.example/", Frame.main), ("https://ads.example/", .sub), ("https://ads.example/", .resource),
  ])
  func onlyWhatIsLoadedInPlaceCounts(_ url: String, _ frame: Frame) throws {
    var example = try Example(Self.policy)
    _ = example.navigate(url, frame: frame)
    try example.setDocument("https://ads.example/", "D")
    // A redirect opens elsewhere.
    var redirecting = try Example(Self.policy.with { $0.protection.webTransfer = .managedBrowser })
    #expect(Answer(redirecting.navigate("https://ads.example/")) == Answer(.redirect, .external))
    try redirecting.setDocument("https://ads.example/", "D")
  }

  @Test
  func aFrameThatNobodyNamedMayBeTheMainOne() throws {
    var example = try Example(Self.policy)
    _ = example.navigate("https://news.example/", frame: .unknown)
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    // And may not be it, where the organisation's page would end that.
    _ = example.navigate("https://contoso.com/", frame: .unknown)
    try example.setDocument("https://contoso.com/", "D")
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
  }

  @Test
  func aRuleIsAskedAndADefaultIsNot() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://partner.example/", "D")
    #expect(throws: Self.refused) { try example.setDocument("https://evil.example/", "D") }
    #expect(throws: Self.refused) { try example.register(ViewerDescription("D", document: "https://watched.example/")) }
    #expect(throws: Refusal.documentIsExternal(viewer: "new")) {
      try example.register(ViewerDescription("new", class: "documents", document: "https://evil.example/"))
    }
    #expect(throws: Refusal.documentIsExternal(viewer: "popup")) {
      try example.register(ViewerDescription("popup", opener: "D", document: "https://evil.example/"))
    }
    // Where no rules are, none says external.
    try example.setDocument("https://evil.example/", "C")
    _ = example.navigate("https://news.example/")
    #expect(throws: Self.refused) { try example.setDocument("https://other.example/", "D") }
    try example.setDocument("https://docs.contoso.com/", "D")
  }

  /// What a rule compares with is what the page is to replace.
  @Test
  func rulesThatCompareAreNotAsked() throws {
    let apart = Rule(id: "apart", verdict: .external, condition: .not(.all([.same(.origin)])), then: .block)
    var example = try Example(Self.policy.with { $0.rules.append(apart) })
    try example.setDocument("https://first.example/", "D")
    try example.setDocument("https://second.example/", "D")
    _ = example.navigate("https://second.example/x")
    var loose = try Example(Self.policy)
    try loose.setDocument("https://first.example/", "D")
    _ = loose.navigate("https://news.example/")
    #expect(throws: Self.refused) { try loose.setDocument("https://first.example/second", "D") }
  }

  @Test
  func whatWasAcceptedLastIsAcceptedAgain() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://first.example/", "D")
    try example.setDocument("https://second.example/", "D")
    _ = example.navigate("https://news.example/")
    #expect(throws: Self.refused) { try example.setDocument("https://first.example/", "D") }
    try example.setDocument("https://second.example/#top", "D")
    // A document that is not known now was accepted all the same.
    try example.setDocument(nil, "D")
    try example.register(ViewerDescription("D", document: "https://second.example/"))
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    // Rules that came later change nothing for it.
    example.reload(Self.policy.with { $0.rules.insert(Self.rule(.external, "second.example"), at: 0) })
    try example.setDocument("https://second.example/", "D")
  }

  private static func rule(_ verdict: Verdict, _ host: String) -> Rule {
    Rule(id: "of \(host)", verdict: verdict, condition: .host(Array(host.utf8)))
  }

  // MARK: The end of an external page

  @Test
  func anAnswerAndThenItsReportEndIt() throws {
    var example = try Example(Self.policy)
    _ = example.navigate("https://news.example/")
    #expect(Answer(example.navigate("https://docs.contoso.com/a")) == Answer(.allow, .internal))
    try example.setDocument("https://docs.contoso.com/a#2", "D")
    try example.setDocument("https://partner.example/", "D")
  }

  /// An answer may end in a download, and a report may be a repetition.
  @Test
  func neitherAloneEndsIt() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://docs.contoso.com/", "D")
    _ = example.navigate("https://news.example/")
    for _ in 0..<40 { _ = example.navigate("https://docs.contoso.com/file.zip") }
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    var reported = try Example(Self.policy)
    _ = reported.navigate("https://news.example/")
    for _ in 0..<40 { try reported.setDocument("https://docs.contoso.com/", "D") }
    #expect(throws: Self.refused) { try reported.setDocument("https://news.example/", "D") }
    // The report of before does not make up for the answer after it.
    _ = reported.navigate("https://docs.contoso.com/other")
    try reported.setDocument("https://docs.contoso.com/", "D")
    #expect(throws: Self.refused) { try reported.setDocument("https://news.example/", "D") }
  }

  /// A client that lost its connection says again what it had said: that tells nothing of what is shown.
  @Test
  func aRegistrationThatRepeatsDoesNotEndIt() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://docs.contoso.com/", "D")
    _ = example.navigate("https://news.example/")
    _ = example.navigate("https://docs.contoso.com/")
    try example.register(ViewerDescription("D", document: "https://docs.contoso.com/"))
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    try example.setDocument("https://docs.contoso.com/", "D")
    try example.setDocument("https://partner.example/", "D")
  }

  @Test
  func whatHappensInThePageReportsIt() throws {
    var example = try Example(Self.policy)
    func ends(_ change: (inout Event) -> Void) throws -> Bool {
      var again = try Example(Self.policy)
      _ = again.navigate("https://news.example/")
      _ = again.navigate("https://docs.contoso.com/a")
      _ = again.navigate("https://docs.contoso.com/b", from: "https://docs.contoso.com/a#2", with: change)
      return (try? again.setDocument("https://partner.example/", "D")) != nil
    }
    #expect(try ends { _ in })
    #expect(try ends { $0.isSameDocument = true })
    #expect(try ends { $0.kind = .print })
    // The hop before it was never shown; a frame shows what it likes.
    #expect(try !ends { $0.hop = .yes })
    #expect(try !ends { $0.frame = .sub })
    #expect(try !ends { $0.frame = .resource })
    #expect(try !ends { $0.frame = .unknown })
    _ = example.navigate("https://news.example/")
    _ = example.navigate("https://docs.contoso.com/a")
    _ = example.navigate("https://docs.contoso.com/b", from: "https://news.example/")
    #expect(throws: Self.refused) { try example.setDocument("https://partner.example/", "D") }
  }

  @Test
  func redirectsAndBackStayUsable() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://docs.contoso.com/", "D")
    _ = example.navigate("https://news.example/")
    // The page of the organisation sends on to another.
    _ = example.navigate("https://docs.contoso.com/go", from: "https://news.example/")
    _ = example.navigate("https://docs.contoso.com/there", from: "https://docs.contoso.com/go") { $0.hop = .yes }
    try example.setDocument("https://docs.contoso.com/there", "D")
    try example.setDocument("https://partner.example/", "D")
    // Back to the document that an external page took the place of.
    _ = example.navigate("https://news.example/")
    #expect(Answer(example.navigate("https://partner.example/")) == Answer(.allow, .internal))
    try example.setDocument("https://partner.example/", "D")
    #expect(Answer(example.navigate("https://partner.example/frame", frame: .resource)) == Answer(.allow, .internal))
  }

  // MARK: What rules compare with

  @Test
  func onlyMainFramesCompareWhileAnExternalPageIsShown() throws {
    var example = try Example(Self.policy.with { $0.app.classes[0].subFrames = true })
    let page = "https://partner.example/a"
    func answers() -> [Answer] {
      [Frame.main, .sub, .unknown, .resource].map { Answer(example.navigate(page, frame: $0)) }
    }
    try example.setDocument("https://partner.example/", "D")
    let known = answers()
    #expect(known == Array(repeating: Answer(.allow, .internal), count: 4))
    _ = example.navigate("https://news.example/")
    #expect(Answer(example.navigate(page, frame: .sub)) == Answer(.allow, .externalInPlace))
    #expect(Answer(example.navigate(page, frame: .main)) == Answer(.allow, .internal))
    #expect(Answer(example.navigate(page, frame: .resource)) == Answer(.allow, .resource))
    #expect(Answer(example.navigate(page, frame: .unknown)) == Answer(.allow, .externalInPlace))
  }

  // MARK: What it outlives

  @Test
  func aNameThatComesBackShowsWhatItShowed() throws {
    var example = try Example(Self.policy)
    try example.setDocument("https://partner.example/", "D")
    _ = example.navigate("https://news.example/")
    for _ in 0..<3 {
      try example.state.forget(viewer: "D", in: example.portal, example.snapshot)
      #expect(throws: Self.refused) {
        try example.register(ViewerDescription("D", class: "documents", document: "https://news.example/"))
      }
      try example.register(ViewerDescription("D", class: "documents"))
      #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
      try example.setDocument("https://partner.example/", "D")
    }
    _ = example.navigate("https://docs.contoso.com/")
    try example.setDocument("https://docs.contoso.com/", "D")
    try example.state.forget(viewer: "D", in: example.portal, example.snapshot)
    try example.register(ViewerDescription("D", class: "documents", document: "https://news.example/"))
  }

  @Test
  func withTooManyNamesEveryNameIsOneThatShowedSomething() throws {
    var limits = StateLimits()
    limits.leftPagesPerInstance = 3
    var example = try Example(Self.policy, limits: limits)
    let empty = example.state.byteCount(of: example.portal)
    for number in 0..<20 {
      try example.register(ViewerDescription("v\(number)", class: "documents"))
      _ = example.navigate("https://news.example/", in: "v\(number)")
      try example.state.forget(viewer: "v\(number)", in: example.portal, example.snapshot)
    }
    #expect(example.state.byteCount(of: example.portal) < empty + 3 * 1024)
    for name in ["v0", "v19", "never seen"] {
      #expect(throws: Refusal.documentIsExternal(viewer: name)) {
        try example.register(ViewerDescription(name, class: "documents", document: "https://news.example/"))
      }
      try example.register(ViewerDescription(name, class: "documents"))
      _ = example.navigate("https://docs.contoso.com/", in: name)
      try example.setDocument("https://docs.contoso.com/", name)
      try example.setDocument("https://partner.example/", name)
    }
  }

  @Test
  func whoSignsInIsShownWhatWasThereBefore() throws {
    var example = try Example(Self.policy, as: "")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .noManagedIdentity))
    try example.set("work@contoso.com")
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    for account in ["private@home.example", "work@contoso.com", "", "work@contoso.com"] { try example.set(account) }
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
    try example.register(ViewerDescription("organisation", class: "documents", document: "https://partner.example/"))
  }

  @Test
  func aWindowShowsWhatItsOpenerAskedFor() throws {
    var example = try Example(Self.policy)
    func popup(_ name: String, _ document: String) throws {
      try example.register(ViewerDescription(name, opener: "D", document: document))
    }
    _ = example.navigate("https://docs.contoso.com/") { $0.opensWindow = true }
    try popup("fine", "https://partner.example/")
    _ = example.navigate("https://news.example/") { $0.opensWindow = true }
    // Two at once: which of them is registered first nobody knows.
    _ = example.navigate("https://docs.contoso.com/b") { $0.opensWindow = true }
    for name in ["one", "other"] {
      #expect(throws: Refusal.documentIsExternal(viewer: name)) { try popup(name, "https://news.example/") }
    }
    try popup("one", "https://docs.contoso.com/b")
    try example.setDocument("https://partner.example/", "one")
    // The opener itself shows no such page.
    try example.setDocument("https://partner.example/", "D")
    _ = example.navigate("https://news.example/")
    #expect(throws: Refusal.documentIsExternal(viewer: "blank")) { try popup("blank", "https://news.example/") }
  }

  @Test
  func theManagedBrowserItselfShowsExternalPages() throws {
    let policy = Self.policy.with {
      $0.protection.webTransfer = .managedBrowser
      $0.browsers.managed?.app = "com.contoso.portal"
    }
    var example = try Example(policy)
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .isManagedBrowser))
    #expect(throws: Self.refused) { try example.setDocument("https://news.example/", "D") }
  }
}
