import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// `Remediate`: one account after another, looked at anew, its person asked once, and nothing lost. Ledger CA-01 to CA-10,
/// CA-15.
struct RemediationTests {
  // MARK: What is found

  /// How an account stands before it is looked at, and what comes of that for a call that may ask, and for a silent one.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var state = AccountState.active
    var sources: [AccountSource] = [.app]
    var allowed: [String]?
    var unlock = Unlock.none
    /// The fact of the condition; nil for none.
    var fact: Bool?
    var hasCondition = false
    var notCheckedAfter: UInt64 = AccountDesk.day
    let status: ComplianceStatus
    var silent: ComplianceStatus?
    var life = AccountLifeState.enrolled
  }

  @Test(arguments: [
    Case(testDescription: "CA-02 it is registered, and may work", status: .compliant),
    Case(testDescription: "CA-07 without sources it counted as enrolled", sources: [], status: .compliant),
    Case(
      testDescription: "CA-15 no source says that it is signed in", sources: [.broker], status: .notCompliant,
      silent: .interactionRequired, life: .registered),
    Case(testDescription: "CA-08 the policy blocks it", state: .blocked, status: .notCompliant, life: .blocked),
    Case(
      testDescription: "CA-01 the policy calls it non-compliant", state: .nonCompliant, status: .notCompliant,
      life: .nonCompliant),
    Case(testDescription: "CA-08 the policy calls it wiped", state: .wiped, status: .notCompliant, life: .wiped),
    Case(
      testDescription: "AA-01 the app does not take it", allowed: ["b@contoso.com"], status: .notCompliant,
      life: .notAllowed),
    Case(testDescription: "CD-01 its condition holds", fact: true, hasCondition: true, status: .compliant),
    Case(
      testDescription: "CD-01 its condition fails", fact: false, hasCondition: true, status: .notCompliant,
      life: .nonCompliant),
    Case(
      testDescription: "CA-08 nobody knows its condition, and it goes on meanwhile", hasCondition: true,
      status: .serviceFailure),
    Case(
      testDescription: "CA-08 nobody knows its condition, and the grace is over", hasCondition: true,
      notCheckedAfter: 0, status: .serviceFailure, life: .notChecked),
    Case(
      testDescription: "CD-04 its person does not answer", unlock: .polkit, status: .userCancelled,
      silent: .interactionRequired, life: .locked),
  ])
  func lookingAt(_ test: Case) throws {
    for isSilent in [false, true] {
      var desk = AccountDesk { policy in
        policy.work.state = test.state
        policy.app.accounts.sources = test.sources
        policy.app.accounts.allowed = test.allowed
        policy.protection.unlock = test.unlock
        policy.protection.notCheckedAfter = test.notCheckedAfter
        if test.hasCondition { policy.protection.conditions = [.sound] }
      }
      let portal = try desk.attach()
      if let fact = test.fact { desk.engine.setFacts(["Sound": Fact(.truth(fact))], at: desk.time) }
      if test.hasCondition, test.fact == nil { desk.engine.setFacts([:], at: desk.time) }
      #expect(try desk.remediate(Name.work, silent: isSilent, by: portal) != nil)
      desk.look()
      if desk.listed(Name.work, for: portal)?.compliance == nil { desk.answer(.dismissed) }
      let expected = isSilent ? test.silent ?? test.status : test.status
      let listed = desk.listed(Name.work, for: portal)
      #expect(listed?.compliance == expected && listed?.state == test.life && listed?.remediation == nil)
    }
  }

  /// CA-08, CA-09: how the question to the person ended. None of the answers has the app call again with the same words.
  @Test(
    arguments: [
      (.unlocked, .compliant), (.dismissed, .userCancelled), (.timedOut, .userCancelled), (.refused, .notCompliant),
      (.noAgent, .serviceFailure), (.noChallenge, .serviceFailure), (.serviceFailure, .serviceFailure),
    ] as [(UnlockResult, ComplianceStatus)])
  func askingThePerson(_ answer: UnlockResult, _ status: ComplianceStatus) throws {
    var desk = AccountDesk { $0.protection.unlock = .polkit }
    let portal = try desk.attach()
    _ = try desk.remediate(Name.work, silent: false, by: portal)
    desk.look()
    #expect(desk.engine.state.remediationsToAsk().map(\.account) == [Name.work])
    #expect(desk.listed(Name.work, for: portal)?.compliance == nil, "nobody answered yet")
    desk.answer(answer)
    #expect(desk.engine.state.remediationsToAsk().isEmpty, "a person is asked once")
    #expect(desk.listed(Name.work, for: portal)?.compliance == status && status != .interactionRequired)
    #expect(desk.listed(Name.work, for: portal)?.state == (answer == .unlocked ? .enrolled : .locked))
    #expect(desk.results().map(\.status) == [status])
  }

  /// The network: the policy is too old, and the latest fetch of it failed. Another condition has nothing to do with it.
  @Test(
    arguments: [
      ("policyAge", true, "networkFailure"), ("policyAge", false, "notCompliant"), ("Sound", true, "notCompliant"),
    ])
  func withoutNetwork(_ check: String, _ isOffline: Bool, _ status: String) throws {
    var desk = AccountDesk { policy in
      let age = LaunchCondition("policyAge", .atMost, .number(24))
      policy.protection.conditions = [check == "Sound" ? .sound : age]
    }
    let portal = try desk.attach()
    desk.engine.setFacts(["Sound": Fact(.truth(false)), "policyAge": Fact(.number(99))], at: desk.time)
    _ = try desk.remediate(Name.work, by: portal)
    desk.look(isOffline: isOffline)
    #expect(desk.listed(Name.work, for: portal)?.compliance?.rawValue == status)
  }

  /// CA-01, CA-15: bound by a protection and signed in for nobody yet, an account is in a state of its own and blocked; a look
  /// registers it, and from then on it works.
  @Test func beforeALookTheAccountIsBlocked() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.app] }
    let portal = try desk.attach()
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .policyRequired))
    #expect(desk.maySignIn(Name.work, by: portal) == "policyRequired allowed")
    _ = try desk.remediate(Name.work, by: portal)
    desk.look()
    #expect(desk.results().map(\.status) == [.compliant] && desk.state(Name.work, for: portal) == .enrolled)
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
    #expect(desk.acts() == ["registered", "enrolled newPolicies", "remediating", "remediated"])
  }

  // MARK: The queue

  /// CA-04: one after another, in the order of the calls; a repeat is dropped, and has the request of the first.
  @Test func oneAfterAnother() throws {
    var desk = AccountDesk { $0.protection.unlock = .polkit }
    let portal = try desk.attach()
    let first = try desk.remediate(Name.work, silent: false, by: portal)
    let second = try desk.remediate(Name.second, silent: false, by: portal)
    #expect(first != nil && second != nil && first != second)
    for _ in 0..<100 { #expect(try desk.remediate(Name.work, by: portal) == first) }
    desk.look()
    #expect(desk.engine.state.remediationsToAsk().map(\.account) == [Name.work], "the second waits for the first")
    desk.answer(.dismissed)
    #expect(desk.engine.state.remediationsToAsk().map(\.account) == [Name.second])
    desk.answer(.dismissed)
    #expect(desk.results().map(\.request) == [first, second])
    let acts = desk.engine.state.life.takeEvents().filter { $0.act == .remediating || $0.act == .remediated }
    #expect(acts.map(\.act) == [.remediating, .remediating, .remediated, .remediated])
    #expect(acts.map(\.note) == [nil, nil, "repeated 100", nil])
  }

  /// A look begins with facts that were read after the call.
  @Test func earlierFactsDoNotCount() throws {
    var desk = AccountDesk { $0.protection.conditions = [.sound] }
    let portal = try desk.attach()
    let before = desk.engine.state.remediations.beginReading()
    desk.engine.setFacts(["Sound": Fact(.truth(false))], at: desk.time)
    _ = try desk.remediate(Name.work, by: portal)
    desk.engine.endReading(before)
    desk.engine.runRemediations(at: desk.time)
    #expect(desk.results().isEmpty && desk.engine.state.remediations.wantsReading)
    desk.engine.setFacts(["Sound": Fact(.truth(true))], at: desk.time)
    desk.look()
    #expect(desk.results().map(\.status) == [.compliant])
  }

  /// CA-09: an app that calls in a circle gets one look a second, and no more wait than the limit has.
  @Test func anAppThatFloods() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [] }
    let portal = try desk.attach()
    var ended = 0
    for _ in 0..<1000 {
      _ = try desk.remediate(Name.work, by: portal)
      desk.look()
      ended += desk.results().count
    }
    #expect(ended == 1)
    desk.pass(RemediationBook.pause)
    desk.look()
    #expect(desk.results().count == 1)
    for number in 1..<RemediationBook.mostOfApp { _ = try desk.remediate("n\(number)@contoso.com", by: portal) }
    #expect(desk.refusal("last@contoso.com", by: portal) == nil, "the result of the first makes room")
    #expect(desk.refusal("one-too-many@contoso.com", by: portal) == "limitReached")
    desk.look()
    #expect(try desk.remediate("one-too-many@contoso.com", by: portal) != nil, "results make room")
  }

  /// Two persons, and two apps of one person: nobody waits for another, and an answer is about its person alone.
  @Test func nobodyWaitsForOthers() throws {
    var desk = AccountDesk { policy in
      policy.protection.unlock = .polkit
      policy.otherApps[0].accounts.sources = []
    }
    let alice = try desk.attach()
    let bob = try desk.attach(person: 1001)
    let other = try desk.attach("com.contoso.notes")
    for caller in [alice, bob, other] { _ = try desk.remediate(Name.work, silent: false, by: caller) }
    desk.look()
    #expect(desk.engine.state.remediationsToAsk().count == 3)
    desk.answer(.unlocked, of: 1001)
    #expect(desk.results().map(\.person) == [1001])
    desk.answer(.dismissed, of: 1000)
    #expect(desk.results().map(\.status) == [.userCancelled, .userCancelled])
    #expect(desk.state(Name.work, for: bob) == .enrolled && desk.state(Name.work, for: alice) == .locked)
  }

  // MARK: Wrong accounts

  /// A private account and one that no protection binds have nothing to look at; an unknown one is refused.
  @Test func accountsThatAreNotTheOrganisations() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    #expect(try desk.remediate("me@example.org", by: portal) == nil)
    #expect(try desk.remediate(Name.home, by: portal) == nil)
    #expect(desk.refusal("ghost@contoso.net", by: portal) == nil, "it is private")
    #expect(desk.refusal("ghost", by: portal) == "unknownAccount")
    #expect(desk.refusal(String(repeating: "x", count: 100_000), by: portal) == "limitReached")
    desk.look()
    #expect(desk.results().isEmpty && desk.acts().isEmpty)
  }

  /// An access that has ended stays ended; what a wipe locks stays locked. Neither is ever `compliant`.
  @Test func nothingIsBroughtBack() throws {
    var desk = AccountDesk { policy in
      policy.app.accounts.sources = [.app]
      policy.wipe.mode = .on
      policy.wipe.causes = [.admin]
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.second, by: portal)
    _ = desk.deregister(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.second)
    for name in [Name.work, Name.second] { _ = try desk.remediate(name, silent: false, by: portal) }
    desk.look()
    #expect(desk.results().map(\.status) == [.notCompliant, .notCompliant])
    #expect(desk.state(Name.work, for: portal) == .suspended)
    #expect(desk.state(Name.second, for: portal) == .wipePending)
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .block)
    #expect(try desk.printed(as: Name.second, by: portal).outcome == .block)
  }

  // MARK: Ends and restarts

  /// The app ends before it was told, another copy of it is told; one of another app or person never is.
  @Test func anAppThatEnds() throws {
    var desk = AccountDesk { $0.protection.unlock = .polkit }
    let portal = try desk.attach()
    let request = try desk.remediate(Name.work, silent: false, by: portal)
    desk.look()
    desk.engine.state.end(portal.instance)
    desk.answer(.unlocked)
    #expect(desk.results().isEmpty, "no copy of the app runs for which it could be judged")
    let stranger = try desk.attach(person: 1001)
    desk.look()
    #expect(desk.engine.state.untoldRemediations(of: stranger.instance).isEmpty)
    let again = try desk.attach()
    desk.look()
    #expect(desk.engine.state.untoldRemediations(of: again.instance).map(\.request) == [request])
    for result in desk.results() { desk.engine.state.noteTold(result) }
    #expect(desk.engine.state.untoldRemediations(of: again.instance).isEmpty, "it is told once")
  }

  /// A daemon that is killed in the middle goes on with what it owed, makes every result anew, and asks anew: what was
  /// answered to the one before unlocks nothing.
  @Test(arguments: [false, true]) func aRestartInTheMiddle(_ isAnswered: Bool) throws {
    var desk = AccountDesk { policy in
      policy.app.accounts.sources = []
      policy.protection.unlock = .polkit
    }
    var kept = KeptState()
    let portal = try desk.attach()
    let first = try desk.remediate(Name.work, silent: false, by: portal)
    let second = try desk.remediate(Name.second, by: portal)
    desk.look()
    if isAnswered { desk.answer(.unlocked) }
    desk.restart(&kept)
    #expect(kept.accounts.remediations?.map(\.request) == [first, second].compactMap(\.self))
    let again = try desk.attach()
    desk.look()
    #expect(desk.results().isEmpty)
    #expect(desk.state(Name.work, for: again) == .locked)
    #expect(desk.engine.state.remediationsToAsk().map(\.account) == [Name.work])
    desk.answer(.dismissed)
    #expect(desk.results().map(\.status) == [.userCancelled, .interactionRequired], "the second was silent, and is so")
    for result in desk.engine.state.untoldRemediations(of: again.instance) { desk.engine.state.noteTold(result) }
    desk.restart(&kept)
    #expect(kept.accounts.remediations == [], "what was told is over")
  }

  /// An app that does not come back within an hour is not told any more, and nothing of it stays.
  @Test func anAppThatNeverComesBack() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [] }
    let portal = try desk.attach()
    _ = try desk.remediate(Name.work, by: portal)
    desk.engine.state.end(portal.instance)
    desk.pass(RemediationBook.longest)
    desk.look()
    #expect(desk.acts().contains("remediationForgotten"))
    #expect(!desk.engine.state.remediations.isDue(at: desk.time))
    let again = try desk.attach()
    #expect(desk.listed(Name.work, for: again)?.remediation == nil)
  }

  /// A reload in the middle: the look goes by the policy in force, and an account that it blocks is not asked about.
  @Test func aReloadInTheMiddle() throws {
    var desk = AccountDesk { $0.protection.unlock = .polkit }
    let portal = try desk.attach()
    _ = try desk.remediate(Name.work, silent: false, by: portal)
    desk.look()
    desk.reload { $0.work.state = .blocked }
    desk.answer(.unlocked)
    #expect(desk.results().map(\.status) == [.notCompliant])
  }

  // MARK: Texts

  /// CA-05: the text of the condition, then the policy's own, then the built-in one in the person's language.
  @Test func theWordsForPeople() throws {
    var desk = AccountDesk { policy in
      policy.protection.conditions = [.sound]
      policy.protection.conditions[0].message = "Ask Eve about {account}."
    }
    let portal = try desk.attach()
    desk.engine.state.setLanguages(["de-AT", "en"], of: portal.instance)
    desk.engine.setFacts(["Sound": Fact(.truth(false))], at: desk.time)
    _ = try desk.remediate(Name.work, by: portal)
    desk.look()
    var words = desk.words(for: portal)
    #expect(
      words.title == "Dieses Konto darf hier nicht verwendet werden" && words.text == "Ask Eve about \(Name.work).")
    desk.engine.setFacts([:], at: desk.time)
    desk.pass(8 * AccountDesk.day)
    desk.engine.setFacts(["Sound": Fact(.truth(true))], at: desk.time)
    desk.engine.setFacts([:], at: desk.time)
    _ = try desk.remediate(Name.work, by: portal)
    desk.look()
    words = desk.words(for: portal)
    #expect(words.title == "Das konnte nicht geprüft werden")
    #expect(words.text.hasPrefix("Die Bedingungen, die Ihre Organisation stellt, lassen sich zurzeit nicht prüfen."))
    #expect(words.text.hasSuffix(" UTC arbeiten.") && !words.text.contains("{"))
  }
}

extension AccountDesk {
  /// The request; nil for an account of which there is nothing to look at.
  mutating func remediate(_ account: String, silent: Bool = true, by caller: Caller) throws -> String? {
    try engine.perform(.remediate(account, silent: silent), for: caller, at: time).request
  }

  /// The code of the refusal; nil for a call that was answered.
  mutating func refusal(_ account: String, by caller: Caller) -> String? {
    do {
      _ = try remediate(account, by: caller)
      return nil
    } catch { return (error as? Refusal).map { "\($0.code)" } ?? "\(error)" }
  }

  /// The facts are read again, as they are, and the accounts are looked at whose turn it is.
  mutating func look(isOffline: Bool = false) {
    engine.endReading(engine.state.remediations.beginReading())
    engine.runRemediations(isOffline: isOffline, at: time)
  }

  /// The question to a person ends.
  mutating func answer(_ result: UnlockResult, of person: UInt32 = 1000) {
    if result == .unlocked { engine.unlock(person, at: time) }
    engine.answerRemediations(of: person, result)
    engine.runRemediations(at: time)
  }

  /// What came of looks since the last time.
  mutating func results() -> [RemediationResult] { engine.state.remediations.takeResults() }

  /// The words about the latest result.
  mutating func words(for caller: Caller) -> (title: String, text: String) {
    guard let result = results().last else { return ("nothing", "nothing") }
    return engine.state.complianceWords(of: result, in: caller.instance, engine.snapshot)
  }
}

extension LaunchCondition {
  /// The machine has to be sound.
  fileprivate static let sound = LaunchCondition("Sound", .equals, .truth(true))
}
