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
