import Glibc

/// The clocks, in nanoseconds.
enum Clock {
  /// Processor time of this thread. What other processes take is not in it, so that rounds minutes apart compare.
  static var thread: UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  /// Processor time of all threads of this process.
  static var process: UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  /// Time that passes, whoever has the processor; read without a system call.
  static var wall: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

  /// What two readings of `wall` are apart when nothing lies between them.
  static let cost: UInt64 = {
    let gaps = (0..<10_001).map { _ in
      let start = wall
      return wall - start
    }
    return gaps.sorted()[gaps.count / 2]
  }()

  @inline(__always)
  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
  }
}
