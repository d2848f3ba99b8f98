import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Programs and sources that invent accounts, and daemons that are killed: memory is bounded, names are released, and
/// nothing is trusted more than before.
struct AccountBoundsTests {
  private static func name(_ number: Int) -> String { "invented-\(number)@contoso.com" }

  /// An app registers accounts without end: it gets as many as one app may have, and names of one person's share.
  @Test
  func aFloodOfRegistrationsIsBounded() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    let count = desk.engine.state.accounts.count
    var refusals: [String: Int] = [:]
    for number in 0..<Effort.scaled(100_000) { refusals[desk.register(Self.name(number), by: portal), default: 0] += 1 }
    #expect(refusals["enrolled newPolicies"] == 64)
    #expect(Set(refusals.keys) == ["enrolled newPolicies", "limitReached accounts"])
    #expect(desk.engine.accounts(for: portal).count == 64)
    #expect(desk.engine.state.accounts.count <= count + 4096)
    #expect(desk.engine.state.life.timeCount < 200)
    // Another app of the person, and another person, have room.
    #expect(desk.register(Name.work, by: try desk.attach(person: 1001)) == "enrolled newPolicies")
    desk.engine.state.end(portal.instance)
    #expect(desk.engine.state.accounts.count <= count + 65, "names go with the program that named them")
  }

  /// Names that no source confirms make room for those that one does.
  @Test
  func inventedNamesKeepNobodyOut() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    let portal = try desk.attach()
    for number in 0..<200 {
      #expect(desk.register(Self.name(number), by: portal) == "registered notSignedIn")
      desk.wait(1)
    }
    #expect(desk.engine.accounts(for: portal).count == 64)
    try desk.say([Name.work])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    // A source that names as many as it may: the person's own is among them, or room is made for the next word.
    try desk.say((0..<64).map { Self.name(1000 + $0) })
    #expect(desk.engine.accounts(for: portal).filter { $0.state == .enrolled }.count == 63)
    try desk.say([Name.work])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    #expect(desk.engine.accounts(for: portal).filter { $0.state == .enrolled }.map(\.account) == [Name.work])
  }

  @Test
  func aWordNamesAtMost64Accounts() throws {
    var desk = AccountDesk()
    try desk.say([Name.work])
    #expect(throws: Refusal.limitReached(.accounts, maximum: 64)) { try desk.say((0..<65).map(Self.name)) }
    #expect(throws: Refusal.limitReached(.nameBytes, maximum: 256)) {
      try desk.say([String(repeating: "x", count: 257)])
    }
    #expect(desk.engine.state.deviceAccount(of: 1000, desk.engine.snapshot) == Name.work, "the earlier word stays")
  }

  /// A source that speaks without end: the daemon waits for as many times as before.
  @Test
  func aSourceThatRepeatsItselfTakesNoMemory() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    var kept = KeptState()
    for number in 0..<Effort.scaled(20_000) {
      desk.pass(1)
      try desk.say(number.isMultiple(of: 2) ? [Name.work] : [Name.work, Name.second])
    }
    _ = desk.acts()
    #expect(desk.engine.state.life.timeCount < 200)
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.members.count == 2 && kept.accounts.words.count == 1)
    #expect(desk.state(Name.work, for: portal) == .enrolled)
  }

  /// Names come and go in every order, between two writes of the state and across them: none is left over.
  @Test
  func namesAreReleasedHoweverTheyWent() throws {
    var random = SeededGenerator()
    var desk = AccountDesk { $0.enrollment.forgetAfter = 9 * AccountDesk.hour }
    let count = desk.engine.state.accounts.count
    var kept = KeptState()
    for _ in 0..<Effort.scaled(2_000) {
      let portal = try desk.attach()
      for _ in 0..<random.below(12) {
        let name = Self.name(random.below(6))
        switch random.below(5) {
        case 0, 1: _ = desk.register(name, by: portal)
        case 2: _ = desk.deregister(name, by: portal)
        case 3: try desk.say([name])
        default: desk.wait(UInt64(random.below(12)) * AccountDesk.hour)
        }
        if random.oneIn(3) { desk.engine.state.takeChanges(into: &kept) }
      }
      desk.engine.state.end(portal.instance)
      if random.oneIn(2) { desk.wait(30 * AccountDesk.day) }
    }
    desk.wait(30 * AccountDesk.day)
    desk.engine.state.takeChanges(into: &kept)
    // Those whose access has ended stay, and no name twice.
    let ended = Set(kept.accounts.members.compactMap { $0.value == nil ? nil : $0.key.account })
    #expect(desk.engine.state.accounts.count <= count + ended.count, "\(random.note)")
    #expect(ended.count <= 6)
  }

  /// The number of a forgotten account goes to the next one, which inherits nothing.
  @Test
  func aNumberThatIsUsedAgainInheritsNothing() throws {
    var desk = AccountDesk()
    var portal = try desk.attach()
    _ = desk.register(Self.name(1), by: portal)
    desk.engine.state.end(portal.instance)
    desk.wait(90 * AccountDesk.day)
    var kept = KeptState()
    desk.engine.state.takeChanges(into: &kept)
    portal = try desk.attach()
    for number in 2...5 {
      #expect(try desk.printed(as: Self.name(number), by: portal) == Answer(.block, .policyRequired))
      #expect(desk.state(Self.name(number), for: portal) == nil)
    }
  }

  // MARK: Restarts

  /// The next daemon knows all accounts, ends and words; it is told nothing anew, and private names are gone.
  @Test
  func aRestartLosesNothing() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    var portal = try desk.attach()
    try desk.say([Name.work, Name.second, "me@example.org"])
    _ = desk.register(Self.name(1), by: portal)
    _ = desk.deregister(Name.second, by: portal)
    let before = desk.engine.accounts(for: portal)
    var kept = KeptState()
    desk.restart(&kept)
    #expect(desk.acts() == ["notEnrolled notSignedIn"], "the failure of the account that waits is told once more")
    portal = try desk.attach()
    desk.wait(0)
    #expect(desk.acts() == [])
    #expect(desk.engine.accounts(for: portal).map(\.state) == before.map(\.state))
    #expect(desk.engine.accounts(for: portal).map(\.enrolledAt) == before.map(\.enrolledAt))
    #expect(desk.engine.accounts(for: portal).map(\.checkedInAt) == before.map(\.checkedInAt))
    #expect(try desk.printed(as: Name.work, by: portal).outcome == .allow)
    #expect(try desk.printed(as: Name.second, by: portal) == Answer(.block, .policyRequired))
  }

  /// Two names on record are one account under the policy of the next start: an end counts more than an enrolment,
  /// whichever row is read first, and one row is left.
  @Test(arguments: 0..<8)
  func rowsOfOneAccountMeet(_ attempt: Int) throws {
    let time = AccountDesk().time
    var kept = KeptState()
    func place(_ account: String) -> KeptMemberPlace {
      KeptMemberPlace(person: 1000, app: AccountDesk.portal, account: account)
    }
    kept.accounts.members[place("6d5c")] = .some(
      KeptMember(.enrolled, isByApp: true, registeredAt: time, enrolledAt: time, checkedInAt: time, triedAt: time))
    kept.accounts.members[place(Name.work)] = .some(
      KeptMember(.ended, isByApp: true, registeredAt: time, enrolledAt: nil, checkedInAt: time, triedAt: time))
    var desk = AccountDesk { $0.app.accounts.sources = attempt.isMultiple(of: 2) ? [] : [.app] }
    desk.engine.state.restore(kept, living: [], desk.engine.snapshot)
    let portal = try desk.attach()
    #expect(try desk.printed(as: Name.work, by: portal) == Answer(.block, .policyRequired))
    desk.engine.state.takeChanges(into: &kept)
    #expect(kept.accounts.members.values.compactMap(\.self).map(\.status) == [.ended])
  }

  /// The clock was said to be right against all records: no time is later than now, and no word holds for years.
  @Test
  func timesOfTheFutureAreNotBelieved() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    let now = desk.time
    desk.pass(4_000 * AccountDesk.day)
    let portal = try desk.attach()
    try desk.say([Name.work])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
    var kept = KeptState()
    desk.engine.state.takeChanges(into: &kept)
    kept.accounts.forgetFuture(at: now)
    desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    desk.engine.state.restore(kept, living: [], desk.engine.snapshot)
    desk.engine.takeUpAccounts(at: now)
    let again = try desk.attach()
    #expect(desk.state(Name.work, for: again) == .notChecked)
    #expect(desk.listed(Name.work, for: again)?.enrolledAt == now)
    desk.wait(90 * AccountDesk.day)
    #expect(desk.state(Name.work, for: again) == nil, "it is forgotten as any other")
    try desk.say([Name.work])
    #expect(desk.state(Name.work, for: again) == .enrolled)
  }

  /// A trial changes nothing of the guard that it is a copy of.
  @Test
  func aForkKeepsToItself() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    _ = desk.acts()
    var fork = desk.engine.fork(under: AccountDesk.policy { $0.app.accounts.sources = [.user] }.snapshot)
    try fork.signedIn([SignedInAccount(upn: Name.second)], by: .user, person: 1000, at: desk.time)
    #expect(fork.accounts(for: portal).filter { $0.state == .enrolled }.map(\.account) == [Name.second])
    #expect(desk.acts() == [])
    #expect(desk.engine.accounts(for: portal).map(\.account) == [Name.work])
    #expect(desk.state(Name.work, for: portal) == .enrolled)
  }
}
