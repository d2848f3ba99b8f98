internal import Platform

/// Answers that were looked up lately: a flood of connections is no flood of look-ups. Any thread may ask.
///
///     let names = Remembered<UInt32, String>(seconds: 60) { Users.name(ofGroup: $0) }
///     names[50]    // looks it up; for a minute nobody looks again
package final class Remembered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Answer {
    let value: Value
    /// By `SystemClock.uptime`, which cannot be set.
    let until: UInt64
  }

  private let answers = Locked<[Key: Answer]>([:])
  private let milliseconds: UInt64
  private let capacity: Int
  private let uptime: @Sendable () -> UInt64
  private let lookUp: @Sendable (Key) -> Value

  /// - Parameters:
  ///   - seconds: how long an answer holds.
  ///   - capacity: how many are kept; with one more, all are forgotten.
  package init(
    seconds: UInt64, capacity: Int = 4096, uptime: (@Sendable () -> UInt64)? = nil,
    _ lookUp: @escaping @Sendable (Key) -> Value
  ) {
    milliseconds = seconds * 1000
    self.capacity = capacity
    self.uptime = uptime ?? { SystemClock.uptime }
    self.lookUp = lookUp
  }

  package subscript(key: Key) -> Value {
    let now = uptime()
    let known = answers.withLock { answers -> Value? in
      guard let answer = answers[key], now < answer.until else { return nil }
      return answer.value
    }
    if let known { return known }
    // Not under the lock: others must not wait for a name service.
    let value = lookUp(key)
    answers.withLock { answers in
      if answers.count >= capacity, answers[key] == nil { answers.removeAll() }
      answers[key] = Answer(value: value, until: now + milliseconds)
    }
    return value
  }
}
