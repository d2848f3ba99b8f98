internal import Platform

/// A point in time that does not move when the clock is set.
///
///     let deadline = Deadline(after: 500)
///     deadline.remainingMilliseconds    // 500, later less, never below 0
struct Deadline: Sendable, Hashable {
  private let nanoseconds: UInt64

  /// A deadline this many milliseconds from now.
  init(after milliseconds: Int) {
    nanoseconds = Self.now + UInt64(max(0, milliseconds)) * 1_000_000
  }

  /// Rounded up, so a wait of that length reaches the deadline.
  var remainingMilliseconds: Int32 {
    let now = Self.now
    guard nanoseconds > now else { return 0 }
    return Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000)
  }

  var isOver: Bool { Self.now >= nanoseconds }

  private static var now: UInt64 { UInt64(SystemClock.monotonic) }
}
