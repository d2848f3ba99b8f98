import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Administrators see accounts, and end an app's access, whether the app runs or not.
@Suite struct AccountAdministrationTests {
  private static let app = "com.contoso.portal"

  /// Two persons who run the app.
  private final class World {
    var engine: Guard
    let first: Caller
    let second: Caller

    init(_ sources: [AccountSource]) throws {
      engine = Guard(epoch: 1, under: ExamplePolicy().with { $0.app.accounts.sources = sources }.snapshot)
      first = Caller(
        try engine.attach(app: AccountAdministrationTests.app, peer: Peer(uid: 1000), at: 1_000), connection: 1)
      second = Caller(
        try engine.attach(app: AccountAdministrationTests.app, peer: Peer(uid: 1001), at: 1_000), connection: 2)
    }

    /// Whether the work account may work in an instance.
    func standing(in caller: Caller) -> AccountState {
      engine.state.standing(of: Name.work, in: caller.instance, engine.snapshot).state
    }
  }

  @Test func theListHasAllPersonsAndOutlivesPrograms() throws {
    let world = try World([.app])
    _ = try world.engine.perform(.register(Name.work), for: world.first, at: 2_000)
    _ = try world.engine.perform(.register("new@contoso.com"), for: world.second, at: 3_000)
    world.engine.state.end(world.second.instance)
    let all = world.engine.accounts()
    #expect(all.map(\.person) == [1000, 1001])
    #expect(all.map(\.account) == [Name.work, "new@contoso.com"])
    #expect(all.map(\.instances) == [1, 0])
    #expect(all.map(\.state) == [.enrolled, .enrolled])
    #expect(all.map(\.registeredAt) == [2_000, 3_000])
    #expect(all.map(\.sources) == [[.app], [.app]])
    #expect(world.engine.accounts(person: 1001).map(\.account) == ["new@contoso.com"])
    #expect(world.engine.accounts(app: "com.contoso.none").isEmpty)
    #expect(world.engine.accounts(account: "NEW@contoso.com").map(\.person) == [1001])
    #expect(world.engine.accounts(account: "newer@contoso.com").isEmpty)
    #expect(world.engine.accountCounts == [.enrolled: 2])
  }

  /// DR-01: the end holds for this person and this app, also when the app comes back; its own word brings it back.
  @Test func anEndHoldsUntilTheAppRegistersAgain() throws {
    let world = try World([.app])
    for caller in [world.first, world.second] {
      _ = try world.engine.perform(.register(Name.work), for: caller, at: 2_000)
    }
    _ = world.engine.state.life.takeEvents()
    world.engine.state.end(world.first.instance)
    let answer = try world.engine.endAccess(of: Self.app, to: "WORK@contoso.com", person: 1000, at: 3_000)
    #expect(answer.account == Name.work && answer.state == .suspended && answer.reason == .policyRequired)
    let events = world.engine.state.life.takeEvents()
    #expect(events.map(\.act) == [.deregistered])
    #expect(events.map(\.person) == [1000])
    #expect(world.engine.accounts().map(\.state) == [.suspended, .enrolled])
    let back = Caller(try world.engine.attach(app: Self.app, peer: Peer(uid: 1000), at: 4_000), connection: 9)
    #expect(world.engine.accounts(person: 1000).map(\.state) == [.suspended])
    #expect(world.standing(in: back) == .policyRequired)
    _ = try world.engine.perform(.register(Name.work), for: back, at: 5_000)
    #expect(world.engine.accounts(person: 1000).map(\.state) == [.enrolled])
  }

  /// An account that waits for its enrolment does not come back by a source's word, either.
  @Test func aSourceDoesNotUndoAnEnd() throws {
    let world = try World([.broker])
    _ = try world.engine.perform(.register(Name.work), for: world.first, at: 2_000)
    #expect(world.engine.accounts().map(\.state) == [.registered])
    _ = try world.engine.endAccess(of: Self.app, to: Name.work, person: 1000, at: 3_000)
    try world.engine.signedIn([SignedInAccount(upn: Name.work)], by: .broker, person: 1000, at: 4_000)
    #expect(world.engine.accounts().map(\.state) == [.suspended])
    #expect(world.engine.signIns().map(\.accounts) == [[Name.work]])
  }

  /// Without sources an account need not be registered; its access can be ended before the app first runs.
  @Test func anAccountThatThePolicyNamesCanBeKeptOut() throws {
    let world = try World([])
    _ = try world.engine.endAccess(of: Self.app, to: Name.work, person: 1002, at: 2_000)
    let caller = Caller(try world.engine.attach(app: Self.app, peer: Peer(uid: 1002), at: 3_000), connection: 3)
    #expect(world.standing(in: caller) == .policyRequired)
    #expect(world.standing(in: world.first) == .active)
  }

  @Test(arguments: [
    ("com.contoso.none", Name.work, AccountRefusal.unknownApp), (app, "nwe@contoso.com", .unknownAccount),
    (app, "who@else.example", .unknownAccount), (app, Name.home, .unmanaged), (app, "", .unknownAccount),
  ])
  func doubtfulOrdersChangeNothing(_ app: String, _ account: String, _ refusal: AccountRefusal) throws {
    let world = try World([.app])
    _ = try world.engine.perform(.register("new@contoso.com"), for: world.first, at: 2_000)
    _ = world.engine.state.life.takeEvents()
    let before = world.engine.accounts()
    do throws(AccountRefusal) {
      _ = try world.engine.endAccess(of: app, to: account, person: 1000, at: 3_000)
      Issue.record("it was done")
    } catch { #expect(error == refusal) }
    #expect(world.engine.accounts() == before && !world.engine.state.life.hasEvents)
  }

  @Test func anEndIsNotRepeated() throws {
    let world = try World([.app])
    _ = try world.engine.perform(.register(Name.work), for: world.first, at: 2_000)
    _ = try world.engine.endAccess(of: Self.app, to: Name.work, person: 1000, at: 3_000)
    do throws(AccountRefusal) {
      _ = try world.engine.endAccess(of: Self.app, to: Name.work, person: 1000, at: 4_000)
      Issue.record("it was done")
    } catch { #expect(error == .ended) }
  }
}
