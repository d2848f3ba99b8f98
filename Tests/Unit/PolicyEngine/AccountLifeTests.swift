import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Registration, enrolment and their times. Ledger EN-02 to EN-07, EN-10, EN-11, ST-03, ST-04, CA-13, AA-04.
struct AccountLifeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String?
    let answer: String
    var change: @Sendable (inout ExamplePolicy) -> Void = { _ in }

    init(
      _ row: String, _ name: String?, _ answer: String,
      _ change: @escaping @Sendable (inout ExamplePolicy) -> Void = { _ in }
    ) {
      (testDescription, self.name, self.answer, self.change) = (row, name, answer, change)
    }
  }

  private static let objectID = "3ec2c00f-b125-4519-acf0-302ac3761822"
  private static let tenant = "11112222-3333-4444-5555-666677778888"

  @Test(arguments: [
    Case("EN-02 the app's word is enough", Name.work, "enrolled newPolicies"),
    Case("EN-02 of a pattern's account", "new@contoso.com", "enrolled newPolicies"),
    Case("EN-04 no source says so", Name.work, "registered notSignedIn") { $0.app.accounts.sources = [.broker] },
    Case("EN-04 nor does the user database", Name.work, "registered notSignedIn") { $0.app.accounts.sources = [.user] },
    Case("EN-02 without sources", Name.work, "enrolled newPolicies") { $0.app.accounts.sources = [] },
    Case("ST-04 207 no account", nil, "unknown noAccount"),
    Case("ST-04 207 an empty name", "", "unknown noAccount"),
    Case("EN-11 a private account", "me@example.org", "unmanaged noPolicy"),
    Case("EN-11 a known account that nothing binds", Name.home, "unmanaged notTargeted"),
    Case("EN-11 an object id that the policy does not know", "ghost", "unknownAccount"),
    Case("EN-11 of a domain that the policy covers", "ghost@home.example", "unknownAccount"),
    Case("EN-11 a name that only looks private", "work@contoso.com.", "unknownAccount"),
    Case("EN-11 another one", "work@contoso.com ", "unknownAccount"),
    Case("EN-11 a third one", "work@contoso..example", "unknownAccount"),
    Case("AA-04 without case", "WORK@Contoso.COM", "enrolled newPolicies"),
    Case("AA-04 by object id", "6d5c", "enrolled newPolicies"),
    Case("CA-13 object id and tenant", "\(objectID).\(tenant)", "enrolled newPolicies") {
      $0.work = AccountEntry(upn: Name.work, objectID: objectID)
    },
    Case("CA-13 in capitals", "\(objectID.uppercased()).\(tenant)", "enrolled newPolicies") {
      $0.work = AccountEntry(upn: Name.work, objectID: objectID)
    },
    Case("CA-13 two dots are no tenant", "\(objectID).\(tenant).\(tenant)", "unknownAccount") {
      $0.work = AccountEntry(upn: Name.work, objectID: objectID)
    },
    Case("AA-02 another account", Name.work, "notAllowed blocked") { $0.app.accounts.allowed = [Name.second] },
    Case("AA-02 a private account", "me@example.org", "notAllowed blocked") { $0.app.accounts.allowed = [Name.second] },
    Case("AA-02 a known free account", Name.home, "notAllowed blocked") { $0.app.accounts.allowed = [Name.second] },
    Case("AA-04 allowed by object id", Name.work, "enrolled newPolicies") { $0.app.accounts.allowed = ["6d5c"] },
    Case("AA-02 allowed by pattern", Name.work, "enrolled newPolicies") { $0.app.accounts.allowed = ["*@contoso.com"] },
    Case("a blocked account", Name.work, "blocked blocked") { $0.work.state = .blocked },
    Case("a wiped account", Name.work, "wiped blocked") { $0.work.state = .wiped },
    Case("an account that does not comply is enrolled all the same", Name.work, "nonCompliant newPolicies") {
      $0.work.state = .nonCompliant
    },
    Case("a name of 257 bytes", String(repeating: "a", count: 245) + "@contoso.com", "limitReached nameBytes"),
  ])
  func registering(_ test: Case) throws {
    var desk = AccountDesk(test.change)
    let portal = try desk.attach()
    #expect(desk.register(test.name, by: portal) == test.answer)
  }

  /// EN-03: ignored, with a warning; nothing of the account changes.
  @Test
  func registeringAgainIsIgnored() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    #expect(desk.acts() == ["registered", "enrolled newPolicies"])
    let before = desk.listed(Name.work, for: portal)
    desk.wait(AccountDesk.hour)
    #expect(desk.register("6D5C", by: portal) == "enrolled alreadyEnrolled")
    #expect(desk.acts() == ["registeredAgain alreadyEnrolled"])
    #expect(desk.listed(Name.work, for: portal) == before)
  }

  /// EN-04, EN-05: while no account is enrolled, each registered one is tried every 24 h.
  @Test
  func everyRegisteredAccountIsTriedEachDay() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    let portal = try desk.attach()
    let start = desk.time
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.second, by: portal)
    for day in 1...3 {
      for name in [Name.work, Name.second] {
        #expect(desk.listed(name, for: portal)?.retryAt == start + UInt64(day) * AccountDesk.day)
      }
      desk.wait(AccountDesk.day - 1)
      #expect(desk.isDue == false)
      desk.wait(1)
    }
    #expect(desk.acts().filter { $0.hasPrefix("enrolled") }.isEmpty)
  }

  /// EN-RETRY-STOP: two accounts are registered and one is enrolled; for 48 h there is no attempt for either.
  @Test
  func retriesStopOnceOneIsEnrolled() throws {
    var desk = AccountDesk { $0.app.managedAccounts = .one }
    let portal = try desk.attach()
    #expect(desk.register(Name.work, by: portal) == "enrolled newPolicies")
    #expect(desk.register(Name.second, by: portal) == "registered singleAccount")
    #expect(desk.engine.accounts(for: portal).allSatisfy { $0.retryAt == nil })
    _ = desk.acts()
    desk.wait(48 * AccountDesk.hour)
    #expect(desk.acts() == ["checkedIn unchanged"])
    #expect(desk.state(Name.second, for: portal) == .registered)
  }

  /// EN-RETRY-RESUME: the enrolled account goes; the other one is tried within 24 h.
  @Test
  func retriesResumeOnceItIsUnenrolled() throws {
    var desk = AccountDesk { $0.app.managedAccounts = .one }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.second, by: portal)
    #expect(desk.deregister(Name.work, by: portal) == "suspended unenrolled")
    #expect(desk.listed(Name.second, for: portal)?.retryAt == desk.time + AccountDesk.day)
    _ = desk.acts()
    desk.wait(AccountDesk.day)
    #expect(desk.acts() == ["enrolled newPolicies"])
    #expect(desk.state(Name.second, for: portal) == .enrolled)
  }

  /// EN-06: every 8 h while a program of the app runs, and at its next start when it did not.
  @Test
  func enrolledAccountsAreCheckedIn() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.acts()
    for _ in 1...3 {
      desk.wait(8 * AccountDesk.hour - 1)
      #expect(desk.acts() == [])
      desk.wait(1)
      #expect(desk.acts() == ["checkedIn unchanged"])
      #expect(desk.listed(Name.work, for: portal)?.checkedInAt == desk.time)
    }
    desk.engine.state.end(portal.instance)
    desk.wait(20 * AccountDesk.hour)
    #expect(desk.acts() == [])
    let again = try desk.attach()
    #expect(desk.acts() == ["checkedIn unchanged"])
    #expect(desk.state(Name.work, for: again) == .enrolled)
  }

  /// ST-03: 100 after another policy came into force, then 101; a fetch checks everybody in.
  @Test
  func aCheckInSaysWhetherThePolicyIsNew() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.reload { $0.protection.printing = .block }
    _ = desk.acts()
    desk.engine.checkIn(at: desk.time)
    #expect(desk.acts() == ["checkedIn newPolicies"])
    desk.engine.checkIn(at: desk.time)
    #expect(desk.acts() == ["checkedIn unchanged"])
    #expect(EnrollmentResult.newPolicies.number == 100 && EnrollmentResult.unchanged.number == 101)
  }

  /// EN-07: 90 days after the last check-in the registration goes. No data is touched: its clips are the organisation's.
  @Test
  func registrationsAreForgottenAndDataIsNot() throws {
    var desk = AccountDesk { $0.protection.clipboard.level = .blocked }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.printed(as: Name.work, by: portal)
    var copy = Event(.copy)
    copy.viewer = copy.append("V")
    _ = desk.answer(copy, by: portal)
    desk.engine.state.end(portal.instance)
    _ = desk.acts()
    desk.wait(90 * AccountDesk.day - 1)
    #expect(desk.acts() == [])
    desk.wait(1)
    #expect(desk.acts() == ["forgotten notEnrolled"])
    let notes = try desk.attach(Name.notes)
    var paste = Event(.paste)
    paste.viewer = paste.append("V")
    #expect(desk.answer(paste, by: notes).outcome == .block)
    let again = try desk.attach()
    #expect(desk.state(Name.work, for: again) == nil)
    #expect(try desk.printed(as: Name.work, by: again) == Answer(.block, .policyRequired))
    #expect(desk.register(Name.work, by: again) == "enrolled newPolicies")
  }

  /// A machine was off for 91 days: whether the tick or the app comes first, the registration is gone.
  @Test(arguments: [true, false])
  func anAppThatStartsAfterLongFindsNoRegistration(_ ticksFirst: Bool) throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.engine.state.end(portal.instance)
    var kept = KeptState()
    desk.restart(&kept)
    _ = desk.acts()
    desk.pass(91 * AccountDesk.day)
    if ticksFirst { desk.wait(0) }
    let again = try desk.attach()
    desk.wait(0)
    #expect(desk.acts() == ["forgotten notEnrolled"])
    #expect(desk.engine.accounts(for: again).isEmpty)
  }

  /// EN-10, MI-23: all accounts with state, managed, protection, sources and times; EN-11: an app compares with them.
  @Test
  func theListHasEveryAccount() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    let start = desk.time
    #expect(desk.engine.accounts(for: portal).isEmpty)
    _ = desk.register(Name.second, by: portal)
    desk.wait(AccountDesk.hour)
    try desk.say([Name.work])
    var work = ListedAccount(
      person: 1000, app: AccountDesk.portal, account: Name.work, state: .enrolled, isManaged: true)
    (work.protection, work.sources, work.result) = ("contoso-standard", [.broker], .unchanged)
    (work.registeredAt, work.enrolledAt, work.checkedInAt) = (desk.time, desk.time, desk.time)
    (work.triedAt, work.forgottenAt) = (desk.time, desk.time + 90 * AccountDesk.day)
    var second = ListedAccount(
      person: 1000, app: AccountDesk.portal, account: Name.second, state: .enrolled, isManaged: true)
    (second.protection, second.sources, second.result) = ("contoso-standard", [.app], .unchanged)
    (second.registeredAt, second.enrolledAt, second.checkedInAt) = (start, start, start)
    (second.triedAt, second.forgottenAt) = (start, start + 90 * AccountDesk.day)
    (work.encryption, second.encryption) = (.envelope, .envelope)
    #expect(desk.engine.accounts(for: portal) == [second, work])
  }

  /// The app's own word comes after the broker's: the account stays what it is, and needs the broker no longer.
  @Test
  func theAppsWordChangesNothingOfAnEnrolledAccount() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    try desk.say([Name.work])
    let enrolled = desk.listed(Name.work, for: portal)?.enrolledAt
    desk.wait(AccountDesk.hour)
    _ = desk.acts()
    #expect(desk.register(Name.work, by: portal) == "enrolled unchanged")
    #expect(desk.acts() == ["registered"])
    #expect(desk.listed(Name.work, for: portal)?.enrolledAt == enrolled)
    try desk.say([])
    #expect(desk.acts() == ["signedOut"])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
  }

  /// The clock of a daemon never runs back; a call with an earlier time is one at the latest.
  @Test
  func timeNeverRunsBack() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.acts()
    desk.engine.tick(at: 1)
    #expect(desk.acts() == [])
    desk.engine.tick(at: desk.time + 8 * AccountDesk.hour)
    #expect(desk.acts() == ["checkedIn unchanged"])
  }

  /// ST-03, ST-04: the SDK's numbers, those that are no failure, and those after which the app should remove the account.
  @Test
  func resultsHaveTheSDKsNumbers() {
    let numbers: [EnrollmentResult: Int] = [
      .newPolicies: 100, .unchanged: 101, .wipeReceived: 102, .noPolicy: 103, .unenrolled: 104, .internalError: 201,
      .unreadablePolicy: 206, .noAccount: 207, .alreadyEnrolled: 208, .notOrganizationAccount: 209, .otherUser: 210,
      .notSignedIn: 211, .notEnrolled: 213, .notEnrolledAccount: 214, .clearFailed: 215, .notChecked: 216,
      .unsupported: 223, .notTargeted: 225, .blocked: 226, .singleAccount: 227,
    ]
    #expect(numbers.count == EnrollmentResult.allCases.count)
    for (result, number) in numbers {
      #expect(result.number == number)
      #expect(result.isSuccess == (number < 200))
      #expect(result.mustRemove == (209...211).contains(number))
    }
  }
}
