internal import GuardModel
internal import GuardProtocol

/// The decisions of one instance that may still be acknowledged.
///
/// Warnings wait for a person, so that what else the app asks meanwhile must not push them out: they have a place of
/// their own.
struct AnsweredDecisions {
  private struct Ring {
    private var entries: [(id: DecisionID, outcome: Outcome)] = []
    private var next = 0
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    mutating func insert(_ id: DecisionID, _ outcome: Outcome) {
      if entries.count < capacity {
        if entries.isEmpty { entries.reserveCapacity(capacity) }
        entries.append((id, outcome))
      } else {
        entries[next] = (id, outcome)
        next = (next + 1) % capacity
      }
    }

    /// Forgets a decision; false when it is not there.
    mutating func remove(_ id: DecisionID) -> Bool {
      guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
      // No decision has this number.
      entries[index].id = DecisionID(number: 0)
      return true
    }

    func outcome(of id: DecisionID) -> Outcome? { entries.first { $0.id == id }?.outcome }
  }

  private var warnings = Ring(capacity: 64)
  private var others = Ring(capacity: 256)

  mutating func insert(_ id: DecisionID, _ outcome: Outcome) {
    if outcome == .warn { warnings.insert(id, outcome) } else { others.insert(id, outcome) }
  }

  func outcome(of id: DecisionID) -> Outcome? { warnings.outcome(of: id) ?? others.outcome(of: id) }

  /// Forgets a decision: each is acknowledged once.
  mutating func remove(_ id: DecisionID) {
    if !warnings.remove(id) { _ = others.remove(id) }
  }
}
