import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What holds of several protections and of several identities, in random worlds.
struct StrictnessPropertyTests {
  /// PM-01: under two protections an app may do what it may under each of them alone, and nothing else. Of questions in
  /// which one protection has a part: those that name no other account. Where each names a program of its own, or lets
  /// data go to places of its own, there is none left that both would have.
  @Test
  func whatTwoProtectionsAllowIsWhatEachAllows() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 61)
    let worlds = RandomWorld(try RandomRules())
    var (compared, stricter) = (0, 0)
    for _ in 0..<Effort.scaled(1_500) {
      let snapshot = worlds.policy(&random)
      guard snapshot.protections.count >= 2, snapshot.hasPolicy else { continue }
      let pair = snapshot.binding(everybody: [0, 1])
      let alone = [snapshot.binding(everybody: [0]), snapshot.binding(everybody: [1])]
      for _ in 0..<20 {
        let again = random
        let both = Self.answer(pair, worlds, &random)
        let each = alone.map { policy in
          var same = again
          return Self.answer(policy, worlds, &same)
        }
        compared += 1
        if each[0].outcome != each[1].outcome { stricter += 1 }
        let strictest = each.map(\.outcome.freedom).min() ?? 0
        if both.outcome == .block, Self.ofNoneLeft.contains(both.reason) { continue }
        #expect(
          both.outcome.freedom == strictest,
          "together \(both.outcome) \(both.reason), alone \(each.map { ($0.outcome, $0.reason) }); \(random.note)")
      }
    }
    #expect(compared > Effort.scaled(10_000) && stricter > Effort.scaled(500), "\(compared), \(stricter)")
  }

  /// A protection that only monitors takes nothing away from one that is enforced, and adds nothing to it: the answer is that
  /// of the enforced one alone (amendments, several protections).
  @Test
  func whatOnlyMonitorsChangesNoAnswer() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 63)
    let worlds = RandomWorld(try RandomRules())
    var (compared, advised) = (0, 0)
    for _ in 0..<Effort.scaled(1_500) {
      let snapshot = worlds.policy(&random)
      guard snapshot.protections.count >= 2, snapshot.hasPolicy else { continue }
      let enforced = random.below(2)
      let alone = snapshot.binding(everybody: [enforced], restrictingNothing: [1 - enforced])
      let monitored = snapshot.binding(everybody: [0, 1], monitoring: [1 - enforced])
      for _ in 0..<20 {
        var again = random
        let one = Self.answer(alone, worlds, &again)
        let both = Self.answer(monitored, worlds, &random)
        compared += 1
        if both.advice != nil { advised += 1 }
        #expect(
          both.outcome == one.outcome,
          "monitored \(both.outcome) \(both.reason), alone \(one.outcome) \(one.reason); \(random.note)")
      }
    }
    #expect(compared > Effort.scaled(10_000) && advised > Effort.scaled(500), "\(compared), \(advised)")
  }

  private static let ofNoneLeft: Set<Reason> = [.schemeClassBlocked, .saveLocationNotListed, .openLocationNotListed]

  /// One question of one app of one user, in a world that is made for it.
  private static func answer(
    _ snapshot: Snapshot, _ worlds: RandomWorld, _ random: inout SeededGenerator
  ) -> Decision {
    var world = TwinWorld(snapshot)
    world.attach(app: RandomPolicy.appNames[0], uid: 1000, groups: [100], features: [.redact, .warn])
    guard !world.ids.isEmpty else { return Decision() }
    world.setIdentity("work@contoso.com", window: nil, in: 0)
    for viewer in RandomWorld.viewers {
      world.register(ViewerDescription(viewer, class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2)), in: 0)
    }
    if random.oneIn(3) {
      var asked = worlds.navigation(world, &random)
      (asked.instance, asked.scope) = (0, .absent)
      return world.decide(world.engineEvent(asked), in: 0)
    }
    var asked = worlds.dataEvent(world, time: 1_000, &random)
    (asked.instance, asked.scope) = (0, .absent)
    (asked.owner, asked.locationAccount, asked.peerAccount) = (nil, nil, nil)
    return world.decide(world.engineEvent(asked), in: 0)
  }

  /// The decision of several identities is never freer than that of any of them alone: of a viewer in a window that shows
  /// several, and of one that nobody registered.
  @Test
  func severalIdentitiesAreNoFreerThanAnyOfThem() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 62)
    let worlds = RandomWorld(try RandomRules())
    var compared = 0
    for _ in 0..<Effort.scaled(1_500) {
      let snapshot = worlds.policy(&random).with { $0.managedAccounts = .several }
      var world = TwinWorld(snapshot)
      world.attach(app: RandomPolicy.appNames[0], uid: 1000, groups: [100])
      guard !world.ids.isEmpty, snapshot.apps[0].identityMode == .multi else { continue }
      let accounts = ["work@contoso.com", "boss@fabrikam.example", "private@home.example"].filter { _ in
        !random.oneIn(3)
      }
      world.setIdentities(accounts, window: "w", in: 0)
      world.register(
        ViewerDescription("v", class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2), window: "w"), in: 0)
      for _ in 0..<20 {
        var asked = worlds.navigation(world, &random)
        (asked.instance, asked.scope, asked.viewer) = (0, .absent, random.one(of: ["v", "nobody knows"]))
        var all = world
        let together = all.decide(all.engineEvent(asked), in: 0)
        for account in accounts {
          var one = world
          one.setIdentities([account], window: "w", in: 0)
          let alone = one.decide(one.engineEvent(asked), in: 0)
          guard alone.reason != .noPolicy else { continue }
          compared += 1
          #expect(
            together.outcome.freedom <= alone.outcome.freedom,
            "\(asked) \(account) alone \(alone.outcome) \(alone.reason), of \(accounts) \(together.outcome); \(random.note)"
          )
        }
      }
    }
    #expect(compared > Effort.scaled(10_000))
  }
}

extension Snapshot {
  /// The same policy, in which some of its protections bind every account of `contoso.com`, and the others nobody.
  fileprivate func binding(
    everybody numbers: Set<Int>, monitoring monitored: Set<Int> = [], restrictingNothing free: Set<Int> = []
  ) -> Snapshot {
    let changed = protections.enumerated().map { number, protection in
      var protection = free.contains(number) ? Protection(name: protection.name) : protection
      protection.groups = []
      protection.monitoredUntil = monitored.contains(number) ? 100 : nil
      protection.accountPatterns = numbers.contains(number) ? ["*@contoso.com"] : []
      return protection
    }
    var accounts = accounts
    for index in accounts.entries.indices { accounts.entries[index].protection = nil }
    // With both browsers at hand, and the app none of them, the settings alone decide.
    let program = Program(desktopID: "browser.desktop")
    let browsers = Browsers(
      managed: ManagedBrowser(program: program), unmanaged: UnmanagedBrowser(program: program, scheme: "browser"))
    return Snapshot(
      generation: generation, policyRequired: policyRequired, apps: apps, accounts: accounts, protections: changed,
      ruleSets: ruleSets, browsers: browsers, links: links)
  }
}
