import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// `unlock: polkit`: who unlocked, for how long, and what that lets programs do. Ledger CD-04, CD-05, IS-02, MI-22.
struct UnlockTests {
  private static let second: UInt64 = 1000
  private static let start: UInt64 = 1_800_000_000_000

  /// One program of a person, whose accounts have to be unlocked.
  private final class World {
    var engine: Guard
    let caller: Caller
    var time = UnlockTests.start

    init(_ policy: ExamplePolicy = UnlockTests.policy(), person: UInt32 = 1000) throws {
      var engine = Guard(epoch: 1, under: policy.snapshot)
      let id = try engine.attach(app: "com.contoso.portal", peer: Peer(uid: person), at: UnlockTests.start)
      caller = Caller(id, connection: 1)
      let viewer = ViewerDescription("C", class: "company")
      try engine.perform(.registerViewer(viewer), for: caller, at: UnlockTests.start)
      self.engine = engine
    }

    /// States the account; why it was refused.
    func state(_ account: String = Name.work, gates: SwitchResult? = nil) throws -> Reason? {
      var statement = IdentityStatement(.process, account: account)
      statement.gates = gates
      guard case .identity(let reply) = try engine.perform(.setIdentity(statement), for: caller, at: time) else {
        throw TestFailure("no reply")
      }
      #expect((reply.reason != nil) == reply.isRefused)
      return reply.reason
    }

    func printed() -> Answer {
      var ruling = Ruling()
      var event = Event.data(.print, in: "C")
      event.time = time
      engine.decideAdmitted(&event, for: caller, at: time, into: &ruling)
      return Answer(ruling.decision)
    }

    func pass(_ seconds: UInt64) {
      time += seconds * UnlockTests.second
      _ = engine.expireUnlocks(at: time)
    }
  }

  private static func policy(recheckAfter seconds: UInt64 = 1800) -> ExamplePolicy {
    ExamplePolicy().with { ($0.protection.unlock, $0.protection.recheckAfter) = (.polkit, seconds * second) }
  }

  private static let locked = Answer(.block, .locked)
  private static let allowed = Answer(.allow, .printAllowed)

  /// CD-05: each word of `unlock`, and whose word it takes.
  @Test(arguments: [
    (Unlock.none, false, SwitchResult?.none, Reason?.none), (.polkit, false, nil, .locked), (.polkit, true, nil, nil),
    (.polkit, false, .success, .locked), (.polkit, true, .success, nil),
  ])
  func wordsOfUnlock(_ unlock: Unlock, _ hasUnlocked: Bool, _ gates: SwitchResult?, _ reason: Reason?) throws {
    let world = try World(
      Self.policy().with {
        $0.protection.unlock = unlock
        $0.app.unlocks = true
      })
    if hasUnlocked { world.engine.unlock(1000, at: world.time) }
    #expect(try world.state(gates: gates) == reason)
    #expect(try world.state(Name.home) == nil)
  }

  /// MI-22: a switch asks, a program that shows nothing of the account is asked nothing.
  @Test
  func nothingIsLockedForOtherAccounts() throws {
    let world = try World()
    #expect(try world.state(Name.home) == nil)
    #expect(world.printed() == Answer(.allow, .unmanaged))
    #expect(world.engine.state.lockedAccounts(of: world.caller.instance) == [])
  }

  /// What was shown is blocked when its time is over, stays shown, and goes on with a new answer.
  @Test
  func whatIsShownIsLockedAndGoesOn() throws {
    let world = try World()
    world.engine.unlock(1000, at: world.time)
    #expect(try world.state() == nil)
    #expect(world.printed() == Self.allowed)
    world.pass(1799)
    #expect(world.printed() == Self.allowed)
    world.pass(1)
    #expect(world.printed() == Self.locked)
    #expect(world.engine.state.lockedAccounts(of: world.caller.instance) == [Name.work])
    // To ask again for what is shown takes nothing away.
    #expect(try world.state() == .locked)
    #expect(world.printed() == Self.locked)
    world.engine.unlock(1000, at: world.time)
    #expect(world.printed() == Self.allowed)
  }

  /// A program that was refused shows nothing that passes, until it names an account that may be shown: it is told why as
  /// long as the account that it named is locked.
  @Test
  func aRefusedProgramIsNotFreed() throws {
    let world = try World()
    #expect(try world.state() == .locked)
    #expect(world.printed() == Self.locked)
    world.engine.unlock(1000, at: world.time)
    #expect(world.printed() == Answer(.block, .noIdentity))
    #expect(try world.state() == nil)
    #expect(world.printed() == Self.allowed)
  }

  /// One person's answer, and none of another's.
  @Test
  func anAnswerIsOnePersons() throws {
    let world = try World()
    world.engine.unlock(1001, at: world.time)
    #expect(try world.state() == .locked)
  }

  /// Of two protections the stricter time counts.
  @Test
  func theShorterTimeCounts() throws {
    var second = Protection(name: "second")
    (second.accountPatterns, second.unlock, second.recheckAfter) = ([Name.work], .polkit, 60_000)
    let world = try World(Self.policy().with { $0.otherProtections = [second] })
    world.engine.unlock(1000, at: world.time)
    #expect(try world.state() == nil)
    world.pass(60)
    #expect(world.printed() == Self.locked)
    // Somebody who came back in the meantime has not answered.
    _ = world.engine.setPresence(.present, of: 1000, at: world.time)
    #expect(world.printed() == Self.locked)
  }

  /// A policy that only tries a protection out asks nobody; one that asks nobody forgets who answered.
  @Test
  func policiesThatAskNobody() throws {
    for change: (inout ExamplePolicy) -> Void in [
      { $0.protection.monitoredUntil = .max }, { $0.protection.unlock = .none },
    ] {
      let world = try World(Self.policy().with(change))
      #expect(try world.state() == nil)
      world.engine.adopt(Self.policy().with { $0.number = 2 }.snapshot)
      #expect(world.printed() == Self.locked)
      world.engine.unlock(1000, at: world.time)
      world.engine.adopt(Self.policy().with { $0.number = 3 }.with(change).snapshot)
      #expect(world.engine.state.unlocks.persons == [])
      #expect(try world.state() == nil)
    }
  }

  /// The machine agrees with a model in plain words, second by second, over random histories.
  @Test
  func histories() throws {
    var random = SeededGenerator()
    var endings = 0
    for _ in 0..<Effort.scaled(300) {
      let limit = UInt64.random(in: 1...12, using: &random)
      let world = try World(Self.policy(recheckAfter: limit))
      var model = PlainUnlock(limit: limit)
      for _ in 0..<120 {
        switch UInt8.random(in: 0..<12, using: &random) {
        case 0:
          world.engine.unlock(1000, at: world.time)
          model.unlock()
          _ = try world.state()
        case 1...4:
          let idle = UInt64.random(in: 0...(2 * limit), using: &random)
          let presence = [Presence.unknown, .present, .idle(idle * Self.second), .locked][Int(random.next() % 4)]
          let wasUnlocked = model.isUnlocked
          _ = world.engine.setPresence(presence, of: 1000, at: world.time)
          model.hear(presence, idle: idle)
          if wasUnlocked, !model.isUnlocked { endings += 1 }
        default:
          world.pass(1)
          model.pass()
        }
        let isLocked = try world.state() != nil
        #expect(isLocked != model.isUnlocked, "\(SeededGenerator.chosenSeed)")
      }
    }
    #expect(endings > 0)
  }
}

/// Whether a person's answer holds, as the pages of documentation say it: seconds without anybody there are counted.
private struct PlainUnlock {
  let limit: UInt64
  var isUnlocked = false
  private var isPresent = false
  private var away: UInt64 = 0
  private var sinceAnswer: UInt64 = 0

  init(limit: UInt64) { self.limit = limit }

  mutating func unlock() {
    (isUnlocked, isPresent, away, sinceAnswer) = (true, false, 0, 0)
  }

  mutating func pass() {
    sinceAnswer += 1
    if !isPresent { away += 1 }
    end()
  }

  mutating func hear(_ presence: Presence, idle: UInt64) {
    switch presence {
    case .present: (isPresent, away) = (true, 0)
    case .unknown: isPresent = false
    case .idle: (isPresent, away) = (false, min(idle, sinceAnswer))
    case .locked: isUnlocked = false
    }
    end()
  }

  private mutating func end() { if away >= limit { isUnlocked = false } }
}
