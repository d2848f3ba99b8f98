import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Whose rules and whose policy a viewer has.
struct ViewerResolutionTests {
  private func resolved(_ decision: Decision) -> String {
    "\(decision.policy?.name ?? "-") \(decision.policySource?.rawValue ?? "-")"
  }

  @Test
  func anUnregisteredViewerIsTheStrictest() throws {
    var example = try Example()
    for viewer in [nil, "unheard-of", ""] {
      let decision = example.navigate("https://news.example/", in: viewer)
      #expect(resolved(decision) == "currentIdentityBlockUpload unknownViewer")
      #expect(decision.flags[.viewerIsUnknown] && decision.viewerClass == nil)
    }
  }

  @Test
  func theNearestStatementWins() throws {
    var example = try Example()
    try example.register(ViewerDescription("W", kind: .window))
    try example.register(ViewerDescription("box", parent: "W", kind: .container))
    try example.register(ViewerDescription("V", parent: "box"))
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "currentIdentity default")
    try example.tag("W", .unmanaged)
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "unmanaged ancestor")
    try example.tag("box", .currentIdentityBlockUpload)
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "currentIdentityBlockUpload ancestor")
    try example.tag("V", .currentIdentity)
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "currentIdentity ownTag")
    try example.tag("V", .unset)
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "currentIdentityBlockUpload ancestor")
  }

  @Test
  func theFlagHoldsWhereNothingIsStated() throws {
    var example = try Example(ExamplePolicy().with { $0.app.treatAllWebViewsAsUnmanaged = true })
    try example.register(ViewerDescription("V"))
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "unmanaged flag")
    #expect(resolved(example.navigate("https://x.example/", in: "D")) == "currentIdentity class")
    try example.tag("V", .currentIdentity)
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "currentIdentity ownTag")
  }

  @Test
  func anOpenerCountsAsTheParentOfWhatHasNone() throws {
    var example = try Example()
    try example.register(ViewerDescription("popup", opener: "D", kind: .popup))
    #expect(resolved(example.navigate("https://news.example/", in: "popup")) == "currentIdentity opener")
    #expect(Answer(example.navigate("https://news.example/", in: "popup")) == Answer(.redirect, .external))
    try example.register(ViewerDescription("box", kind: .container))
    try example.tag("box", .unmanaged)
    try example.register(ViewerDescription("popup", parent: "box"))
    #expect(resolved(example.navigate("https://news.example/", in: "popup")) == "unmanaged ancestor")
  }

  @Test
  func aContainersClassCountsAsItsTag() throws {
    var example = try Example()
    try example.register(ViewerDescription("box", class: "public", kind: .container))
    try example.register(ViewerDescription("V", parent: "box"))
    #expect(resolved(example.navigate("https://x.example/", in: "V")) == "unmanaged ancestor")
  }

  @Test
  func aTagMayRaiseTheClassesPolicyOnly() throws {
    var example = try Example()
    try example.tag("D", .currentIdentityBlockUpload)
    #expect(resolved(example.navigate("https://x.example/")) == "currentIdentityBlockUpload ownTag")
    try example.tag("D", .currentIdentity)
    #expect(resolved(example.navigate("https://x.example/")) == "currentIdentity class")
  }

  @Test
  func rulesComeFromTheClassThenTheAppThenTheOpener() throws {
    var example = try Example()
    try example.register(ViewerDescription("V"))
    #expect(example.navigate("https://x.example/", in: "V").ruleSet == nil)
    try example.register(ViewerDescription("V", opener: "D"))
    #expect(example.navigate("https://x.example/", in: "V").ruleSet == 0)
    try example.setRules("everything", "V")
    #expect(example.navigate("https://x.example/", in: "V").ruleSet == 1)
    try example.setRules(nil, "V")
    #expect(example.navigate("https://x.example/", in: "V").ruleSet == 0)
  }

  /// Internal only if all rule sets of the classes say so, and there is one; the strictest `then` wins.
  @Test
  func anUnknownViewerIsJudgedByAllRuleSets() throws {
    let contoso = Condition.domain(Array("contoso.com".utf8))
    let policy = ExamplePolicy().with {
      $0.otherRuleSets = [
        RuleSet(
          name: "second", default: .internal,
          rules: [
            Rule(id: "hr", verdict: .external, condition: .host(Array("hr.contoso.com".utf8)), then: .block),
            Rule(id: "w", verdict: .external, condition: .host(Array("watched.example".utf8)), then: .block),
            Rule(id: "in", verdict: .internal, condition: contoso),
          ])
      ]
      $0.app.classes[1].ruleSet = 1
    }
    var example = try Example(policy)
    let inside = example.navigate("https://contoso.com/", in: nil)
    #expect(Answer(inside) == Answer(.allow, .internal))
    #expect(Answer(example.navigate("https://hr.contoso.com/", in: nil)) == Answer(.block, .blockedByRule))
    #expect(example.navigate("https://hr.contoso.com/", in: nil).ruleSet == 1)
    #expect(Answer(example.navigate("https://news.example/", in: nil)) == Answer(.redirect, .external))
    #expect(Answer(example.navigate("https://watched.example/", in: nil)) == Answer(.block, .blockedByRule))
    #expect(Answer(example.navigate("https://evil.example/", in: nil)) == Answer(.block, .blockedByRule))
  }

  @Test
  func anUnknownViewerOfAnAppWithoutRulesIsExternal() throws {
    var example = try Example(ExamplePolicy().with { $0.app.classes[0].ruleSet = nil })
    let decision = example.navigate("https://contoso.com/", in: nil)
    #expect(Answer(decision) == Answer(.redirect, .external))
    #expect(decision.verdict == .external && decision.ruleSet == nil)
  }
}
