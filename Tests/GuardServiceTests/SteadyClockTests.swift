import GuardService
import TestSupport
import Testing

/// The time that the daemon believes, whatever somebody sets the machine's clock to (review M3).
@Suite struct SteadyClockTests {
  private static let second: Int64 = 1000
  private static let minute: Int64 = 60 * second
  private static let hour: Int64 = 60 * minute
  private static let day: Int64 = 24 * hour
  private typealias Times = SteadyClockTests

  @Test func timePasses() {
    var machine = Machine()
    for step in [0, 1, 999, Times.minute, 90 * Times.day] {
      machine.pass(step)
      #expect(machine.clock.now(at: machine.reading) == machine.real)
      #expect(!machine.clock.isAhead)
    }
  }

  /// Set back, it stands until the machine's clock is where it was, and goes on from there.
  @Test func setBackItStands() {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.set(by: -Times.day)
    for _ in 0..<23 {
      machine.pass(Times.hour)
      #expect(machine.clock.now(at: machine.reading) == before && !machine.clock.isAhead)
    }
    machine.pass(2 * Times.hour)
    #expect(machine.clock.now(at: machine.reading) == before + UInt64(Times.hour))
    machine.set(by: Times.day)
    #expect(machine.clock.now(at: machine.reading) == machine.real && !machine.clock.isAhead, "put right is no jump")
  }

  private static let jumps: [(Int64, Bool)] = [
    (10 * minute, true), (10 * minute + 1, false), (day, false), (3_660 * day, false),
  ]

  @Test(arguments: jumps)
  func tenMinutesAheadAreBelieved(_ jump: Int64, _ isBelieved: Bool) {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.set(by: jump)
    for _ in 0..<3 {
      #expect(machine.clock.now(at: machine.reading) == before + (isBelieved ? UInt64(jump) : 0))
      #expect(machine.clock.isAhead == !isBelieved)
    }
    machine.pass(Times.hour)
    let later = machine.clock.now(at: machine.reading)
    #expect(later == before + UInt64(Times.hour) + (isBelieved ? UInt64(jump) : 0), "time passes meanwhile")
    machine.set(by: -jump)
    machine.pass(Times.hour)
    #expect(machine.clock.now(at: machine.reading) == machine.real && !machine.clock.isAhead, "nothing is left of it")
  }

  /// The ten minutes are those of the boot, and no restart of the daemon gives others.
  @Test func smallJumpsAreAddedUpOverRestarts() {
    var machine = Machine()
    _ = machine.clock.now(at: machine.reading)
    for number in 1...50 {
      machine.set(by: 599 * Times.second)
      machine.pass(Times.second)
      if number.isMultiple(of: 3) { machine.restart() }
      let now = machine.clock.now(at: machine.reading)
      #expect(now <= machine.real + 600_000 && now >= machine.real)
      #expect(machine.clock.isAhead == (number > 1))
    }
    machine.boot(off: Times.minute)
    #expect(!machine.clock.isAhead, "the next boot has ten minutes of its own")
  }

  /// What the clock was set to while it was not believed is no step towards being believed.
  @Test func aClockThatWasAheadIsMeasuredFromTheBoot() {
    var machine = Machine()
    machine.set(by: Times.day)
    _ = machine.clock.now(at: machine.reading)
    machine.set(by: 5 * Times.minute)
    #expect(machine.clock.now(at: machine.reading) == machine.real && machine.clock.isAhead)
    machine.set(by: -Times.day)
    #expect(machine.clock.now(at: machine.reading) == machine.real + UInt64(5 * Times.minute))
    #expect(!machine.clock.isAhead)
  }

  private static let pauses: [(Int64, Int64, Bool)] = [
    (31 * day, 0, true), (33 * day, 0, false), (33 * day, hour - second, false), (33 * day, hour, true),
    (365 * day, hour, true), (367 * day, hour, false), (367 * day, 30 * day, false),
  ]

  /// So long, and so long after its start.
  @Test(arguments: pauses)
  func aMachineThatWasOff(_ pause: Int64, _ after: Int64, _ isBelieved: Bool) {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.boot(off: pause)
    for _ in 0..<3 { machine.pass(after / 3) }
    let now = machine.clock.now(at: machine.reading)
    #expect(now == (isBelieved ? machine.real : before + UInt64(machine.reading.uptime)))
    #expect(machine.clock.isAhead == !isBelieved)
  }

  /// Who sets the clock once more within the hour is not believed after it.
  @Test func aClockOnTrialHasToGoOnAsItWas() {
    var machine = Machine()
    _ = machine.clock.now(at: machine.reading)
    machine.boot(off: 40 * Times.day)
    machine.set(by: 20 * Times.day)
    machine.pass(Times.hour)
    for _ in 0..<3 {
      _ = machine.clock.now(at: machine.reading)
      #expect(machine.clock.isAhead)
      machine.pass(Times.day)
    }
  }

  /// A clock behind the record: as after years without a battery.
  @Test func theLatestTimeOnRecordHolds() {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.set(by: -20 * 365 * Times.day)
    machine.boot(off: 0)
    #expect(machine.clock.now(at: machine.reading) == before && !machine.clock.isAhead)
    machine.clock.advance(to: before + 5)
    machine.clock.advance(to: 3)
    #expect(machine.clock.now(at: machine.reading) == before + 5)
  }

  /// Whatever is done to it, it never runs back, is never more than ten minutes ahead of the time since the boot, and says
  /// that it is not believed exactly when it is not.
  @Test func nothingThatIsDoneToItMatters() {
    var random = SeededGenerator()
    for _ in 0..<Effort.scaled(2_000) {
      var machine = Machine()
      var (last, believed) = (machine.clock.now(at: machine.reading), 0)
      for _ in 0..<60 {
        switch random.below(6) {
        case 0:
          let jump = random.one(of: [Times.second, Times.minute, 400 * Times.day])
          machine.set(by: random.oneIn(2) ? jump : -jump)
        case 1: machine.restart()
        case 2: machine.settle()
        default: machine.pass(random.one(of: [1, Times.second, Times.minute, Times.hour]))
        }
        let now = machine.clock.now(at: machine.reading)
        #expect(now >= last && now <= machine.real + 600_000, "\(random.note)")
        #expect(machine.clock.isAhead == (machine.error > 600_000), "\(random.note)")
        if now == machine.real { believed += 1 }
        last = now
      }
      #expect(believed > 0)
    }
  }
}

/// A machine whose clock somebody sets, and the daemon's clock on it.
private struct Machine {
  /// The true time, in milliseconds since 1970.
  private(set) var real: UInt64 = 1_800_000_000_000
  /// By so much the machine's clock is wrong.
  private(set) var error: Int64 = 0
  private var uptime: Int64 = 100_000
  var clock: SteadyClock

  init() { clock = SteadyClock(at: ClockReading(system: 1_800_000_000_000, uptime: 100_000)) }

  var reading: ClockReading { ClockReading(system: Int64(real) + error, uptime: uptime) }

  mutating func pass(_ time: Int64) {
    real += UInt64(time)
    uptime += time
  }

  mutating func set(by time: Int64) { error += time }

  /// Puts the clock right.
  mutating func settle() { error = 0 }

  /// The daemon ends and comes back, with what the state file kept.
  mutating func restart() {
    let (latest, anchor) = (clock.now(at: reading), clock.anchor)
    clock = SteadyClock(at: reading)
    clock.takeUp(latest: latest, anchor: anchor, at: reading)
  }

  /// The machine is off for so long; the next daemon starts at once.
  mutating func boot(off time: Int64) {
    let latest = clock.now(at: reading)
    real += UInt64(time)
    uptime = 0
    clock = SteadyClock(at: reading)
    clock.takeUp(latest: latest, anchor: nil, at: reading)
    _ = clock.now(at: reading)
  }
}
