import CAllocationCounter
import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The cost of the life of many accounts. The suite counts allocated bytes, not time: a walk that makes a list of all that
/// exists shows in them, on any machine. `SpeedTests` and `make bench PARTS=accounts` see the walks that make none.
@Suite(.enabled(if: callocation_counter_works(), "skipped: sanitizers bring a malloc of their own"))
struct AccountCostTests {
  /// 50,000 accounts; in debug 5,000.
  private static let many = Effort.isReduced ? 1_000 : 10_000
  private static let few = many / 100

  /// Some work on a machine with few persons and on one with a hundred times as many allocates about the same.
  private func costsTheSame(
    _ change: (inout ExamplePolicy) -> Void = { _ in }, _ prepare: (Machine) throws -> Void = { _ in },
    _ work: (Machine) throws -> Void
  ) throws {
    var bytes: [UInt64] = []
    for persons in [Self.few, Self.many] {
      let machine = try Machine(persons: persons, change)
      try prepare(machine)
      bytes.append(try machine.bytes { try work($0) })
    }
    #expect(bytes[1] <= 2 * bytes[0] + 4096, "\(Self.few) and \(Self.many) persons: \(bytes)")
  }

  // MARK: Ticks

  /// A day of seconds with everything on and a wipe pending, while nothing is due: nothing is allocated, whoever exists.
  @Test func tickAllocatesNothingWhileNothingIsDue() throws {
    let machine = try Machine(persons: Self.many) { policy in
      policy.protection.conditions = [.encryptedOrWiped]
      policy.wipe = .on([.admin, .offlineGrace, .conditionalLaunch]) { $0.offlineAfter = 90 * AccountDesk.day }
      policy.protection.unlock = .polkit
    }
    machine.engine.setFacts(["DiskEncrypted": Fact(.truth(true))], at: machine.time)
    _ = try machine.engine.wipe(
      Machine.account(3, of: 0), person: Machine.person(0), app: nil, reason: "left", now: false, approver: 500,
      at: machine.time)
    machine.settle()
    machine.tick(seconds: 120)
    let spent = machine.bytes { machine in
      machine.tick(seconds: 3_600)
      #expect(!machine.happened)
    }
    // The minute keeps the clocks; debug builds box a few closures.
    #expect(spent < 512 * 3_600, "\(spent) bytes for an hour")
    try costsTheSame({ $0.wipe = .on([.admin]) }, { $0.tick(seconds: 120) }) { $0.tick(seconds: 60) }
  }

  /// One person's accounts are due: only they are looked at, and the shell is told of nobody else.
  @Test func tickTouchesTheDueAlone() throws {
    try costsTheSame { machine in
      // The first person registered an hour before all others.
      machine.time = Machine.start + 8 * AccountDesk.hour
      #expect(machine.dueNow() == [Machine.person(0)])
      let isDue = machine.engine.tick(at: machine.time)
      #expect(isDue)
      let events = machine.engine.state.life.takeEvents()
      #expect(events.count == Machine.accounts)
      #expect(Set(events.map(\.person)) == [Machine.person(0)])
      #expect(machine.dueNow() == [])
    }
  }

  /// When a condition changes everybody may be concerned.
  @Test func conditionsAreDueForEverybody() throws {
    let machine = try Machine(persons: 2) { $0.protection.conditions = [.encryptedOrWiped] }
    machine.engine.setFacts(["DiskEncrypted": Fact(.truth(true), until: machine.time + 60_000)], at: machine.time)
    #expect(machine.dueNow() == [])
    #expect(machine.dueNow(after: 60_000) == nil)
  }

  /// The shell asks whether facts change anything before it looks at the programs.
  @Test func factsThatChangeNothingAreKnownAsSuch() throws {
    let machine = try Machine(persons: 2) { $0.protection.conditions = [.encryptedOrWiped] }
    let (good, bad) = (["DiskEncrypted": Fact(.truth(true))], ["DiskEncrypted": Fact(.truth(false))])
    machine.engine.setFacts(good, at: machine.time)
    _ = machine.engine.state.book.takeEvents()
    #expect(!machine.isChange(good))
    #expect(machine.isChange(bad))
    #expect(!machine.isChange(good), "the question changed the answer")
    machine.engine.setFacts(bad, at: machine.time)
    let told = machine.engine.state.book.takeEvents()
    #expect(!told.isEmpty)
    #expect(!machine.isChange(bad))
  }

  // MARK: Wipes

  /// Everybody's accounts are wanted since the machine is offline, and none is begun. They are judged once: only a change
  /// makes the next minute judge again.
  @Test func everybodyIsJudgedOnce() throws {
    try costsTheSame(
      { $0.wipe = .on([.offlineGrace]) { $0.offlineAfter = 1_000 } },
      { machine in
        machine.tick(seconds: 61)
        #expect(machine.limited == machine.count * Machine.accounts)
        machine.limited = 0
      },
      { machine in
        machine.tick(seconds: 120)
        #expect(!machine.happened)
      })
  }

  @Test func changesAreJudgedInTheNextMinute() throws {
    let machine = try Machine(persons: 2) { $0.wipe = .on([.offlineGrace]) { $0.offlineAfter = 1_000 } }
    machine.tick(seconds: 61)
    #expect(machine.limited == 2 * Machine.accounts)
    let new = AccountCall.register("new@contoso.com")
    _ = try machine.engine.perform(new, for: machine.callers[1], at: machine.time)
    machine.settle()
    machine.tick(seconds: 61)
    #expect(machine.limited == 2 * Machine.accounts + 1)
    machine.tick(seconds: 61)
    #expect(machine.limited == 2 * Machine.accounts + 1)
  }

  // MARK: Calls

  @Test func callsCostOnePerson() throws {
    try costsTheSame { machine in
      let caller = machine.callers[machine.callers.count / 2]
      _ = try machine.engine.perform(.register("new@contoso.com"), for: caller, at: machine.time)
      _ = try machine.engine.perform(.deregister("new@contoso.com", .keep), for: caller, at: machine.time)
      #expect(machine.listed(0).count == Machine.accounts)
    }
  }

  @Test func wordsOfSourcesCostOnePerson() throws {
    try costsTheSame { machine in
      let names = [SignedInAccount(upn: Machine.account(0, of: 0))]
      try machine.engine.signedIn(names, by: .broker, person: Machine.person(0), at: machine.time)
    }
  }

  @Test func unlockingCostsOnePerson() throws {
    try costsTheSame({ $0.protection.unlock = .polkit }) { machine in
      machine.engine.unlock(Machine.person(0), at: machine.time)
      let isLocked = machine.engine.setPresence(.locked, of: Machine.person(0), at: machine.time)
      #expect(isLocked)
    }
  }

  @Test func programsComeAndGoForOnePerson() throws {
    // The table of programs has grown for one more.
    try costsTheSame({ _ in }, { try $0.comeAndGo() }) { machine in
      for _ in 0..<10 { try machine.comeAndGo() }
    }
  }

  /// A reload looks at every account, and at each of them once.
  @Test func reloadsCostTheirAccounts() throws {
    var bytes: [UInt64] = []
    for persons in [Self.few, Self.many] {
      let machine = try Machine(persons: persons)
      let next = AccountDesk.policy { ($0.number, $0.protection.printing) = (2, .block) }.snapshot
      bytes.append(machine.bytes { $0.engine.adopt(next) } / UInt64(persons))
    }
    #expect(bytes[1] <= 2 * bytes[0] + 1024, "\(Self.few) and \(Self.many) persons: \(bytes) a person")
  }

  // MARK: Memory

  /// The names, their tables, the registration, its times and the standing in the running program: all of it.
  @Test func anAccountTakesAtMostOneKibibyte() throws {
    let before = callocation_counter_live_bytes()
    let machine = try Machine(persons: Self.many, registers: false)
    let empty = callocation_counter_live_bytes()
    try machine.registerAll()
    machine.settle()
    let full = callocation_counter_live_bytes()
    let accounts = Int64(Self.many * Machine.accounts)
    #expect(machine.listed(0).count == Machine.accounts)
    #expect(empty > before)
    #expect(full > empty)
    print("\((full - empty) / accounts) bytes an account")
    #expect((full - empty) / accounts <= 1024)
  }

  /// Accounts of programs that ended leave no memory behind.
  @Test func accountsThatWentTakeNothing() throws {
    let machine = try Machine(persons: Self.few)
    for round in 0..<20 {
      let before = callocation_counter_live_bytes()
      for (place, caller) in machine.callers.enumerated() {
        machine.engine.state.end(caller.instance)
        machine.time += 1
        let peer = Peer(uid: Machine.person(place))
        let id = try machine.engine.attach(app: AccountDesk.portal, peer: peer, features: .usual, at: machine.time)
        machine.callers[place] = Caller(id, connection: 1)
      }
      machine.settle()
      if round > 2 { #expect(callocation_counter_live_bytes() - before < 64 * 1024) }
    }
    let left = machine.engine.accounts().count
    #expect(left == Self.few * Machine.accounts)
  }

  // MARK: Agreement

  /// Lists by person come from the tables of that person, lists of all from a walk: they agree at every moment of a random
  /// history, and the bytes of neither matter.
  @Test func tablesByPersonAgreeWithTheWalk() throws {
    var random = SeededGenerator()
    let machine = try Machine(persons: 6, registers: false)
    for _ in 0..<Effort.scaled(4_000) {
      try machine.stepAtRandom(&random)
      let all = machine.engine.accounts()
      let byPerson = (0..<6).flatMap { machine.engine.accounts(person: Machine.person($0)) }
      #expect(all == byPerson, "\(random.note)")
    }
  }
}

/// A machine on which every person runs the portal and has five enrolled accounts in it.
private final class Machine {
  var engine: Guard
  var callers: [Caller] = []
  var time = Machine.start
  /// The wipes that were not begun since there were too many.
  var limited = 0

  static let start: UInt64 = 1_795_000_000_000
  static let accounts = 5

  init(persons: Int, registers: Bool = true, _ change: (inout ExamplePolicy) -> Void = { _ in }) throws {
    engine = Guard(epoch: 1, under: AccountDesk.policy(change).snapshot)
    engine.state.keepsPages = true
    engine.tick(at: time)
    for place in 0..<persons {
      let peer = Peer(uid: Self.person(place))
      callers.append(
        Caller(try engine.attach(app: AccountDesk.portal, peer: peer, features: .usual, at: time), connection: 1))
    }
    settle()
    if registers { try registerAll() }
  }

  static func person(_ place: Int) -> UInt32 { 10_000 + UInt32(place) }

  /// As long as names are in companies.
  static func account(_ number: Int, of place: Int) -> String { "first\(number).last\(place)@contoso.com" }

  var count: Int { callers.count }

  /// The first person an hour before the others.
  func registerAll() throws {
    for place in callers.indices {
      if place == 1 { time += AccountDesk.hour }
      for number in 0..<Self.accounts {
        _ = try engine.perform(.register(Self.account(number, of: place)), for: callers[place], at: time)
      }
    }
    settle()
  }

  /// The shell takes what happened, and keeps the changes.
  func settle() {
    for event in engine.state.life.takeEvents() {
      happened = true
      if event.act == .wipeLimit { limited += 1 }
    }
    _ = engine.state.wipeBook.takeEffects()
    guard engine.state.hasChanges else { return }
    var kept = KeptState()
    engine.state.takeChanges(into: &kept)
  }

  /// The latest ticks told something.
  private(set) var happened = false

  func listed(_ place: Int) -> [ListedAccount] { engine.accounts(person: Self.person(place)) }

  func dueNow(after milliseconds: UInt64 = 0) -> Set<UInt32>? { engine.personsDue(at: time + milliseconds) }

  func isChange(_ facts: [String: Fact]) -> Bool { engine.changesConditions(facts, at: time) }

  /// Seconds of the daemon.
  func tick(seconds: Int) {
    let running = RunningTime(
      elapsed: 1_000, sinceBoot: 10 * AccountDesk.day, isSynchronised: true, isCheckedInSinceBoot: true)
    happened = false
    for _ in 0..<seconds {
      time += 1_000
      engine.tick(at: time)
      _ = engine.run(running, at: time)
      settle()
    }
  }

  /// One more program of the first person.
  func comeAndGo() throws {
    let peer = Peer(uid: Self.person(0))
    engine.state.end(try engine.attach(app: AccountDesk.portal, peer: peer, features: .usual, at: time))
  }

  /// Counts the bytes that some work allocates.
  func bytes(_ work: (Machine) throws -> Void) rethrows -> UInt64 {
    let before = callocation_counter_bytes()
    try work(self)
    return callocation_counter_bytes() - before
  }

  func stepAtRandom(_ random: inout SeededGenerator) throws {
    let place = random.below(callers.count)
    let account = Self.account(random.below(3), of: random.below(2))
    let caller = callers[place]
    switch random.below(7) {
    case 0, 1: _ = try? engine.perform(.register(account), for: caller, at: time)
    case 2: _ = try? engine.perform(.deregister(account, .keep), for: caller, at: time)
    case 3: try engine.signedIn([SignedInAccount(upn: account)], by: .broker, person: Self.person(place), at: time)
    case 4: engine.state.end(caller.instance)
    case 5:
      let app = random.oneIn(2) ? AccountDesk.portal : "com.contoso.notes"
      let peer = Peer(uid: Self.person(place))
      if let id = try? engine.attach(app: app, peer: peer, features: .usual, at: time) {
        callers[place] = Caller(id, connection: 1)
      }
    default:
      time += random.oneIn(20) ? 91 * AccountDesk.day : AccountDesk.hour
      engine.tick(at: time)
    }
    if random.oneIn(3) { settle() }
  }
}
