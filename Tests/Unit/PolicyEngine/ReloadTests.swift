import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What a new policy makes of what apps said under the old one.
struct ReloadTests {
  @Test
  func aViewerWhoseClassIsGoneIsUnknown() throws {
    var example = try Example()
    try example.register(ViewerDescription("popup", opener: "C"))
    let shrunk = ExamplePolicy().with { $0.app.classes.remove(at: 1) }
    example.reload(shrunk)
    let decision = example.navigate("https://news.example/", in: "C")
    #expect(
      decision.flags[.viewerIsUnknown] && decision.policy == .currentIdentityBlockUpload && decision.viewerClass == nil)
    #expect(Answer(decision) == Answer(.redirect, .external))
    #expect(example.navigate("https://news.example/", in: "popup").flags[.viewerIsUnknown])
    // The class after it has another number now.
    #expect(example.navigate("https://x.example/", in: "P").policy == .unmanaged)
    example.reload(ExamplePolicy())
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.allow, .noRules))
  }

  @Test
  func aViewerWhoseRulesAreGoneIsJudgedByAll() throws {
    var example = try Example()
    try example.setRules("everything", "C")
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.allow, .internal))
    example.reload(ExamplePolicy().with { $0.otherRuleSets = [] })
    let decision = example.navigate("https://news.example/", in: "C")
    #expect(Answer(decision) == Answer(.redirect, .external))
    #expect(!decision.flags[.viewerIsUnknown] && decision.ruleSet == 0)
  }

  @Test
  func ruleSetsAreFoundAgainByName() throws {
    var example = try Example()
    try example.setRules("everything", "C")
    let first = RuleSet(name: "another", default: .external, rules: [])
    example.reload(ExamplePolicy().with { $0.otherRuleSets.insert(first, at: 0) })
    #expect(example.navigate("https://news.example/", in: "C").ruleSet == 2)
  }

  @Test
  func accountsAreBoundAgain() throws {
    var example = try Example(as: "private@home.example")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .unmanaged))
    let bound = ExamplePolicy().with { $0.protection.accountPatterns = ["*@home.example"] }
    example.reload(bound)
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
    example.reload(bound.with { $0.otherAccounts[0].state = .blocked })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.block, .accountBlocked))
    example.reload(ExamplePolicy().with { $0.otherAccounts = [] })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .unmanaged))
  }

  @Test
  func aFixedAccountIsTakenOver() throws {
    var example = try Example(as: nil)
    example.reload(ExamplePolicy().with { $0.app.account = "6d5c" })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
    example.reload(ExamplePolicy().with { $0.app.account = "" })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .noManagedIdentity))
  }

  /// Without room for one more account the app would run as nobody.
  @Test
  func aFixedAccountNeedsNoRoom() throws {
    var limits = StateLimits()
    limits.accountsPerUser = 0
    var example = try Example(as: "private@home.example", limits: limits)
    example.reload(ExamplePolicy().with { $0.app.account = "work@contoso.com" })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
  }

  /// The attack: name an account by its object id first, and wait until the administrator corrects that id.
  @Test
  func anAccountThatLosesANameStaysBound() throws {
    var example = try Example(as: "6d5c")
    try example.set("work@contoso.com")
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
    example.reload(ExamplePolicy().with { $0.work.objectID = "another" })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
  }

  @Test
  func aSingleModeAppForgetsWindowsAndScopes() throws {
    var example = try Example(as: "work@contoso.com")
    try example.set("", window: "main")
    example.reload(
      ExamplePolicy().with {
        $0.app.identityMode = .single
        $0.app.account = "work@contoso.com"
      })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
  }

  @Test
  func aSingleModeAppTakesOverTheOnlyManagedAccount() throws {
    let unmanaged = ExamplePolicy().with {
      $0.app.identityMode = .single
      $0.protection.accountPatterns = []
    }
    var example = try Example(unmanaged, as: nil)
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .noManagedIdentity))
    example.reload(ExamplePolicy().with { $0.app.identityMode = .single })
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.redirect, .external))
  }

  @Test
  func theGenerationIsTheNewOne() throws {
    var example = try Example()
    let before = example.navigate("https://contoso.com/")
    #expect(example.state.report(before, example.snapshot).generation == Generation(number: 1, digest: "d1"))
    example.reload(ExamplePolicy().with { $0.number = 2 })
    let after = example.navigate("https://contoso.com/")
    #expect(example.state.report(after, example.snapshot).generation == Generation(number: 2, digest: "d2"))
  }
}
