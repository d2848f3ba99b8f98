import GuardModel
import PolicyEngine
import Testing
import URLRules

/// The amendments' navigation, steps 1 to 5: is there a policy, whose data is it, and may that account work?
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
    #expect(Answer(example.navigate("skype:x")) == Answer(.handOff, .exemptScheme))
    #expect(Answer(example.navigate("portal.evil:callback")) == Answer(.block, .handOffBlocked))
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
}
