package import PolicyEngine

/// The timed exceptions that the daemon knows: those in force, those about to be, and the last that ended.
///
/// An exception ends at its time by the steady clock, which stands still when the system's is set back. To not get
/// longer by that, it ends as well when as much time has passed as it had left.
package struct ExceptionBook {
  /// Oldest first.
  package private(set) var inForce: [TimedException] = []
  /// The latest first.
  package private(set) var ended: [KeptException] = []
  /// When the next one ends, in milliseconds since 1970.
  package private(set) var nextEnd = UInt64.max
  /// Latest end of each, in milliseconds since the boot.
  private var deadlines: [String: UInt64] = [:]
  /// Calls whose exception is being written.
  var calls: [ExceptionCallUnderWay] = []

  package static let maximum = 1000
  package static let maximumEnded = 100

  package init() {}

  /// The policy's engine takes them from here.
  var snapshot: TimedExceptions { TimedExceptions(inForce) }

  /// Number of exceptions in force, or about to be.
  var count: Int { inForce.count + calls.count { $0.isGrant } }

  func isTaken(_ id: String) -> Bool {
    inForce.contains { $0.id == id } || ended.contains { $0.exception.id == id }
      || calls.contains { $0.kept.exception.id == id }
  }

  /// Puts one in force.
  ///
  /// - Parameters:
  ///   - now: the steady clock, in milliseconds since 1970.
  ///   - uptime: milliseconds since the boot, by a clock that cannot be set.
  package mutating func begin(_ exception: TimedException, at now: UInt64, uptime: UInt64) {
    inForce.append(exception)
    deadlines[exception.id] = uptime + (exception.until - min(now, exception.until))
    nextEnd = min(nextEnd, exception.until)
  }

  /// Takes one out of force; nil when it is not in force.
  package mutating func remove(_ id: String, at now: UInt64, by administrator: Administrator) -> KeptException? {
    guard let index = inForce.firstIndex(where: { $0.id == id }) else { return nil }
    return end(index, at: now, by: administrator)
  }

  /// Takes expired exceptions out of force.
  package mutating func endOverdue(at now: UInt64, uptime: UInt64) -> [KeptException] {
    var over: [KeptException] = []
    while let index = inForce.firstIndex(where: { isOver($0, at: now, uptime: uptime) }) {
      over.append(end(index, at: min(now, inForce[index].until), by: nil))
    }
    return over
  }

  /// Whether one is over by the time since the boot, even if not by the steady clock.
  package func hasOverstayed(uptime: UInt64) -> Bool { deadlines.values.contains { $0 <= uptime } }

  private func isOver(_ exception: TimedException, at now: UInt64, uptime: UInt64) -> Bool {
    exception.until <= now || deadlines[exception.id].map { $0 <= uptime } ?? true
  }

  private mutating func end(_ index: Int, at now: UInt64, by administrator: Administrator?) -> KeptException {
    let exception = inForce.remove(at: index)
    deadlines[exception.id] = nil
    nextEnd = inForce.map(\.until).min() ?? .max
    let kept = KeptException(exception, endedAt: now, remover: administrator)
    ended.insert(kept, at: 0)
    return kept
  }

  /// Remembers one that ended before.
  mutating func recall(_ kept: KeptException) {
    let place = ended.firstIndex { ($0.endedAt ?? 0) < (kept.endedAt ?? 0) } ?? ended.endIndex
    ended.insert(kept, at: place)
  }

  /// Forgets the oldest of those that ended, when they are too many, and returns their names.
  package mutating func forgetOldest() -> [String] {
    guard ended.count > Self.maximumEnded else { return [] }
    defer { ended.removeLast(ended.count - Self.maximumEnded) }
    return ended[Self.maximumEnded...].map(\.exception.id)
  }
}

/// A call that is answered when the state file has its exception, or cannot have it.
struct ExceptionCallUnderWay {
  let kept: KeptException
  let connection: Connection
  let isOneway: Bool

  /// It grants the exception, and does not take it back.
  var isGrant: Bool { kept.endedAt == nil }
}
