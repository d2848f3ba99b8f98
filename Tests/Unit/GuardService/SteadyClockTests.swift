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
    machine.clock.advance(to: before + 5, at: machine.reading)
    machine.clock.advance(to: 3, at: machine.reading)
    #expect(machine.clock.now(at: machine.reading) == before + 5)
  }

  // MARK: Machines without a battery

  /// So long off, so long after the clock was set, and whether it is believed.
  private static let settings: [(Int64, Int64, Bool)] = [
    (0, 0, true), (minute, 0, true), (31 * day, 0, true), (33 * day, 0, false), (33 * day, hour - second, false),
    (33 * day, hour, true), (365 * day, hour, true), (367 * day, 30 * day, false),
  ]

  /// A clock that begins in 1970 and is set later counts as that of a machine that was off, however often the daemon is
  /// restarted before; and only once.
  @Test(arguments: settings, [0, 3])
  func aClockThatBeginsIn1970(_ setting: (pause: Int64, after: Int64, isBelieved: Bool), _ restarts: Int) {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.bootIn1970(off: setting.pause)
    for _ in 0..<3 {
      machine.pass(20 * Times.second)
      #expect(machine.clock.now(at: machine.reading) == before, "nobody knows how late it is")
      #expect(!machine.clock.isAhead && machine.clock.anchor == nil)
    }
    for _ in 0..<restarts { machine.restart() }
    machine.settle()
    for _ in 0..<3 {
      _ = machine.clock.now(at: machine.reading)
      machine.pass(setting.after / 3)
    }
    let now = machine.clock.now(at: machine.reading)
    #expect(machine.clock.isAhead == !setting.isBelieved && (machine.clock.anchor != nil) == setting.isBelieved)
    #expect(now == machine.real || !setting.isBelieved && now < before + UInt64(setting.after + Times.hour))
    machine.set(by: Times.day)
    if restarts > 0 { machine.restart() }
    #expect(machine.clock.now(at: machine.reading) == now, "and once only")
    #expect(machine.clock.isAhead)
  }

  /// Set wrong at first, it is believed as soon as it is right.
  @Test func aClockIsSetAgain() {
    for wrong in [40, 400, 4_000] {
      var machine = Machine()
      _ = machine.clock.now(at: machine.reading)
      machine.bootIn1970(off: Times.day)
      machine.settle()
      machine.set(by: Int64(wrong) * Times.day)
      for _ in 0..<3 {
        _ = machine.clock.now(at: machine.reading)
        #expect(machine.clock.isAhead && machine.clock.anchor == nil)
        machine.pass(Times.minute)
      }
      machine.settle()
      #expect(machine.clock.now(at: machine.reading) == machine.real && !machine.clock.isAhead)
    }
  }

  /// Where there is no record, or only one of a clock that was never set, the first time that can be is the time.
  @Test(arguments: [0, 4_000_000])
  func theFirstStartIn1970(_ recorded: UInt64) {
    var machine = Machine()
    machine.bootIn1970(off: 0)
    machine.start(knowing: recorded)
    for _ in 0..<3 {
      machine.pass(Times.minute)
      #expect(machine.clock.now(at: machine.reading) < 10_000_000 && !machine.clock.isAhead)
      machine.restart()
    }
    machine.settle()
    #expect(machine.clock.now(at: machine.reading) == machine.real && !machine.clock.isAhead)
    machine.set(by: Times.day)
    #expect(machine.clock.now(at: machine.reading) == machine.real && machine.clock.isAhead, "once only")
    machine.settle()
    machine.bootIn1970(off: Times.day)
    machine.set(by: 4_000 * Times.day)
    #expect(machine.clock.now(at: machine.reading) < machine.real, "now there is a record")
  }

  /// The state file is lost, and the log is there: it is the record.
  @Test func theLogIsARecord() {
    var machine = Machine()
    let before = machine.clock.now(at: machine.reading)
    machine.bootIn1970(off: Times.day)
    machine.start(knowing: 0)
    machine.clock.advance(to: before, at: machine.reading)
    #expect(machine.clock.now(at: machine.reading) == before)
    machine.settle()
    machine.set(by: 4_000 * Times.day)
    #expect(machine.clock.now(at: machine.reading) < machine.real && machine.clock.isAhead)
    machine.set(by: -4_000 * Times.day)
    #expect(machine.clock.now(at: machine.reading) == machine.real && !machine.clock.isAhead)
  }

  /// Who sets such a clock as he likes, and restarts the daemon as he likes, gains in a boot what a start allows, once.
  @Test func aBootGivesAMonthAtOnce() {
    var random = SeededGenerator()
    for _ in 0..<Effort.scaled(2_000) {
      var machine = Machine()
      var last = machine.clock.now(at: machine.reading)
      machine.bootIn1970(off: 0)
      for _ in 0..<40 {
        switch random.below(5) {
        case 0: machine.restart()
        case 1: machine.settle()
        case 2: machine.set(by: random.one(of: [1, -1]) * random.one(of: [Times.minute, Times.day, 31 * Times.day]))
        default: machine.pass(random.one(of: [1, Times.second, Times.minute]))
        }
        let now = machine.clock.now(at: machine.reading)
        #expect(now >= last && now <= machine.real + UInt64(32 * Times.day + 600_000), "\(random.note)")
        last = now
      }
    }
  }

  /// Whatever is done to it, it never runs back, is never more than ten minutes ahead of the time since the boot, and says
  /// that it is not believed exactly when it is not.
  @Test func nothingThatIsDoneToItMatters() {
    var random = SeededGenerator()
    var believed = 0
    for _ in 0..<Effort.scaled(2_000) {
      var machine = Machine()
      var last = machine.clock.now(at: machine.reading)
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
    }
    // Not of each machine: one that was set ahead for a moment and back for good shows the right time never again.
    #expect(believed > Effort.scaled(2_000) * 10, "\(random.note)")
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
    start(knowing: latest)
  }

  /// The same without a battery.
  mutating func bootIn1970(off time: Int64) {
    let latest = clock.now(at: reading)
    real += UInt64(time)
    (uptime, error) = (0, -Int64(real))
    start(knowing: latest)
  }

  /// The first daemon of a boot starts.
  mutating func start(knowing latest: UInt64) {
    clock = SteadyClock(at: reading)
    clock.takeUp(latest: latest, anchor: nil, at: reading)
    _ = clock.now(at: reading)
  }
}
