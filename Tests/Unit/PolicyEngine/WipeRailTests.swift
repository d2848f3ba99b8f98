import GuardModel
import PolicyEngine
import Testing

/// Guard rails: each test tries to have something destroyed that must not be. Design, accounts, section 6.
struct WipeRailTests {
  /// A condition's bad word was about to wipe. The daemon was away until the word was over, and the provider says nothing
  /// for 91 days: the account is blocked, and its data is there.
  @Test(arguments: [1, 3, 91])
  func silenceAfterABadWordDestroysNothing(_ daysAway: UInt64) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.conditionalLaunch])
      policy.protection.conditions = [.encryptedOrWiped]
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let until = desk.time + 3 * AccountDesk.day
    desk.engine.setFacts(["DiskEncrypted": Fact(.truth(false), until: until)], at: desk.time)
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    desk.run(hours: 71)
    desk.restart(after: daysAway * AccountDesk.day)
    let again = try desk.attach()
    #expect(desk.engine.wipes.count == 1, "nothing was read yet")
    for _ in 0..<91 {
      desk.engine.setFacts([:], at: desk.time)
      desk.run(hours: 24)
    }
    #expect(desk.asked().isEmpty)
    #expect(desk.engine.wipes.isEmpty, "silence is no reason")
    #expect(try desk.printed(as: Name.work, by: again).outcome == .block)
  }

  /// While nothing was read, a kept wipe of a condition waits, however long.
  @Test func aWipeOfAConditionWaitsForFacts() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.conditionalLaunch])
      policy.protection.conditions = [.encryptedOrWiped]
    }
    _ = desk.register(Name.work, by: try desk.attach())
    let fact = Fact(.truth(false), until: desk.time + 7 * AccountDesk.day)
    desk.engine.setFacts(["DiskEncrypted": fact], at: desk.time)
    desk.run(hours: 71)
    desk.restart(after: 1000)
    _ = try desk.attach()
    desk.run(hours: 24)
    #expect(desk.asked().isEmpty && desk.engine.wipes.map(\.phase) == [.pending])
    desk.engine.setFacts(["DiskEncrypted": fact], at: desk.time)
    desk.run(hours: 2)
    #expect(desk.asked().count == 1)
  }

  /// A state database that is 100 days old, or from the future, begins every delay anew, also of a wipe that had begun when
  /// it was copied: what came since is not to follow what was removed then.
  @Test(arguments: [true, false])
  func anOldDatabaseDestroysNothing(_ hadBegun: Bool) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
    }
    _ = desk.register(Name.work, by: try desk.attach())
    _ = try desk.wipeByAdministrator(Name.work, now: hadBegun)
    desk.run(hours: hadBegun ? 1 : 71)
    #expect(desk.asked().count == (hadBegun ? 1 : 0))
    desk.effects = []
    desk.restart(after: 100 * AccountDesk.day)
    let again = try desk.attach()
    #expect(desk.touched().isEmpty)
    #expect(desk.engine.wipes.map(\.phase) == [.pending])
    #expect(desk.engine.wipes.first?.remaining == 72 * AccountDesk.hour)
    #expect(desk.engine.state.wipeBook.openOrders.isEmpty)
    desk.run(hours: 71)
    #expect(desk.touched().isEmpty)
    #expect(try desk.printed(as: Name.work, by: again) == Answer(.block, .accountBlocked))
    try desk.restoreByAdministrator(Name.work)
    // The registration was forgotten meanwhile, and no data.
    #expect(desk.register(Name.work, by: again) == "enrolled newPolicies")
    #expect(try desk.printed(as: Name.work, by: again) == Answer(.allow, .printAllowed))
  }

  /// The start itself judges nothing: a policy with another mark is judged at the first tick, and one at a time.
  @Test func theStartJudgesNoWipes() throws {
    var desk = AccountDesk { $0.wipe = .on([.marker]) }
    _ = desk.register(Name.work, by: try desk.attach())
    let time = desk.time
    var marked = AccountDesk.policy { $0.wipe = .on([.marker]) }
    marked.mark(Name.work, hasObjectID: true, since: time)
    var kept = KeptState()
    desk.engine.state.takeChanges(into: &kept)
    desk.engine = Guard(epoch: 2, under: marked.snapshot)
    desk.engine.state.keepsPages = true
    desk.engine.tick(at: desk.time)
    desk.engine.state.restore(kept, living: [], desk.engine.snapshot)
    desk.engine.takeUpAccounts(at: desk.time)
    #expect(desk.engine.wipes.isEmpty)
    desk.run(minutes: 1)
    #expect(desk.engine.wipes.map(\.cause) == [.marker])
  }

  /// The names of a pending wipe are two persons' accounts by now: both stay locked, and neither is destroyed.
  @Test func namesThatWereTornApartDestroyNothing() throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    _ = desk.register(Name.work, by: try desk.attach())
    _ = try desk.wipeByAdministrator(Name.work)
    desk.run(hours: 71)
    var other = AccountDesk.policy { $0.wipe = .on([.admin]) }
    other.work = AccountEntry(upn: Name.work, objectID: "7A7A")
    other.otherAccounts.append(AccountEntry(upn: "new@contoso.com", objectID: "6D5C"))
    var kept = KeptState()
    desk.engine.state.takeChanges(into: &kept)
    desk.engine = Guard(epoch: 2, under: other.snapshot)
    desk.engine.state.keepsPages = true
    // The policy's own accounts are known before the file is read.
    _ = try desk.attach()
    desk.engine.state.restore(kept, living: [], desk.engine.snapshot)
    desk.engine.takeUpAccounts(at: desk.time)
    desk.run(hours: 24 * 30)
    #expect(desk.asked().isEmpty)
    #expect(!desk.engine.wipes.isEmpty && desk.engine.wipes.allSatisfy { $0.phase != .asking })
  }

  // MARK: Hostile apps

  /// An app that deregisters the account of another app ends its own access, and asks nothing of the other one.
  @Test(arguments: [[AccountSource.app], []])
  func anAppRemovesNothingOfAnotherApp(_ sources: [AccountSource]) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.deregister])
      policy.haveDirectories()
      policy.app.accounts.sources = sources
      policy.otherApps[0].accounts.sources = sources
    }
    let portal = try desk.attach()
    if !sources.isEmpty { _ = desk.register(Name.work, by: portal) }
    let allowed = try desk.printed(as: Name.work, by: portal)
    #expect(allowed == Answer(.allow, .printAllowed))
    let notes = try desk.attach(Name.notes)
    _ = try desk.remove(Name.work, by: notes)
    desk.run(hours: 24 * 10)
    let touched = desk.touched()
    #expect(touched.allSatisfy { $0.hasPrefix("1000 com.contoso.notes ") }, "\(touched)")
    #expect(try desk.printed(as: Name.work, by: portal) == allowed)
  }

  /// Two apps of one person answer the contrary: each answer is for its own data, and the end waits for both.
  @Test func contraryAnswersOfTwoAppsAreTwoAnswers() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
    }
    let portal = try desk.attach()
    let twin = try desk.attach()
    let notes = try desk.attach(Name.notes)
    for caller in [portal, notes] { _ = desk.register(Name.work, by: caller) }
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    #expect(Set(desk.asked()) == ["com.contoso.portal \(Name.work)", "com.contoso.notes \(Name.work)"])
    _ = try desk.complete(wipe.id, .done, by: notes)
    #expect(desk.engine.wipes.map(\.phase) == [.asking])
    _ = try desk.complete(wipe.id, .refused, by: portal)
    // The first word of an app counts, whichever of its programs says it.
    #expect(throws: Refusal.requestIsOver(wipe.id)) { try desk.complete(wipe.id, .done, by: twin) }
    #expect(throws: Refusal.requestIsOver(wipe.id)) { try desk.complete(wipe.id, .refused, by: notes) }
    #expect(desk.orders() == ["com.contoso.portal \(Name.work)"])
    try desk.report(desk.lastOrder ?? "", removed: 1, kept: 0)
    #expect(desk.engine.wipes.isEmpty)
  }

  /// Reports of any size are counted, and break nothing: three of them once added up to more than a number holds.
  @Test func reportsOfAnySizeBreakNothing() throws {
    let names = [AccountDesk.portal, Name.notes, "com.contoso.browser"]
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
      for index in policy.otherApps.indices { policy.otherApps[index].dataDirectories = policy.app.dataDirectories }
    }
    for name in names { _ = desk.register(Name.work, by: try desk.attach(name)) }
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 26)
    #expect(desk.orders().count == 3)
    for number in 1...3 { try desk.report("\(wipe.id)-\(number)", removed: .max, kept: .max) }
    #expect(desk.wipeActs().last == "wipeIncomplete admin")
  }

  /// Nothing can be ordered, since the person has no home: the wipe ends all the same, and says that data may remain.
  @Test func anOrderThatCannotBeMadeEndsIncomplete() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    _ = try desk.complete(wipe.id, .failed, by: portal)
    _ = desk.orders()
    desk.engine.state.giveUpFiles("\(wipe.id)-7", person: 1000, desk.engine.snapshot)
    #expect(desk.engine.wipes.count == 1, "that is no order")
    desk.engine.state.giveUpFiles("\(wipe.id)-1", person: 1000, desk.engine.snapshot)
    #expect(desk.engine.wipes.isEmpty && desk.wipeActs().last == "wipeIncomplete admin")
  }

  /// A program that the helper's order does not matter to any more leaves none behind.
  @Test func anOrderGoesWithItsWipe() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.engine.state.end(portal.instance)
    let wipe = try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(hours: 1)
    #expect(desk.engine.state.wipeBook.openOrders == [1000: ["\(wipe.id)-1"]])
    // A boot takes orders away; the next daemon writes them again.
    desk.effects = []
    desk.restart(after: 1000)
    #expect(desk.orders().count == 1)
    let again = try desk.attach()
    desk.effects = []
    _ = try desk.complete(wipe.id, .done, by: again)
    let effects = desk.engine.state.wipeBook.takeEffects()
    #expect(effects.contains(.dropOrder(person: 1000, request: "\(wipe.id)-1")))
    #expect(desk.engine.state.wipeBook.openOrders.isEmpty)
  }
}
