internal import Glibc

/// The system's time.
enum Clock {
  /// Milliseconds since 1970.
  static var milliseconds: UInt64 { microseconds(CLOCK_REALTIME) / 1000 }

  /// Microseconds of a clock that nobody sets: for durations only.
  static var monotonicMicroseconds: UInt64 { microseconds(CLOCK_MONOTONIC) }

  private static func microseconds(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }
}
