import GuardModel
import PolicyEngine
import Testing

/// The names, numbers and times that outlive a wipe, a check-in and a daemon. The model in plain words needs each of them:
/// `AccountAgreementTests`.
struct WipeMemoryTests {
  private static let new = "new@contoso.com"

  /// No program and no registration has the name any more when an administrator takes the wipe back.
  @Test func theLastWordNamesTheAccount() throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    let portal = try desk.attach()
    _ = desk.maySignIn(Self.new, by: portal)
    try desk.wipeByAdministrator(Self.new)
    desk.engine.state.end(portal.instance)
    _ = desk.engine.state.life.takeEvents()
    try desk.restoreByAdministrator(Self.new)
    #expect(desk.engine.state.life.takeEvents().map(\.account) == [Self.new])
  }

  /// The wiped account is gone, and its number is free. The next account that a program names is not taken for it.
  @Test func aWipedAccountIsNotTakenForAnother() throws {
    var kept = KeptState()
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    _ = desk.register(Self.new, by: try desk.attach())
    desk.restart(&kept)
    // This program has never named the account.
    let portal = try desk.attach()
    try desk.wipeByAdministrator(Self.new, now: true)
    desk.run(minutes: 1)
    #expect(desk.asked() == ["\(AccountDesk.portal) \(Self.new)"])
    _ = try desk.complete(.done, by: portal)
    desk.engine.state.takeChanges(into: &kept)
    for name in ["fresh@contoso.com", "other@contoso.com"] {
      #expect(desk.maySignIn(name, by: portal) == "policyRequired allowed")
    }
  }

  /// A daemon that is killed right after a check-in does not make the next one count from before it.
  @Test func aCheckInIsKeptAtOnce() throws {
    var kept = KeptState()
    var desk = AccountDesk { policy in
      policy.wipe = .on([.offlineGrace]) { $0.offlineAfter = 90 * AccountDesk.day }
    }
    _ = desk.register(Name.work, by: try desk.attach())
    desk.run(hours: 24)
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.wipes?.offline == AccountDesk.day)
    desk.engine.checkIn(at: desk.time)
    #expect(desk.engine.state.hasChanges)
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.wipes?.offline == 0)
  }

  /// An app cannot shake a mark off: it ended its access, and registers the account again before the next daemon looks.
  @Test func anAppDoesNotLeaveAMarkByRegisteringAgain() throws {
    var kept = KeptState()
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.deregister(Name.work, by: portal)
    desk.engine.state.takeChanges(into: &kept)
    let since = desk.time
    let marked = AccountDesk.policy { policy in
      policy.wipe = .on([.marker])
      policy.mark(Name.work, hasObjectID: true, since: since)
    }
    desk.engine = Guard(epoch: 2, under: marked.snapshot)
    desk.engine.state.keepsPages = true
    desk.engine.state.restore(kept, living: [], desk.engine.snapshot)
    desk.engine.takeUpAccounts(at: desk.time)
    let again = try desk.attach()
    #expect(desk.register(Name.work, by: again) == "wiped blocked")
    desk.run(minutes: 1)
    #expect(desk.engine.wipes.map(\.cause) == [.marker])
  }

  /// A file that was doubted once is written anew: a clock that changes again does not make its old delay count.
  @Test func aDoubtedDelayIsWrittenAnew() throws {
    var desk = AccountDesk { $0.wipe = .on([.admin]) }
    _ = desk.register(Name.work, by: try desk.attach())
    try desk.wipeByAdministrator(Name.work)
    desk.run(hours: 71)
    desk.restart(after: 8 * AccountDesk.day)
    var kept = KeptState()
    #expect(desk.engine.state.hasChanges)
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.wipes?.wipes.map(\.ran) == [0])
  }

  /// Orders are numbered by the names of apps: two runs over the same history cannot differ.
  @Test func ordersHaveAnOrder() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.haveDirectories()
      for index in policy.otherApps.indices { policy.otherApps[index].dataDirectories = policy.app.dataDirectories }
    }
    for app in [AccountDesk.portal, "com.contoso.notes", "com.contoso.browser"] {
      let caller = try desk.attach(app)
      _ = desk.register(Name.work, by: caller)
      desk.engine.state.end(caller.instance)
    }
    try desk.wipeByAdministrator(Name.work, now: true)
    desk.run(minutes: 1)
    let orders = desk.effects.compactMap { effect -> String? in
      guard case .removeFiles(_, let app, _, let request) = effect else { return nil }
      return "\(app) \(request)"
    }
    #expect(orders == ["com.contoso.browser w-1-1-1", "com.contoso.notes w-1-1-2", "com.contoso.portal w-1-1-3"])
  }
}
