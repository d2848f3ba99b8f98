internal import Glibc

/// The clocks of the machine.
package enum SystemClock {
  /// Milliseconds since 1970, by the clock that people and programs set.
  package static var milliseconds: UInt64 { UInt64(max(0, wall)) / 1_000_000 }

  /// Nanoseconds since 1970, by the same clock.
  package static var wall: Int64 { nanoseconds(CLOCK_REALTIME) }

  /// Nanoseconds of a clock that cannot be set: for durations and deadlines only.
  package static var monotonic: Int64 { nanoseconds(CLOCK_MONOTONIC) }

  package static var monotonicMicroseconds: UInt64 { UInt64(monotonic) / 1000 }

  package static var monotonicMilliseconds: Int64 { monotonic / 1_000_000 }

  /// Milliseconds since the boot, with those that the machine slept: this clock cannot be set.
  package static var uptime: UInt64 { UInt64(nanoseconds(CLOCK_BOOTTIME)) / 1_000_000 }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
