internal import Glibc

/// The system's time, in whole units since 1970.
enum Clock {
  static var milliseconds: UInt64 { microseconds / 1000 }

  static var microseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }
}
