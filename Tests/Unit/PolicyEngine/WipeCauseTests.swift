import GuardModel
import PolicyEngine
import Testing

/// What begins a wipe, and what ends it before anything is destroyed. Ledger WP-05, WP-06.
struct WipeCauseTests {
  /// WP-05: each cause locks at once, destroys after its delay, and has its word in the record.
  @Test(arguments: WipeCause.allCases)
  func eachCauseHasItsWord(_ cause: WipeCause) throws {
    var desk = try Self.desk(cause)
    let portal = try desk.attach()
    #expect(desk.register(Name.work, by: portal) == "enrolled newPolicies")
    try Self.bringAbout(cause, &desk, portal)
    #expect(desk.engine.wipes.map(\.cause) == [cause])
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .block)
    desk.run(hours: 71)
    #expect(desk.asked().isEmpty)
    desk.run(hours: 2)
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    _ = try desk.complete(.done, by: portal)
    let word = cause.rawValue
    #expect(
      desk.wipeActs() == ["wipeBegun \(word)", "wipeStarted \(word)", "wipeAnswered \(word)", "wipeCompleted \(word)"])
    #expect(["deregister", "admin", "marker", "conditionalLaunch", "offlineGrace", "nonCompliant"].contains(word))
  }

  /// A cause that is gone ends its wipe, and nothing is destroyed.
  @Test(arguments: WipeCause.allCases.filter(\.isAutomatic))
  func aCauseThatIsGoneEndsItsWipe(_ cause: WipeCause) throws {
    var desk = try Self.desk(cause)
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    try Self.bringAbout(cause, &desk, portal)
    desk.run(hours: 71)
    switch cause {
    case .conditionalLaunch: desk.engine.setFacts(["DiskEncrypted": Fact(.truth(true))], at: desk.time)
    case .offlineGrace: desk.engine.checkIn(at: desk.time)
    default: desk.reload { $0.wipe = .on([cause]) }
    }
    #expect(desk.wipeActs() == ["wipeBegun \(cause.rawValue)", "wipeCancelled \(cause.rawValue)"])
    desk.run(hours: 24 * 6)
    #expect(desk.asked().isEmpty && desk.engine.wipes.isEmpty)
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.allow, .printAllowed))
  }

  private static func desk(_ cause: WipeCause) throws -> AccountDesk {
    AccountDesk { policy in
      policy.wipe = .on([cause]) { if cause == .offlineGrace { $0.offlineAfter = 7 * AccountDesk.day } }
      if cause == .conditionalLaunch { policy.protection.conditions = [.encryptedOrWiped] }
    }
  }

  private static func bringAbout(_ cause: WipeCause, _ desk: inout AccountDesk, _ portal: Caller) throws {
    let time = desk.time
    switch cause {
    case .deregister: _ = try desk.remove(Name.work, by: portal)
    case .admin: try desk.wipeByAdministrator(Name.work)
    case .marker:
      desk.reload { policy in
        policy.wipe = .on([.marker])
        policy.mark(Name.work, hasObjectID: true, since: time)
      }
    case .conditionalLaunch:
      desk.engine.setFacts(["DiskEncrypted": Fact(.truth(false), until: time + 6 * AccountDesk.day)], at: time)
    case .offlineGrace: desk.run(hours: 7 * 24)
    case .nonCompliant:
      desk.reload { policy in
        policy.wipe = .on([.nonCompliant])
        policy.work.state = .nonCompliant
      }
    }
  }

  // MARK: Markers

  private func marked(since: UInt64, _ desk: inout AccountDesk) {
    desk.reload { policy in
      policy.wipe = .on([.marker])
      policy.haveDirectories()
      policy.mark(Name.work, hasObjectID: true, since: since)
    }
  }

  /// WP-06: every check-in finds the mark again, until it is removed; one wipe at a time comes of it.
  @Test func aMarkerIsRepeatedAtEveryCheckInUntilItIsRemoved() throws {
    var desk = AccountDesk { $0.wipe = .on([.marker]) }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    marked(since: desk.time, &desk)
    for _ in 0..<3 {
      desk.engine.checkIn(at: desk.time)
      #expect(desk.engine.wipes.count == 1)
      try desk.restoreByAdministrator(Name.work)
      #expect(desk.engine.wipes.isEmpty)
    }
    let round = ["wipeBegun marker", "wipeRestored marker"]
    #expect(desk.wipeActs() == round + round + round)
    desk.reload { $0.wipe = .on([.marker]) }
    desk.engine.checkIn(at: desk.time)
    desk.run(hours: 24 * 30)
    #expect(desk.engine.wipes.isEmpty && desk.asked().isEmpty)
  }

  /// WP-06: the app that enrolled the account after the mark keeps its data and its registration; the other one does not.
  @Test func anEnrolmentAfterTheMarkIsUntouched() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.marker])
      policy.haveDirectories()
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.pass(AccountDesk.hour)
    let since = desk.time
    desk.pass(AccountDesk.hour)
    let notes = try desk.attach(Name.notes)
    _ = desk.register(Name.work, by: notes)
    marked(since: since, &desk)
    desk.run(hours: 73)
    #expect(desk.touched() == ["1000 com.contoso.portal \(Name.work)"])
    _ = try desk.complete(.done, by: portal)
    #expect(desk.wipeActs().last == "wipeCompleted marker")
    #expect(desk.engine.accounts(person: 1000).map(\.app) == [Name.notes])
    desk.engine.checkIn(at: desk.time)
    desk.run(hours: 24 * 30)
    #expect(desk.touched().isEmpty && desk.engine.wipes.isEmpty)
  }

  // MARK: Several

  /// What an app asked for while another wipe was pending waits its turn.
  @Test func wipesOfAPersonsAppsTakeTurns() throws {
    var desk = AccountDesk { $0.wipe = .on([.deregister]) }
    let portal = try desk.attach()
    for account in [Name.work, Name.second] { _ = desk.register(account, by: portal) }
    for account in [Name.work, Name.second] { _ = try desk.remove(account, by: portal) }
    #expect(desk.engine.wipes.map(\.phase) == [.pending, .locked])
    desk.run(hours: 73)
    #expect(desk.asked() == ["com.contoso.portal \(Name.work)"])
    _ = try desk.complete(.done, by: portal)
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    desk.run(hours: 70)
    #expect(desk.asked().isEmpty)
    desk.run(hours: 4)
    #expect(desk.asked() == ["com.contoso.portal \(Name.second)"])
  }

  /// Wipes that were tried out begin when the policy means it, with their whole delay, and one at a time.
  @Test(arguments: [1, 2])
  func aTrialThatBecomesEarnest(_ accounts: Int) throws {
    let names = [Name.work, Name.second].prefix(accounts)
    var desk = AccountDesk { $0.wipe = .on([.nonCompliant]) { $0.mode = .dryRun } }
    let portal = try desk.attach()
    for account in names { _ = desk.register(account, by: portal) }
    let change = { (policy: inout ExamplePolicy, mode: WipeMode) in
      policy.wipe = .on([.nonCompliant]) { $0.mode = mode }
      policy.work.state = .nonCompliant
      guard accounts > 1 else { return }
      for index in policy.otherAccounts.indices where policy.otherAccounts[index].upn == Name.second {
        policy.otherAccounts[index].state = .nonCompliant
      }
    }
    desk.reload { change(&$0, .dryRun) }
    desk.run(hours: 24 * 30)
    #expect(desk.engine.wipes.allSatisfy { $0.phase == .locked })
    desk.reload { change(&$0, .on) }
    #expect(desk.engine.wipes.filter { $0.phase == .pending }.count == (accounts == 1 ? 1 : 0))
    #expect(desk.wipeActs().contains("wipeLimit nonCompliant") == (accounts > 1))
    desk.run(hours: 71)
    #expect(desk.asked().isEmpty)
    desk.run(hours: 2)
    #expect(desk.asked().count == (accounts == 1 ? 1 : 0))
  }
}
