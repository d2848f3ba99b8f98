internal import Glibc

/// The system's time.
enum Clock {
  /// Milliseconds since 1970.
  static var milliseconds: UInt64 { microseconds(CLOCK_REALTIME) / 1000 }

  /// Microseconds of a clock that nobody sets: for durations only.
  static var monotonicMicroseconds: UInt64 { microseconds(CLOCK_MONOTONIC) }

  /// Milliseconds since the boot, with those that the machine slept: nobody sets this clock.
  static var uptime: UInt64 { microseconds(CLOCK_BOOTTIME) / 1000 }

  /// What both clocks of the system say.
  static var reading: ClockReading { ClockReading(system: Int64(milliseconds), uptime: Int64(uptime)) }

  private static func microseconds(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }
}

/// The two clocks of a machine at one moment, in milliseconds.
package struct ClockReading: Sendable, Hashable {
  /// Since 1970, by the clock that is set.
  package var system: Int64
  /// Since the boot, with the time that the machine slept. Nobody sets it.
  package var uptime: Int64

  package init(system: Int64, uptime: Int64) {
    self.system = system
    self.uptime = uptime
  }

  /// The time of the boot, by the clock that is set.
  var boot: Int64 { system - uptime }
}

/// A clock that never runs backwards past what was seen, so that setting it back revives no rule that expired, and that never
/// jumps ahead, so that a clock that was wrong for a moment leaves nothing behind.
///
/// It starts at the latest time that the log or the state file has: what a daemon before this one saw counts too. Ahead it is
/// held to the time since the boot, a clock that nobody sets: what the system's clock gains beyond that, in all, is not
/// believed (review M3). Then time passes as it does since the boot, until the clock is right again or an administrator says
/// that it is (``ClockRepair``).
package struct SteadyClock {
  private var latest: UInt64 = 0
  /// The system's time when the machine was booted, in milliseconds since 1970, as it was believed first in this boot.
  package private(set) var anchor: Int64
  /// The same as it is believed now.
  private var offset: Int64
  /// The system's clock is further ahead than is believed.
  package private(set) var isAhead = false
  /// What to believe of a machine that was off for long, and from when on.
  private var trial: (offset: Int64, from: Int64)?

  /// Clocks are set by so much when a machine has found a time server. Milliseconds.
  package static let tolerance: Int64 = 600_000
  /// A machine may have been off for so long, and its clock still be right at once.
  private static let ordinaryPause: Int64 = 32 * 86_400_000
  /// And for so long, when the clock goes on as it was for an hour.
  private static let longestPause: Int64 = 366 * 86_400_000
  private static let trialTime: Int64 = 3_600_000

  package init() { self.init(at: Clock.reading) }

  package init(at reading: ClockReading) {
    anchor = reading.boot
    offset = anchor
  }

  /// Takes up what a daemon before this one knew.
  ///
  /// - Parameters:
  ///   - latest: the latest time on record, in milliseconds since 1970; 0 when none is.
  ///   - kept: its anchor, when it ran in this boot.
  mutating func takeUp(latest: UInt64, anchor kept: Int64?) { takeUp(latest: latest, anchor: kept, at: Clock.reading) }

  package mutating func takeUp(latest: UInt64, anchor kept: Int64?, at reading: ClockReading) {
    let known = Int64(clamping: latest) - reading.uptime
    if let kept {
      anchor = kept
    } else if latest > 0, reading.boot > known + Self.ordinaryPause {
      anchor = known
      if reading.boot <= known + Self.longestPause { trial = (reading.boot, reading.uptime + Self.trialTime) }
    }
    offset = min(reading.boot, anchor + Self.tolerance)
    if reading.boot > offset { offset = anchor }
    advance(to: latest)
  }

  /// Milliseconds since 1970.
  mutating func now() -> UInt64 { now(at: Clock.reading) }

  package mutating func now(at reading: ClockReading) -> UInt64 {
    if let trial, reading.uptime >= trial.from {
      if abs(reading.boot - trial.offset) <= Self.tolerance { anchor = reading.boot }
      self.trial = nil
    }
    isAhead = reading.boot > anchor + Self.tolerance
    if !isAhead { offset = reading.boot }
    latest = max(latest, UInt64(clamping: reading.uptime + offset))
    return latest
  }

  /// Somebody has seen this time.
  package mutating func advance(to time: UInt64) { latest = max(latest, time) }
}
