internal import GuardModel
internal import GuardProtocol

/// Recent answers to one user action: the several questions of one click get one decision and one record.
///
/// Every question is decided anew; only one that comes out as before, for the same action, viewer and URL under the
/// same generation, is taken for the same decision. A repetition can thus never carry an answer over to a question that
/// would have got another.
struct RecentActions {
  package struct Entry {
    var key: [UInt8]
    var time: UInt64
    var decision: Decision
    var generation: UInt64
    var id: DecisionID
    var form: RenderedAnswer
    /// Number of the record that the answer rests on; nil when the app's policy wants none.
    var record: UInt64?
    var repeats: UInt64 = 0
  }

  private var entries: [Entry] = []

  static let capacity = 32
  /// An action is over after this many milliseconds.
  static let lifetime: UInt64 = 10_000

  /// Longer keys are not kept: each such question is a decision of its own.
  static let longestKey = 8192

  /// The key of an event that takes part; nil for one without an action, and for anything but navigations.
  static func key(of event: borrowing Event) -> [UInt8]? {
    guard event.kind == .navigate, let action = event.action, let viewer = event.viewer, let url = event.url else {
      return nil
    }
    let length = [action, viewer, url].reduce(0) { $0 + Int($1.upper - $1.lower) }
    guard length <= longestKey else { return nil }
    var key: [UInt8] = []
    for slot in [action, viewer, url] {
      withUnsafeBytes(of: slot.upper - slot.lower) { key += $0 }
      event.bytes(slot).withUnsafeBufferPointer { key += $0 }
    }
    return key
  }

  /// Counts a repetition and returns the earlier answer; nil when this is no repetition.
  mutating func repetition(
    of key: [UInt8], _ decision: Decision, generation: UInt64, at time: UInt64
  ) -> Entry? {
    let index = entries.firstIndex { entry in
      entry.key == key && entry.decision == decision && entry.generation == generation
        && time < entry.time + Self.lifetime
    }
    guard let index else { return nil }
    entries[index].repeats += 1
    return entries[index]
  }

  /// Remembers an answer; returns those that had to make room and were repeated.
  mutating func insert(_ entry: Entry) -> [Entry] {
    var gone = expire(at: entry.time)
    if entries.count >= Self.capacity { gone.append(entries.removeFirst()) }
    entries.append(entry)
    return gone.filter { $0.repeats > 0 }
  }

  /// Forgets expired entries; returns those that were repeated.
  mutating func expire(at time: UInt64) -> [Entry] {
    guard entries.contains(where: { time >= $0.time + Self.lifetime }) else { return [] }
    let over = entries.filter { time >= $0.time + Self.lifetime && $0.repeats > 0 }
    entries.removeAll { time >= $0.time + Self.lifetime }
    return over
  }

  /// Forgets one decision, so that the next question of its action is a new one; returns it if it was repeated.
  mutating func forget(_ id: DecisionID) -> [Entry] {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
    let gone = entries.remove(at: index)
    return gone.repeats > 0 ? [gone] : []
  }

  /// Forgets everything; returns those that were repeated.
  mutating func clear() -> [Entry] {
    defer { entries.removeAll() }
    return entries.filter { $0.repeats > 0 }
  }
}
