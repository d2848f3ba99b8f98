/// How long to leave a daemon alone after it failed: 100 ms, doubling to 5 s, each up to a fifth shorter, so that not all
/// apps of a machine come back at the same moment.
struct BackOff: Sendable {
  private var next = Self.first
  /// No attempt before this time, in milliseconds.
  private(set) var until: Int64 = .min

  static let first: Int64 = 100
  static let longest: Int64 = 5_000

  mutating func failed(at time: Int64) {
    until = time + next - Int64.random(in: 0...next / 5)
    next = min(next * 2, Self.longest)
  }

  mutating func reset() { self = BackOff() }

  /// Nothing is tried again.
  mutating func never() { until = .max }

  var isForever: Bool { until == .max }

  func isOver(at time: Int64) -> Bool { time >= until }
}
