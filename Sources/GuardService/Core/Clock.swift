internal import Glibc

/// The system's time.
enum Clock {
  /// Milliseconds since 1970.
  static var milliseconds: UInt64 { microseconds(CLOCK_REALTIME) / 1000 }

  /// Microseconds of a clock that nobody sets: for durations only.
  static var monotonicMicroseconds: UInt64 { microseconds(CLOCK_MONOTONIC) }

  /// Milliseconds since the boot, with those that the machine slept: nobody sets this clock.
  static var uptime: UInt64 { microseconds(CLOCK_BOOTTIME) / 1000 }

  private static func microseconds(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }
}

/// A clock that never runs backwards past what was seen, so that setting it back revives no rule that expired.
///
/// It starts at the latest time that the log or the state file has: what a daemon before this one saw counts too. The
/// price: after a time that was wrong and far ahead, it stands still until the real time gets there.
struct SteadyClock {
  private var latest: UInt64 = 0

  /// Milliseconds since 1970.
  mutating func now() -> UInt64 {
    latest = max(latest, Clock.milliseconds)
    return latest
  }

  /// Somebody has seen this time.
  mutating func advance(to time: UInt64) { latest = max(latest, time) }
}
