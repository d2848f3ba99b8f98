import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Ends of access, and the accounts that an app takes. Ledger DR-01, DR-03, DR-05, AA-01 to AA-06.
struct AccountEndTests {
  /// The state of an account before it is deregistered, and the answer.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let account: String
    let answer: String
    let acts: [String]
    var sources: [AccountSource] = [.broker, .app]
    var isRegistered = true
  }

  @Test(arguments: [
    Case(
      testDescription: "DR-01 an enrolled account", account: Name.work, answer: "suspended unenrolled",
      acts: ["deregistered unenrolled"]),
    Case(
      testDescription: "DR-05 a registered account only stops being tried", account: Name.work,
      answer: "suspended unenrolled", acts: ["deregistered unenrolled"], sources: [.broker]),
    Case(
      testDescription: "DR-01 an account that was never registered", account: Name.work,
      answer: "policyRequired notEnrolled", acts: [], isRegistered: false),
    Case(
      testDescription: "DR-01 without sources it counted as enrolled", account: Name.work,
      answer: "suspended unenrolled",
      acts: ["deregistered unenrolled"], sources: [], isRegistered: false),
    Case(
      testDescription: "DR-01 a free account", account: Name.home, answer: "unmanaged noPolicy", acts: [],
      isRegistered: false),
    Case(
      testDescription: "DR-01 a private account", account: "me@example.org", answer: "unmanaged noPolicy", acts: [],
      isRegistered: false),
    Case(
      testDescription: "DR-01 an unknown account", account: "ghost", answer: "unknownAccount", acts: [],
      isRegistered: false),
  ])
  func deregistering(_ test: Case) throws {
    var desk = AccountDesk { $0.app.accounts.sources = test.sources }
    let portal = try desk.attach()
    if test.isRegistered { _ = desk.register(test.account, by: portal) }
    _ = desk.acts()
    #expect(desk.deregister(test.account, by: portal) == test.answer)
    #expect(desk.acts() == test.acts)
    // Nothing is left to do, today or later.
    #expect(desk.deregister(test.account, by: portal).hasSuffix("unenrolled") == false)
    desk.wait(3 * AccountDesk.day)
    #expect(desk.acts() == [])
  }

  /// DR-NOWIPE, DR-03: what was managed stays managed, and the account may not work here; elsewhere it may.
  @Test(arguments: [[AccountSource.app], []])
  func anEndSuspendsTheAccountHereAlone(_ sources: [AccountSource]) throws {
    var desk = AccountDesk { policy in
      policy.app.accounts.sources = sources
      policy.otherApps[0].accounts.sources = sources
      policy.protection.clipboard.level = .blocked
    }
    let portal = try desk.attach()
    let second = try desk.attach()
    let notes = try desk.attach(Name.notes)
    let other = try desk.attach(person: 1001)
    for caller in [portal, second, notes, other] {
      _ = desk.register(Name.work, by: caller)
      #expect(try desk.printed(as: Name.work, by: caller).outcome == .allow)
    }
    var copy = Event(.copy)
    copy.viewer = copy.append("V")
    _ = desk.answer(copy, by: portal)
    #expect(desk.deregister(Name.work, by: portal) == "suspended unenrolled")
    for caller in [portal, second] {
      #expect(desk.answer(.data(.print, in: "V"), by: caller) == Answer(.block, .policyRequired))
      #expect(desk.state(Name.work, for: caller) == .suspended)
    }
    for caller in [notes, other] {
      #expect(desk.answer(.data(.print, in: "V"), by: caller).outcome == .allow)
      #expect(desk.state(Name.work, for: caller) == .enrolled)
    }
    // The clip is the organisation's, although the account has no access here.
    _ = try desk.engine.perform(
      .setIdentity(IdentityStatement(.process, account: Name.home)), for: portal, at: desk.time)
    var paste = Event(.paste)
    paste.viewer = paste.append("V")
    #expect(desk.answer(paste, by: portal).outcome == .block)
    #expect(desk.register(Name.work, by: portal) == "enrolled newPolicies")
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
  }

  /// DR-05: the person's sign-in service goes on naming it. It is not tried again until the app itself says so.
  @Test(arguments: [[AccountSource.broker], [.broker, .user], [.broker, .app]])
  func aSourceDoesNotBringAnEndedAccountBack(_ sources: [AccountSource]) throws {
    var desk = AccountDesk { ($0.app.accounts.sources, $0.app.managedAccounts) = (sources, .one) }
    let portal = try desk.attach()
    try desk.say([Name.work, Name.second])
    let waiting = [Name.work, Name.second].first { desk.state($0, for: portal) == .registered }
    let account = try #require(waiting)
    #expect(desk.deregister(account, by: portal) == "suspended unenrolled")
    _ = desk.acts()
    try desk.say([Name.work, Name.second])
    desk.wait(2 * AccountDesk.day)
    _ = try desk.attach()
    desk.reload { ($0.app.accounts.sources, $0.app.managedAccounts) = (sources, .several) }
    #expect(desk.acts().allSatisfy { $0.hasPrefix("checkedIn") })
    #expect(desk.state(account, for: portal) == .suspended)
    #expect(desk.register(account, by: portal) == "enrolled newPolicies")
  }

  // MARK: Allowed accounts

  /// AA-01: nil takes all. AA-02: only these may sign in. AA-04: without case, by either name. AA-05: a refusal is told.
  @Test(arguments: [
    ([String]?.none, Name.work, "enrolled allowed"), (nil, "me@example.org", "unmanaged allowed"),
    (nil, "ghost", "unknownAccount"), ([Name.work], "WORK@contoso.com", "enrolled allowed"),
    ([Name.work], "6D5C", "enrolled allowed"), (["6d5c"], Name.work, "enrolled allowed"),
    (["*@contoso.com"], Name.second, "registered allowed"), ([Name.work], Name.second, "notAllowed accountNotAllowed"),
    ([Name.work], "me@example.org", "notAllowed accountNotAllowed"),
    ([Name.work], "ghost", "notAllowed accountNotAllowed"),
    (["*@contoso.com"], "work@contoso.com.", "notAllowed accountNotAllowed"),
    ([Name.home], Name.home, "unmanaged allowed"),
  ])
  func signingIn(_ allowed: [String]?, _ account: String, _ answer: String) throws {
    var desk = AccountDesk {
      $0.app.managedAccounts = .one
      $0.app.accounts.allowed = allowed
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.second, by: portal)
    _ = desk.acts()
    #expect(desk.maySignIn(account, by: portal) == answer)
    #expect(desk.acts() == (answer.hasPrefix("notAllowed") ? ["signInRefused"] : []))
  }

  @Test
  func aLongNameIsNotRecorded() throws {
    var desk = AccountDesk { $0.app.accounts.allowed = [Name.work] }
    let portal = try desk.attach()
    #expect(desk.maySignIn(String(repeating: "x", count: 100_000), by: portal) == "limitReached nameBytes")
    #expect(desk.acts() == [])
  }

  /// A blocked account may not sign in anew; one that still lacks its enrolment may.
  @Test(arguments: [
    (AccountState.active, "registered allowed"), (.blocked, "blocked accountBlocked"), (.wiped, "wiped accountWiped"),
    (.nonCompliant, "nonCompliant accountNotCompliant"),
  ])
  func signingInByState(_ state: AccountState, _ answer: String) throws {
    var desk = AccountDesk { ($0.work.state, $0.app.accounts.sources) = (state, [.broker]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    #expect(desk.maySignIn(Name.work, by: portal) == answer)
  }

  /// AA-02, AA-03: another list is in force. Accounts that are shown and not in it are blocked and must sign out.
  @Test
  func anotherListSignsOut() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.second, by: portal)
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
    #expect(desk.engine.allowedAccounts(for: portal).accounts == nil)
    #expect(desk.engine.allowedAccounts(for: portal).mustSignOut.isEmpty)
    desk.reload { $0.app.accounts.allowed = [Name.second] }
    #expect(desk.engine.allowedAccounts(for: portal).accounts == [Name.second])
    #expect(desk.engine.allowedAccounts(for: portal).mustSignOut == [Name.work])
    #expect(desk.answer(.data(.print, in: "V"), by: portal) == Answer(.block, .accountNotAllowed))
    #expect(desk.state(Name.work, for: portal) == .notAllowed)
    desk.reload { _ in }
    #expect(desk.engine.allowedAccounts(for: portal).accounts == nil)
    #expect(desk.answer(.data(.print, in: "V"), by: portal).outcome == .allow)
    #expect(desk.state(Name.work, for: portal) == .enrolled)
  }

  /// A free account that the list leaves out is blocked as well: the app takes only these.
  @Test
  func aFreeAccountThatIsNotListedIsBlocked() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    #expect(try desk.printed(as: Name.home, by: portal).outcome == .allow)
    desk.reload { $0.app.accounts.allowed = ["*@contoso.com"] }
    #expect(desk.answer(.data(.print, in: "V"), by: portal) == Answer(.block, .accountNotAllowed))
    #expect(desk.engine.allowedAccounts(for: portal).mustSignOut == [Name.home])
  }
}
