internal import Platform

/// A clock that never runs backwards past a time it has seen: setting the machine's clock back revives no expired rule.
/// It never jumps ahead either: a clock that was wrong for a moment leaves nothing behind.
///
/// It starts at the latest time that the log or the state file has: times seen by an earlier daemon count too. Ahead it
/// is held to the time since the boot, a clock that cannot be set: a gain of the system's clock beyond that, in all, is
/// not believed (review M3). Then time passes as it does since the boot, until the clock is right again or an
/// administrator says that it is (``ClockRepair``).
///
/// Once in each boot a clock is believed that is no further ahead of the record than machines are off: at the start,
/// or, where the clock was behind the record until then, when it is set. A machine without a battery, whose clock
/// begins in 1970 and is set by a time server, may thus do the same as one with a battery, and no more.
package struct SteadyClock {
  private var latest: UInt64 = 0
  /// The system's time when the machine was booted, in milliseconds since 1970, as it is believed.
  private var boot: Int64
  private var standing = Standing.believed
  /// The difference to the time since the boot.
  private var offset: Int64
  /// The system's clock is further ahead than is believed.
  package private(set) var isAhead = false

  /// Whether the clock of this boot was believed already.
  private enum Standing {
    case believed
    /// Not yet: it is behind the record, or further ahead than machines are off. `boot` is the time on record.
    case awaited(Trial)
    /// There is no record, and the clock is older than this program: it was never set.
    case neverSet
  }

  /// The time to believe of a machine that was off for long, and from when on. There is one in a boot.
  private enum Trial {
    case none
    case running(boot: Int64, until: Int64)
    case failed
  }

  /// Clocks are set by so much when a machine has found a time server. Milliseconds.
  package static let tolerance: Int64 = 600_000
  /// A machine may have been off for so long, and its clock still be right at once.
  private static let ordinaryPause: Int64 = 32 * 86_400_000
  /// And for so long, when the clock goes on as it was for an hour.
  private static let longestPause: Int64 = 366 * 86_400_000
  private static let trialTime: Int64 = 3_600_000
  /// The first of January 2026, in milliseconds since 1970. An earlier time means only that the clock was not set.
  package static let earliest: Int64 = 1_767_225_600_000

  package init() { self.init(at: ClockReading.now) }

  package init(at reading: ClockReading) {
    boot = reading.boot
    offset = boot
    if reading.system < Self.earliest { standing = .neverSet }
  }

  /// The boot's time as it was believed first in this boot, for a daemon after this one; nil when it was not believed yet.
  package var anchor: Int64? { if case .believed = standing { boot } else { nil } }

  /// Takes up the knowledge of an earlier daemon.
  ///
  /// - Parameters:
  ///   - latest: the latest time on record, in milliseconds since 1970; 0 when none is.
  ///   - kept: its anchor, when it ran in this boot and had one.
  mutating func takeUp(latest: UInt64, anchor kept: Int64?) {
    takeUp(latest: latest, anchor: kept, at: ClockReading.now)
  }

  package mutating func takeUp(latest: UInt64, anchor kept: Int64?, at reading: ClockReading) {
    if let kept {
      (boot, standing) = (kept, .believed)
    } else if Int64(clamping: latest) >= Self.earliest {
      (boot, standing) = (Int64(clamping: latest) - reading.uptime, .awaited(.none))
    }
    self.latest = max(self.latest, latest)
    offset = boot
    judge(reading)
  }

  /// Milliseconds since 1970.
  mutating func now() -> UInt64 { now(at: ClockReading.now) }

  package mutating func now(at reading: ClockReading) -> UInt64 {
    judge(reading)
    isAhead = reading.boot > boot + Self.tolerance
    if !isAhead { offset = reading.boot } else if anchor == nil { offset = boot }
    latest = max(latest, UInt64(clamping: reading.uptime + offset))
    return latest
  }

  /// Advances to a time on record: the log is opened after the state file.
  mutating func advance(to time: UInt64) { advance(to: time, at: ClockReading.now) }

  package mutating func advance(to time: UInt64, at reading: ClockReading) {
    latest = max(latest, time)
    let recorded = Int64(clamping: time)
    switch standing {
    case .believed: return
    case .neverSet where recorded < Self.earliest: return
    case .neverSet: (boot, standing) = (recorded - reading.uptime, .awaited(.none))
    case .awaited: boot = max(boot, recorded - reading.uptime)
    }
  }

  /// Whether the clock is believed from now on.
  private mutating func judge(_ reading: ClockReading) {
    switch standing {
    case .believed: return
    case .neverSet:
      // Until the clock is set, its own word is the only source.
      boot = reading.boot
      if reading.system >= Self.earliest { standing = .believed }
    case .awaited(let trial):
      let pause = reading.boot - boot
      if pause >= 0, pause <= Self.ordinaryPause { return believe(reading) }
      if pause > Self.ordinaryPause, pause <= Self.longestPause { go(on: trial, reading) }
    }
  }

  /// The machine was off for long, if its clock is right.
  private mutating func go(on trial: Trial, _ reading: ClockReading) {
    switch trial {
    case .none: standing = .awaited(.running(boot: reading.boot, until: reading.uptime + Self.trialTime))
    case .running(let boot, let end) where reading.uptime >= end:
      if abs(reading.boot - boot) <= Self.tolerance { believe(reading) } else { standing = .awaited(.failed) }
    case .running, .failed: return
    }
  }

  private mutating func believe(_ reading: ClockReading) { (boot, standing) = (reading.boot, .believed) }
}

/// The two clocks of a machine at one moment, in milliseconds.
package struct ClockReading: Sendable, Hashable {
  /// Since 1970, by the clock that is set.
  package var system: Int64
  /// Time since the boot, sleep included. It cannot be set.
  package var uptime: Int64

  /// The two clocks now.
  static var now: ClockReading {
    ClockReading(system: Int64(SystemClock.milliseconds), uptime: Int64(SystemClock.uptime))
  }

  package init(system: Int64, uptime: Int64) {
    self.system = system
    self.uptime = uptime
  }

  /// The time of the boot, by the clock that is set.
  var boot: Int64 { system - uptime }
}
