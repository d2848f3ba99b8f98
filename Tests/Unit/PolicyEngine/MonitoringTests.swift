import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Policies that only monitor: everything is decided, and answered as what is enforced answers (amendments, monitoring).
struct MonitoringTests {
  private func example(_ change: (inout ExamplePolicy) -> Void) throws -> Example {
    var policy = ExamplePolicy()
    change(&policy)
    return try Example(policy)
  }

  private func ask(_ event: Event, _ example: inout Example) -> Decision {
    decide(event, of: example.portal, &example.state, under: example.snapshot)
  }

  @Test
  func whatAMonitoredProtectionRestrictsIsAdvised() throws {
    var example = try example { policy in
      policy.protection.monitoredUntil = 100
      policy.protection.printing = .block
      policy.protection.notifications = .blockOrgData
      policy.protection.save = LocationSettings(allowed: false)
    }
    let redirect = example.navigate("https://news.example/")
    #expect(Answer(redirect) == Answer(.allow, .monitored))
    #expect(redirect.advice.map { Answer($0.outcome, $0.reason) } == Answer(.redirect, .external))
    #expect(redirect.advice?.cause == .protection && redirect.advice?.ruleSet == 0 && redirect.advice?.rule == nil)
    let rows: [(Event, Answer)] = [
      (.data(.print), Answer(.block, .printBlocked)), (.data(.notify), Answer(.block, .notificationBlocked)),
      (.data(.save, at: .dropbox), Answer(.block, .saveLocationNotListed)),
      (.data(.share, with: Name.editor), Answer(.block, .outgoingRestricted)),
    ]
    for (event, advised) in rows {
      let decision = ask(event, &example)
      #expect(Answer(decision) == Answer(.allow, .monitored))
      #expect(decision.advice.map { Answer($0.outcome, $0.reason) } == advised)
    }
  }

  @Test
  func dutiesStay() throws {
    var example = try example { policy in
      policy.protection.monitoredUntil = 100
      policy.protection.save = LocationSettings(allowed: false)
      policy.protection.receive = .anyTagOrg
    }
    let saved = ask(.data(.save, at: .dropbox), &example)
    #expect(saved.outcome == .allow && saved.advice != nil)
    #expect(saved.setOwner != nil && saved.flags[.mustEncrypt])
    #expect(ask(.data(.receive, with: Name.editor), &example).tagAs != nil)
  }

  @Test
  func whatIsNotRestrictedHasNoAdvice() throws {
    var example = try example { $0.protection.monitoredUntil = 100 }
    let internalPage = example.navigate("https://docs.contoso.com/")
    #expect(Answer(internalPage) == Answer(.allow, .internal) && internalPage.advice == nil)
    let handedOff = example.navigate("skype:echo123")
    #expect(Answer(handedOff) == Answer(.handOff, .exemptScheme) && handedOff.advice == nil)
  }

  @Test(arguments: [
    ("https://exa mple.com/", AccountState.active, Reason.invalidURL),
    ("https://news.example/", .blocked, .accountBlocked),
    ("https://news.example/", .nonCompliant, .accountNotCompliant),
    ("https://news.example/", .wiped, .accountWiped),
  ])
  func someThingsAreNeverLifted(_ url: String, _ state: AccountState, _ reason: Reason) throws {
    var example = try example { policy in
      policy.app.monitoredUntil = 100
      policy.protection.monitoredUntil = 100
      policy.work.state = state
    }
    let decision = example.navigate(url)
    #expect(Answer(decision) == Answer(.block, reason) && decision.advice == nil)
  }

  @Test
  func theLockdownOfMixedViewsIsNeverLifted() throws {
    var example = try example { policy in
      policy.app.monitoredUntil = 100
      policy.protection.monitoredUntil = 100
    }
    let identities = try [Name.work, Name.home].map {
      try example.state.identity($0, in: example.portal, example.snapshot)
    }
    _ = try example.state.setIdentities(identities, ofWindow: "w", in: example.portal, example.snapshot)
    try example.register(ViewerDescription("M", window: "w"))
    let decision = ask(.data(.print, in: "M"), &example)
    #expect(Answer(decision) == Answer(.block, .mixedViewLockdown) && decision.advice == nil)
  }

  @Test
  func anotherSideThatIsEnforcedStillHolds() throws {
    var other = Protection(name: "fabrikam")
    other.accountPatterns = ["*@fabrikam.example"]
    other.receive = .none
    var example = try example { policy in
      policy.protection.monitoredUntil = 100
      policy.protection.save = LocationSettings(allowed: false)
      policy.otherProtections = [other]
    }
    let decision = ask(.data(.save, at: .sharePoint, of: "boss@fabrikam.example"), &example)
    #expect(Answer(decision) == Answer(.block, .incomingDisallowed))
    #expect(decision.advice?.reason == .saveLocationNotListed)
  }

  @Test
  func anAppThatIsMonitoredIsNotRestrictedByRulesEither() throws {
    var example = try example { policy in
      policy.app.monitoredUntil = 100
      policy.app.popups = .block
    }
    let blocked = example.navigate("https://cloud.evil.example/")
    #expect(Answer(blocked) == Answer(.allow, .monitored))
    #expect(blocked.advice == advice(.block, .blockedByRule, .app, rule: 1))
    let popup = example.navigate("https://docs.contoso.com/") { $0.opensWindow = true }
    #expect(popup.outcome == .allow && popup.advice?.reason == .popupBlocked)
    let unknown = ask(.data(.save, of: "who@else.example"), &example)
    #expect(unknown.outcome == .allow && unknown.advice?.reason == .unknownAccount)
  }

  @Test
  func aRuleThatBlocksHoldsWhereOnlyTheProtectionIsMonitored() throws {
    var example = try example { $0.protection.monitoredUntil = 100 }
    #expect(Answer(example.navigate("https://cloud.evil.example/")) == Answer(.block, .blockedByRule))
  }

  @Test
  func aMonitoredRuleIsPassedOver() throws {
    var example = try example { $0.rules[1].monitoredUntil = 100 }
    let decision = example.navigate("https://cloud.evil.example/")
    #expect(Answer(decision) == Answer(.redirect, .external) && decision.rule == nil)
    #expect(decision.advice == advice(.block, .blockedByRule, .rule, rule: 1))
    #expect(example.state.report(decision, example.snapshot).advice?.rule == "sharing")
    #expect(example.navigate("https://docs.contoso.com/").advice == nil)
  }

  private func advice(_ outcome: Outcome, _ reason: Reason, _ cause: MonitorCause, rule: RuleNumber) -> Advice {
    var advice = Advice(outcome, reason, cause)
    (advice.ruleSet, advice.rule) = (0, rule)
    return advice
  }

  @Test
  func aCopyThatWasOnlyAdvisedKeepsItsOwner() throws {
    var example = try example { policy in
      policy.protection.monitoredUntil = 100
      policy.protection.requiresInspection = true
    }
    let copied = example.clip(.copy, length: 5)
    #expect(Answer(copied) == Answer(.allow, .monitored) && copied.advice?.reason == .scanRequired)
    #expect(copied.clip != nil)
    let pasted = example.clip(.paste, in: "P", length: 5)
    #expect(pasted.outcome == .allow && pasted.advice?.reason == .orgData)
  }

  @Test
  func nobodyIsAskedToSwitchForWhatIsOnlyAdvised() throws {
    var policy = ExamplePolicy()
    policy.protection.monitoredUntil = 100
    policy.protection.receive = .managed
    let snapshot = policy.snapshot
    var state = GuardState(epoch: 42)
    let app = try state.attach(app: 0, peer: Peer(uid: 1000), features: .switchIdentity, snapshot)
    _ = try state.setProcessIdentity(try state.identity(Name.work, in: app, snapshot), in: app, snapshot)
    try state.register(ViewerDescription("D", class: "documents"), in: app, snapshot)
    let decision = decide(.data(.receive, with: Name.editor), of: app, &state, under: snapshot)
    #expect(decision.outcome == .allow && decision.advice?.reason == .identitySwitchNeeded)
    #expect(state.openRequests(of: app, at: 0).isEmpty)
  }

  // MARK: Pages that enforcing would not have opened

  @Test
  func whatHappensInAnAdvisedPageIsMarked() throws {
    var example = try example { policy in
      policy.protection.monitoredUntil = 100
      policy.protection.printing = .block
    }
    #expect(!ask(.data(.print), &example).notes.contains(.afterAdvised))
    #expect(!example.navigate("https://news.example/").notes.contains(.afterAdvised))
    #expect(ask(.data(.print), &example).notes.contains(.afterAdvised))
    // A sub-frame and a move inside the page change nothing; nor does a hop that an advised one led to.
    _ = example.navigate("https://ads.example/", frame: .sub)
    _ = example.navigate("https://docs.contoso.com/") { $0.hop = .yes }
    #expect(ask(.data(.print), &example).notes.contains(.afterAdvised))
    #expect(example.navigate("https://docs.contoso.com/").notes.contains(.afterAdvised))
    #expect(!ask(.data(.print), &example).notes.contains(.afterAdvised))
  }

  @Test
  func theAppEndsItByItsDocument() throws {
    var example = try example { $0.protection.monitoredUntil = 100 }
    _ = example.navigate("https://news.example/")
    #expect(throws: Refusal.documentIsExternal(viewer: "D")) { try example.setDocument("https://news.example/", "D") }
    #expect(ask(.data(.print), &example).notes.contains(.afterAdvised))
    try example.setDocument("https://docs.contoso.com/", "D")
    #expect(!ask(.data(.print), &example).notes.contains(.afterAdvised))
  }

  @Test
  func popupsAndChildrenInheritIt() throws {
    var example = try example { $0.protection.monitoredUntil = 100 }
    _ = example.navigate("https://news.example/") { $0.opensWindow = true }
    #expect(!ask(.data(.print), &example).notes.contains(.afterAdvised))
    try example.register(ViewerDescription("popup", opener: "D"))
    #expect(ask(.data(.print, in: "popup"), &example).notes.contains(.afterAdvised))
    _ = example.navigate("https://news.example/")
    try example.register(ViewerDescription("child", parent: "D"))
    #expect(ask(.data(.print, in: "child"), &example).notes.contains(.afterAdvised))
    _ = example.navigate("https://docs.contoso.com/")
    #expect(!ask(.data(.print, in: "child"), &example).notes.contains(.afterAdvised))
  }

  @Test
  func itOutlivesTheMonitoring() throws {
    var policy = ExamplePolicy()
    policy.protection.monitoredUntil = 100
    var example = try Example(policy)
    _ = example.navigate("https://news.example/")
    policy.protection.monitoredUntil = nil
    example.reload(policy)
    #expect(ask(.data(.print), &example).notes.contains(.afterAdvised))
  }

  // MARK: Warnings

  private func warning(_ features: ClientFeatures, _ change: (inout ExamplePolicy) -> Void) throws -> Example {
    var policy = ExamplePolicy()
    policy.protection.warn = .warnable
    policy.protection.printing = .block
    policy.protection.webTransfer = .block
    change(&policy)
    var example = try Example(policy)
    example.state = GuardState(epoch: 42)
    let id = try example.state.attach(app: 0, peer: Peer(uid: 1000), features: features.union(.usual), example.snapshot)
    #expect(id == example.portal)
    try example.set(Name.work)
    try example.register(ViewerDescription("D", class: "documents"))
    try example.register(ViewerDescription("P", class: "public"))
    return example
  }

  @Test
  func whatOwnSettingsBlockIsWarnedOf() throws {
    var example = try warning(.warn) { $0.protection.save = LocationSettings(allowed: false) }
    #expect(Answer(ask(.data(.print), &example)) == Answer(.warn, .printBlocked))
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.warn, .externalBlocked))
    let saved = ask(.data(.save, at: .dropbox), &example)
    #expect(Answer(saved) == Answer(.warn, .saveLocationNotListed))
    #expect(saved.setOwner != nil && saved.flags[.mustEncrypt])
    _ = example.clip(.copy, length: 5)
    #expect(Answer(example.clip(.paste, in: "P", length: 5)) == Answer(.warn, .orgData))
  }

  @Test
  func whatIsNotItsOwnSettingIsBlocked() throws {
    var example = try warning(.warn) { $0.app.classes[0].subFrames = true }
    #expect(Answer(example.navigate("https://cloud.evil.example/")) == Answer(.block, .blockedByRule))
    #expect(Answer(example.navigate("https://exa mple.com/")) == Answer(.block, .invalidURL))
    #expect(Answer(example.navigate("https://news.example/", frame: .sub)) == Answer(.block, .externalBlocked))
    #expect(Answer(example.clip(.paste)) == Answer(.block, .ownerUnknown))
    #expect(Answer(ask(.data(.save, of: "who@else.example"), &example)) == Answer(.block, .unknownAccount))
  }

  @Test
  func aClientThatCannotAskIsBlocked() throws {
    var example = try warning([]) { _ in }
    let decision = ask(.data(.print), &example)
    #expect(Answer(decision) == Answer(.block, .printBlocked) && decision.notes.contains(.cannotWarn))
  }

  @Test
  func onlyTheListedEventsAreWarnedOf() throws {
    var example = try warning(.warn) { $0.protection.warn = EventSet([.navigate]) }
    #expect(Answer(ask(.data(.print), &example)) == Answer(.block, .printBlocked))
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.warn, .externalBlocked))
  }

  @Test
  func anotherSideThatBlocksStillBlocks() throws {
    var other = Protection(name: "fabrikam")
    other.accountPatterns = ["*@fabrikam.example"]
    other.receive = .none
    var example = try warning(.warn) { policy in
      policy.protection.save = LocationSettings(allowed: false)
      policy.otherProtections = [other]
    }
    let decision = ask(.data(.save, at: .sharePoint, of: "boss@fabrikam.example"), &example)
    #expect(Answer(decision) == Answer(.block, .incomingDisallowed))
  }

  @Test
  func aMonitoredWarningIsAdvice() throws {
    var example = try warning(.warn) { $0.protection.monitoredUntil = 100 }
    let decision = ask(.data(.print), &example)
    #expect(Answer(decision) == Answer(.allow, .monitored))
    #expect(decision.advice.map { Answer($0.outcome, $0.reason) } == Answer(.warn, .printBlocked))
  }
}
