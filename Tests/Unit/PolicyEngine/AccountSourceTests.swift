import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The words of sources, what an account may do by them, and neighbours: persons, apps, programs, reloads. Design,
/// accounts, sections 1 and 2.
struct AccountSourceTests {
  /// Everything that names an account, not only what is shown as it.
  private static let namings: [(String, Event)] = [
    ("upload", .data(.upload, in: "V", owner: Name.work)),
    ("save", .data(.save, in: "V", at: .sharePoint, of: Name.work)),
    ("share", .data(.share, in: "V", with: Name.notes, as: Name.work)),
    ("receive", .data(.receive, in: "V", with: Name.notes, as: Name.work)),
    ("open", .data(.open, in: "V", at: .sharePoint, of: Name.work)),
  ]
  private static let doings: [(String, Event)] = [
    ("print", .data(.print, in: "V")), ("capture", .data(.capture, in: "V")),
    ("navigate", .data(.navigate, in: "V", url: "https://contoso.com/")), ("copy", .data(.copy, in: "V")),
    ("paste", .data(.paste, in: "V")), ("notify", .data(.notify, in: "V")), ("index", .data(.index, in: "V")),
    ("openURL", .data(.openURL, in: "V", url: "https://contoso.com/")),
  ]

  /// What brings an account into a standing, and the reason of every block.
  @Test(arguments: ["unregistered", "notAllowed", "lapsed", "ended"])
  func nothingPassesOfAnAccountThatMayNotWork(_ standing: String) throws {
    let reasons: [String: Reason] = [
      "unregistered": .policyRequired, "notAllowed": .accountNotAllowed, "lapsed": .notChecked,
      "ended": .policyRequired,
    ]
    let reason = try #require(reasons[standing])
    var desk = AccountDesk()
    let portal = try desk.attach()
    try desk.say([Name.work])
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
    switch standing {
    case "unregistered": try desk.say([])
    case "notAllowed": desk.reload { $0.app.accounts.allowed = [Name.second] }
    case "lapsed": desk.wait(7 * AccountDesk.day)
    default: _ = desk.deregister(Name.work, by: portal)
    }
    for (name, event) in Self.doings {
      #expect(desk.answer(event, by: portal) == Answer(.block, reason), "\(name)")
    }
    // Another account is shown, and the events name the one that may not work.
    _ = desk.register(Name.second, by: portal)
    #expect(try desk.printed(as: Name.second, by: portal).outcome == .allow)
    for (name, event) in Self.namings {
      #expect(desk.answer(event, by: portal) == Answer(.block, reason), "\(name)")
    }
  }

  /// It may not be shown either, and what the app shows all the same is blocked with the reason.
  @Test
  func anAccountThatIsNotEnrolledIsNotShown() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    let reply = try desk.engine.perform(
      .setIdentity(IdentityStatement(.process, account: Name.work)), for: portal, at: desk.time)
    guard case .identity(let identity) = reply else {
      Issue.record("\(reply)")
      return
    }
    #expect(identity.result == .failed)
    #expect(desk.answer(.data(.print, in: "V"), by: portal) == Answer(.block, .policyRequired))
    // Enrolled, it still has to be named: what the app shows by now is not known.
    _ = desk.register(Name.work, by: portal)
    #expect(desk.answer(.data(.print, in: "V"), by: portal) == Answer(.block, .noIdentity))
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
  }

  /// The word holds for `signInHolds`, not until the next check-in; then nothing is known, and a new word ends that.
  @Test(arguments: [true, false])
  func aWordLapsesAndComesBack(_ isRunning: Bool) throws {
    var desk = AccountDesk { $0.enrollment.checkIn = 30 * AccountDesk.day }
    var portal = try desk.attach()
    try desk.say([Name.work])
    let enrolled = desk.listed(Name.work, for: portal)?.enrolledAt
    if !isRunning { desk.engine.state.end(portal.instance) }
    _ = desk.acts()
    desk.wait(7 * AccountDesk.day - 1)
    #expect(desk.acts() == [])
    desk.wait(1)
    #expect(desk.acts() == ["notEnrolled notChecked"])
    if !isRunning { portal = try desk.attach() }
    #expect(desk.state(Name.work, for: portal) == .notChecked)
    #expect(desk.listed(Name.work, for: portal)?.result == .notChecked)
    #expect(desk.listed(Name.work, for: portal)?.enrolledAt == enrolled)
    try desk.say([Name.work])
    #expect(desk.acts() == ["checkedIn unchanged"])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    #expect(desk.listed(Name.work, for: portal)?.checkedInAt == desk.time)
  }

  /// One source may be silent while the other speaks.
  @Test
  func oneSourceIsEnough() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.user, .broker] }
    let portal = try desk.attach()
    try desk.say([Name.work])
    desk.wait(6 * AccountDesk.day)
    try desk.say([Name.work], by: .user)
    desk.wait(2 * AccountDesk.day)
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    #expect(desk.listed(Name.work, for: portal)?.sources == [.user, .broker])
    try desk.say([], by: .user)
    #expect(desk.state(Name.work, for: portal) == .notChecked)
  }

  /// The person signs out of one account and in to another: one word says both, and the app has room for one.
  @Test(arguments: [false, true])
  func anAccountMakesRoomForAnother(_ secondWasThereFirst: Bool) throws {
    var desk = AccountDesk { ($0.app.managedAccounts, $0.app.accounts.sources) = (.one, [.broker]) }
    let portal = try desk.attach()
    if secondWasThereFirst { _ = desk.register(Name.second, by: portal) }
    desk.wait(1)
    try desk.say([Name.work])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    try desk.say([Name.second])
    #expect(desk.state(Name.second, for: portal) == .enrolled)
    #expect(desk.state(Name.work, for: portal) == .registered)
  }

  /// The word of one person, and of one source, speaks of no other.
  @Test
  func aWordSpeaksOfItsPersonAlone() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    let (mine, other) = (try desk.attach(), try desk.attach(person: 1001))
    try desk.say([Name.work], of: 1001)
    try desk.say([Name.work], by: .user, of: 1000)
    #expect(desk.state(Name.work, for: mine) == nil)
    #expect(desk.state(Name.work, for: other) == .enrolled)
    #expect(try desk.printed(as: Name.work, by: mine) == Answer(.block, .policyRequired))
    #expect(desk.engine.state.deviceAccount(of: 1000, desk.engine.snapshot) == Name.work)
    #expect(desk.engine.state.deviceAccount(of: 1002, desk.engine.snapshot) == nil)
  }

  /// A word never lifts what the policy states.
  @Test(arguments: [AccountState.blocked, .wiped, .nonCompliant])
  func aWordLiftsNothing(_ state: AccountState) throws {
    var desk = AccountDesk { $0.work.state = state }
    let portal = try desk.attach()
    for source in [AccountSource.user, .broker] { try desk.say([Name.work], by: source) }
    _ = desk.register(Name.work, by: portal)
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .block)
    #expect(desk.state(Name.work, for: portal)?.rawValue == state.rawValue)
  }

  /// EN-12: the user database counts before the session, and nothing is said for several or after a long silence.
  @Test
  func theDeviceAccount() throws {
    var desk = AccountDesk()
    func account(_ desk: borrowing AccountDesk) -> String? {
      desk.engine.state.deviceAccount(of: 1000, desk.engine.snapshot)
    }
    try desk.say([Name.second, "me@example.org"])
    #expect(account(desk) == Name.second, "a private account is none of its business")
    try desk.say([Name.work], by: .user)
    #expect(account(desk) == Name.work)
    desk.wait(4 * AccountDesk.day)
    try desk.say([Name.second])
    desk.wait(4 * AccountDesk.day)
    #expect(account(desk) == Name.second, "the user database has been silent for too long")
    try desk.say([Name.second, Name.work])
    #expect(account(desk) == nil)
  }

  /// Private accounts of a word reach neither the log nor the state file.
  @Test
  func privateAccountsStayPrivate() throws {
    var desk = AccountDesk()
    try desk.engine.signedIn(
      [SignedInAccount(upn: "me@example.org"), SignedInAccount(upn: Name.work, objectID: "6d5c")], by: .broker,
      person: 1000, at: desk.time)
    #expect(desk.engine.state.life.takeEvents().map(\.account) == [Name.work])
    var kept = KeptState()
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.words.values.flatMap(\.accounts).map(\.upn) == [Name.work])
    try desk.say([Name.work.uppercased()])
    #expect(desk.acts() == [], "the same account in capitals is no news")
  }

  // MARK: Reloads

  /// A reload is an attempt for every account (design, accounts, section 4).
  @Test
  func reloadsTakeAndGive() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.printed(as: Name.work, by: portal)
    _ = desk.acts()
    let printed = Event.data(.print, in: "V")
    // The protection goes, and comes back.
    desk.reload { $0.protection.accountPatterns = [Name.second] }
    #expect(desk.acts() == ["unenrolled notTargeted"])
    #expect(desk.answer(printed, by: portal) == Answer(.allow, .unmanaged))
    desk.reload { _ in }
    #expect(desk.acts() == ["enrolled newPolicies"])
    #expect(desk.answer(printed, by: portal).outcome == .allow)
    // The app goes, and comes back.
    desk.reload { $0.app = App(name: "com.contoso.else") }
    #expect(desk.acts() == ["unenrolled notTargeted"])
    #expect(desk.answer(printed, by: portal) == Answer(.block, .unknownApp))
    desk.reload { _ in }
    #expect(desk.acts() == ["enrolled newPolicies"])
    // The account's entry goes: the pattern takes it all the same.
    desk.reload { $0.work = AccountEntry(upn: "else@contoso.com", objectID: nil) }
    #expect(desk.acts() == [])
    #expect(desk.answer(printed, by: portal).outcome == .allow)
    // It is blocked, and free again.
    desk.reload { $0.work.state = .blocked }
    #expect(desk.acts() == ["unenrolled blocked"])
    #expect(desk.answer(printed, by: portal) == Answer(.block, .accountBlocked))
    desk.reload { _ in }
    #expect(desk.acts() == ["enrolled newPolicies"])
    // Sources come and go.
    desk.reload { $0.app.accounts.sources = [.user] }
    #expect(desk.acts() == ["unenrolled notSignedIn"])
    #expect(desk.answer(printed, by: portal) == Answer(.block, .policyRequired))
    desk.reload { $0.app.accounts.sources = [] }
    #expect(desk.acts() == ["enrolled newPolicies"])
    #expect(desk.answer(printed, by: portal).outcome == .allow)
  }

  /// In single mode the policy's one account is the process's: it waits for its enrolment as any other.
  @Test
  func singleModeWaitsForItsAccount() throws {
    var desk = AccountDesk {
      ($0.app.identityMode, $0.app.managedAccounts) = (.single, .one)
      ($0.protection.accountPatterns, $0.work.protection) = ([Name.work], nil)
    }
    let portal = try desk.attach()
    let printed = Event.data(.print, in: "V")
    #expect(desk.answer(printed, by: portal) == Answer(.block, .policyRequired))
    _ = desk.register(Name.work, by: portal)
    #expect(desk.answer(printed, by: portal).outcome == .allow)
    // The program takes its statement back, and is where it began.
    for account in [Name.home, nil] as [String?] {
      _ = try desk.engine.perform(
        .setIdentity(IdentityStatement(.process, account: account)), for: portal, at: desk.time)
    }
    #expect(desk.answer(printed, by: portal).outcome == .allow)
  }

  /// A starting account that no list leaves out works without any statement, also after the program took one back.
  @Test
  func aStartingAccountKeepsItsStanding() throws {
    var desk = AccountDesk {
      ($0.app.identityMode, $0.app.managedAccounts, $0.app.accounts.sources) = (.single, .one, [])
      ($0.app.accounts.allowed, $0.protection.accountPatterns) = ([Name.work, Name.home], [Name.work])
    }
    let portal = try desk.attach()
    for account in [Name.home, nil] as [String?] {
      _ = try desk.engine.perform(
        .setIdentity(IdentityStatement(.process, account: account)), for: portal, at: desk.time)
      _ = desk.register(Name.home, by: portal)
    }
    #expect(desk.answer(.data(.print, in: "V"), by: portal).outcome == .allow)
  }

  /// A group binds accounts while a program of the person runs: that none runs unenrols nobody.
  @Test
  func accountsOfGroupsStayEnrolledWhileTheAppRests() throws {
    var desk = AccountDesk {
      $0.protection.accountPatterns = []
      $0.protection.groups = [50]
    }
    let portal = try desk.attach(groups: [50])
    try desk.say(["any@example.org"])
    #expect(desk.state("any@example.org", for: portal) == .enrolled)
    desk.engine.state.end(portal.instance)
    _ = desk.acts()
    try desk.say(["any@example.org"])
    desk.wait(AccountDesk.day)
    desk.reload {
      $0.protection.accountPatterns = []
      $0.protection.groups = [50]
    }
    #expect(desk.acts() == [])
    let again = try desk.attach(groups: [50])
    #expect(desk.state("any@example.org", for: again) == .enrolled)
    // The person left the group.
    desk.engine.state.end(again.instance)
    _ = desk.acts()
    _ = try desk.attach(groups: [])
    #expect(desk.acts() == ["unenrolled notTargeted"])
  }

  /// A name that only another person's groups made known is not known here.
  @Test
  func anotherPersonsNamesAreNotKnown() throws {
    var desk = AccountDesk { $0.protection.groups = [50] }
    let staff = try desk.attach(groups: [50])
    let other = try desk.attach(person: 1001)
    #expect(desk.register("secret-name", by: staff) == "enrolled newPolicies")
    #expect(desk.register("secret-name", by: other) == "unknownAccount")
    #expect(desk.deregister("secret-name", by: other) == "unknownAccount")
    #expect(desk.maySignIn("secret-name", by: other) == "unknownAccount")
    #expect(desk.register("other-name", by: other) == "unknownAccount")
  }
}
