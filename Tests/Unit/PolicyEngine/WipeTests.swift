import GuardModel
import PolicyEngine
import Testing

/// Wipes: lock first, destroy later, and nothing by mistake. Ledger WP-01 to WP-07, DR-03; design, accounts, section 6.
struct WipeTests {
  private static let directories = ["~/.local/share/contoso/{account}"].compactMap { try? DataDirectory($0) }

  private static func wiping(
    _ causes: Set<WipeCause>, _ change: (inout WipeSettings) -> Void = { _ in }
  ) -> WipeSettings {
    var wipe = WipeSettings()
    (wipe.mode, wipe.causes, wipe.answerTime) = (.on, causes, AccountDesk.day)
    change(&wipe)
    return wipe
  }

  // MARK: Locking

  /// DR-WIPE: the account is locked at once, and the app is asked only when the delay is over.
  @Test func aDeregistrationLocksAtOnceAndDestroysLater() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.deregister]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let answer = try desk.remove(Name.work, by: portal)
    #expect(answer.state == .wipePending)
    #expect(answer.result == .unenrolled)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountBlocked))
    #expect(desk.asked().isEmpty)
    desk.run(hours: 71)
    #expect(desk.asked().isEmpty)
    desk.run(hours: 2)
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountWiped))
    #expect(try desk.complete(.done, by: portal) == .wiped)
    #expect(desk.wipeActs().last == "wipeCompleted deregister")
    #expect(desk.engine.wipes.isEmpty)
    // The instance shows it no more; a new registration is a new account's.
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountWiped))
    #expect(desk.register(Name.work, by: portal) == "enrolled newPolicies")
  }

  /// Off by default: every cause locks or ends, and nothing is asked, however long one waits.
  @Test(arguments: [WipeMode.off, .dryRun])
  func nothingIsDestroyedUnlessThePolicySaysSo(_ mode: WipeMode) throws {
    var desk = AccountDesk { policy in
      policy.wipe = Self.wiping(Set(WipeCause.allCases))
      policy.wipe.mode = mode
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work)
    #expect(wipe.phase == .locked)
    #expect(wipe.remaining == nil)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountBlocked))
    desk.run(hours: 24 * 400)
    #expect(desk.asked().isEmpty)
    #expect(desk.wipeActs() == ["wouldWipe admin"])
  }

  /// A cause that the policy does not list locks, and destroys nothing.
  @Test func onlyListedCausesDestroy() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.marker]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    #expect(try desk.wipeByAdministrator(Name.work).phase == .locked)
    _ = try desk.remove(Name.second, by: portal)
    desk.run(hours: 24 * 30)
    #expect(desk.asked().isEmpty)
  }

  // MARK: Answers

  struct Answered: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let result: RequestResult?
    let directories: Bool
    /// What the shell is told, and the last act.
    let orders: Bool
    let last: String
  }

  /// WP-TRUE, WP-FALSE: after `refused`, `failed` or silence the helper removes files, where the policy has directories.
  @Test(arguments: [
    Answered(testDescription: "done", result: .done, directories: true, orders: false, last: "wipeCompleted admin"),
    Answered(testDescription: "refused", result: .refused, directories: true, orders: true, last: "wipeAnswered admin"),
    Answered(testDescription: "failed", result: .failed, directories: true, orders: true, last: "wipeAnswered admin"),
    Answered(testDescription: "silent", result: nil, directories: true, orders: true, last: "wipeAnswered admin"),
    Answered(
      testDescription: "refused, and no directories", result: .refused, directories: false, orders: false,
      last: "wipeIncomplete admin"),
  ])
  func answers(_ test: Answered) throws {
    var desk = AccountDesk { policy in
      policy.wipe = Self.wiping([.admin])
      if test.directories { policy.app.dataDirectories = Self.directories }
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    if let result = test.result { _ = try desk.complete(result, by: portal) } else { desk.run(hours: 25) }
    #expect(desk.orders().isEmpty == !test.orders)
    #expect(desk.wipeActs().last == test.last)
    guard test.orders, let request = desk.lastOrder else { return }
    try desk.report(request, removed: 12, kept: 1)
    #expect(desk.wipeActs().last == "wipeIncomplete admin")
    #expect(throws: Refusal.self) { try desk.report(request, removed: 12, kept: 1) }
  }

  /// An answer counts once, and only that of the person's own app.
  @Test func anAnswerCountsOnceAndFromTheRightProgram() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    let portal = try desk.attach()
    let stranger = try desk.attach(person: 1001)
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    #expect(throws: Refusal.unknownRequest(wipe.id)) { try desk.complete(wipe.id, .done, by: portal) }
    desk.run(hours: 1)
    #expect(throws: Refusal.unknownRequest(wipe.id)) { try desk.complete(wipe.id, .done, by: stranger) }
    #expect(throws: Refusal.unknownRequest("w-0-0")) { try desk.complete("w-0-0", .done, by: portal) }
    #expect(try desk.complete(wipe.id, .done, by: portal) == .wiped)
    #expect(throws: Refusal.unknownRequest(wipe.id)) { try desk.complete(wipe.id, .done, by: portal) }
  }

  /// An app that does not run is asked when it attaches, before anything else.
  @Test func anAppThatDoesNotRunIsAskedWhenItAttaches() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.engine.state.end(portal.instance)
    _ = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 30)
    #expect(desk.asked().isEmpty)
    let again = try desk.attach()
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    #expect(desk.engine.state.openWipes(of: again.instance).count == 1)
    #expect(try desk.complete(.done, by: again) == .wiped)
    #expect(desk.wipeActs().last == "wipeCompleted admin")
  }

  // MARK: Guard rails

  /// Each of these alone keeps everything whole.
  @Test(arguments: [
    "a clock that no service keeps right", "a boot without a check-in", "a jump of the clock to 2038 and back",
    "a cloned image", "a database 100 days old", "a second person who did not agree",
  ])
  func nothingIsDestroyedByMistake(_ mistake: String) throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) { $0.approvals = mistake.hasPrefix("a second") ? 2 : 1 } }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work)
    var running = AccountDesk.running
    switch mistake {
    case "a clock that no service keeps right": running.isSynchronised = false
    case "a boot without a check-in": running.sinceBoot = 23 * AccountDesk.hour
    case "a jump of the clock to 2038 and back":
      desk.pass(12 * 365 * AccountDesk.day)
      running.elapsed = 1
    case "a cloned image", "a database 100 days old":
      desk.run(hours: 71)
      try desk.restartWithWipesBegunAnew()
    default: break
    }
    let isCopy = mistake.hasPrefix("a cloned") || mistake.hasPrefix("a database")
    desk.run(hours: isCopy ? 71 : 24 * 100, running)
    #expect(desk.asked().isEmpty)
    #expect(desk.engine.wipes.count == 1)
    // It is locked all the same.
    #expect(desk.engine.wipes.first?.phase == .pending)
  }

  @Test func aCheckInSinceTheBootIsEnough() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work)
    var running = AccountDesk.running
    (running.sinceBoot, running.isCheckedInSinceBoot) = (AccountDesk.hour, true)
    desk.run(hours: 73, running)
    #expect(desk.asked().count == 1)
  }

  /// A second login user has to agree, and the first one's second word does not count.
  @Test func twoPersonsHaveToAgree() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) { $0.approvals = 2 } }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work)
    #expect(throws: AccountRefusal.sameApprover) { try desk.engine.approveWipe(wipe.id, by: 500) }
    #expect(try desk.engine.approveWipe(wipe.id, by: 501).approvals == 2)
    desk.run(hours: 73)
    #expect(desk.asked().count == 1)
  }

  /// A wipe that only locked, since the policy let nothing be destroyed, begins by an administrator's next order, with its
  /// whole delay and with the apps that it locked.
  @Test func aLockBecomesAWipeByAnOrder() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let lock = try desk.wipeByAdministrator(Name.work)
    #expect(lock.phase == .locked)
    #expect(throws: AccountRefusal.underWay) { try desk.wipeByAdministrator(Name.work, now: true) }
    desk.run(hours: 100)
    desk.reload { $0.wipe = Self.wiping([.admin]) }
    desk.run(hours: 100)
    #expect(desk.engine.wipes.map(\.phase) == [.locked])
    let wipe = try desk.wipeByAdministrator(Name.work)
    #expect(wipe.phase == .pending && wipe.id == lock.id)
    #expect(throws: AccountRefusal.underWay) { try desk.wipeByAdministrator(Name.work) }
    desk.run(hours: 71)
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    desk.run(hours: 2)
    #expect(desk.engine.wipes.map(\.phase) == [.asking])
    #expect(desk.engine.wipes[0].apps.map(\.app) == [AccountDesk.portal])
  }

  /// An order takes up a lock with the approvals that the lock wanted: a policy that wants fewer by now frees nobody of them.
  @Test func aLockThatWantedTwoPersonsStillDoes() throws {
    var desk = AccountDesk { $0.wipe.approvals = 2 }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let lock = try desk.wipeByAdministrator(Name.work)
    desk.reload { $0.wipe = Self.wiping([.admin]) }
    #expect(try desk.wipeByAdministrator(Name.work).neededApprovals == 2)
    desk.run(hours: 73)
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    #expect(try desk.engine.approveWipe(lock.id, by: 501).approvals == 2)
    desk.run(hours: 1)
    #expect(desk.engine.wipes.map(\.phase) == [.asking])
  }

  /// One pending at a time; an app of a person cannot keep an administrator from his.
  @Test func oneIsPendingAtATime() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin, .deregister]) }
    let portal = try desk.attach()
    let other = try desk.attach(person: 1001)
    for caller in [portal, other] { _ = desk.register(Name.work, by: caller) }
    _ = try desk.remove(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work, of: 1001)
    #expect(throws: AccountRefusal.underWay) { try desk.wipeByAdministrator(Name.work, of: 1001) }
    #expect(throws: AccountRefusal.wipePending) { try desk.wipeByAdministrator(Name.work) }
    #expect(desk.engine.wipes.count == 2)
    // And one destruction an hour.
    desk.run(minutes: 72 * 60 + 1)
    #expect(desk.asked().count == 1)
    desk.run(minutes: 61)
    #expect(desk.asked().count == 1)
  }

  @Test func aWipeIsTakenBack() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work)
    #expect(desk.state(Name.work, for: portal) == .wipePending)
    try desk.restoreByAdministrator(Name.work)
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.allow, .printAllowed))
    desk.run(hours: 24 * 30)
    #expect(desk.asked().isEmpty)
    #expect(throws: AccountRefusal.noWipe) { try desk.restoreByAdministrator(Name.work) }
    #expect(throws: AccountRefusal.unknownAccount) { try desk.restoreByAdministrator("ghost@contoso.com") }
  }

  /// After the point of no return there is nothing to take back.
  @Test func aWipeThatBeganCannotBeTakenBack() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    #expect(throws: AccountRefusal.tooLate) { try desk.restoreByAdministrator(Name.work) }
  }

  // MARK: Markers

  /// WP-06: a mark names one object id, and enrolments after it are untouched.
  @Test(arguments: [
    (true, Int64(1), true), (true, Int64(-1), false), (false, Int64(1), false),
  ])
  func marks(_ hasObjectID: Bool, _ hoursAfterEnrolment: Int64, _ isWiped: Bool) throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.marker]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let since = UInt64(Int64(desk.time) + hoursAfterEnrolment * Int64(AccountDesk.hour))
    desk.reload { policy in
      policy.wipe = Self.wiping([.marker])
      policy.mark(Name.work, hasObjectID: hasObjectID, since: since)
    }
    #expect(desk.engine.wipes.count == (isWiped ? 1 : 0))
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .accountWiped))
  }

  /// A mark that is removed ends its wipe.
  @Test func aMarkThatIsRemovedEndsItsWipe() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.marker]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let time = desk.time
    desk.reload { policy in
      policy.wipe = Self.wiping([.marker])
      policy.mark(Name.work, hasObjectID: true, since: time)
    }
    desk.run(hours: 71)
    desk.reload { $0.wipe = Self.wiping([.marker]) }
    #expect(desk.engine.wipes.isEmpty)
    #expect(desk.wipeActs() == ["wipeBegun marker", "wipeCancelled marker"])
    desk.run(hours: 24 * 30)
    #expect(desk.asked().isEmpty)
  }

  /// A reload that would wipe three accounts wipes none, unless an administrator says three.
  @Test(arguments: [nil, 1, 2, 4, 3])
  func aReloadWipesAtMostOne(_ allowed: Int?) throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.marker]) }
    let persons: [UInt32] = [1000, 1001, 1002]
    for person in persons { _ = desk.register(Name.work, by: try desk.attach(person: person)) }
    let time = desk.time
    desk.reload { policy in
      policy.wipe = Self.wiping([.marker])
      policy.mark(Name.work, hasObjectID: true, since: time)
    }
    #expect(desk.engine.wipes.isEmpty)
    if let allowed { desk.engine.allowWipes(allowed, at: desk.time) }
    #expect(desk.engine.wipes.count == (allowed == 3 ? 3 : 0))
    if allowed != 3 {
      desk.run(hours: 24 * 30)
      #expect(desk.asked().isEmpty)
    }
  }

  // MARK: Restarts

  /// A wipe that was begun ends, and nobody is asked twice after an answer.
  @Test func aWipeOutlivesTheDaemon() throws {
    var desk = AccountDesk { $0.wipe = Self.wiping([.admin]) }
    var kept = KeptState()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work)
    desk.run(hours: 40)
    desk.restart(&kept)
    #expect(desk.engine.wipes.map(\.id) == [wipe.id])
    let again = try desk.attach()
    #expect(try desk.printed(as: Name.work, by: again) == Answer(.block, .accountBlocked))
    desk.run(hours: 33)
    #expect(desk.asked().count == 1)
    desk.restart(&kept)
    let third = try desk.attach()
    // It was asked and had not answered: it is asked again.
    #expect(desk.asked().count == 1)
    #expect(try desk.complete(wipe.id, .done, by: third) == .wiped)
    desk.restart(&kept)
    _ = try desk.attach()
    #expect(desk.asked().isEmpty)
    #expect(desk.engine.wipes.isEmpty)
  }

  /// WP-03: other accounts of the person, and the same account of another person, are untouched.
  @Test func nobodyElseIsTouched() throws {
    var desk = AccountDesk { policy in
      policy.wipe = Self.wiping([.admin])
      policy.app.managedAccounts = .several
      policy.app.identityMode = .multi
    }
    let portal = try desk.attach()
    let other = try desk.attach(person: 1001)
    for account in [Name.work, Name.second] { _ = desk.register(account, by: portal) }
    _ = desk.register(Name.work, by: other)
    _ = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 2)
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    _ = try desk.complete(.done, by: portal)
    #expect(desk.state(Name.second, for: portal) == .enrolled)
    #expect(desk.state(Name.work, for: other) == .enrolled)
    desk.run(hours: 48)
    #expect(desk.asked().isEmpty)
  }
}
