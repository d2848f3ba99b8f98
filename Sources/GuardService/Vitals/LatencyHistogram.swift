/// Durations, in buckets that double: up to 1 µs, 2 µs, 4 µs … 16.8 s, and longer.
///
///     var histogram = LatencyHistogram()
///     histogram.observe(3)               // µs: falls into the bucket up to 4
///     histogram.cumulative.map(\.count)  // 0, 0, 1, 1, 1 …
package struct LatencyHistogram {
  /// Bounds are 1 << index microseconds; longer durations are only in `count`.
  package static let bucketCount = 25

  private var buckets = [UInt64](repeating: 0, count: bucketCount)
  /// Number of observations.
  package private(set) var count: UInt64 = 0
  /// Microseconds in all.
  package private(set) var sum: UInt64 = 0

  package init() {}

  package mutating func observe(_ microseconds: UInt64) {
    count &+= 1
    sum &+= microseconds
    let bucket = microseconds <= 1 ? 0 : 64 - (microseconds - 1).leadingZeroBitCount
    if bucket < Self.bucketCount { buckets[bucket] &+= 1 }
  }

  /// For each bucket its upper bound in microseconds, and how many took that long or less.
  package var cumulative: [(bound: UInt64, count: UInt64)] {
    var total: UInt64 = 0
    return buckets.enumerated().map { index, count in
      total += count
      return (1 << UInt64(index), total)
    }
  }
}
