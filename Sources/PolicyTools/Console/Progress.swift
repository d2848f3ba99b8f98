internal import Platform

/// Says on a terminal how far work has come that takes more than a second; nothing elsewhere.
struct Progress {
  private let unit: String
  private var count = 0
  private var next = Self.now + 1
  private var isShown = false

  /// The clock is looked at once in so many steps.
  private static let stride = 8_192

  init(_ unit: String) { self.unit = unit }

  mutating func advance() {
    count += 1
    guard count % Self.stride == 0, StandardError.isTerminal, Self.now >= next else { return }
    next = Self.now + 1
    isShown = true
    StandardError.write("\r\(count) \(unit)")
  }

  /// Takes the line away again.
  mutating func finish() {
    if isShown { StandardError.write("\r\u{1B}[K") }
    isShown = false
  }

  /// Seconds by a clock that never runs backwards.
  private static var now: Int { Int(SystemClock.monotonic / 1_000_000_000) }
}
