internal import PolicyFiles

/// Compares the facts of two configurations on the same things.
struct ThingComparison {
  private(set) var differences: [ConfigurationDifference] = []

  /// The differences of things, by kind and name: those that both have or that went, in the old order, then the new.
  mutating func compare(_ old: [ComparedThing], _ new: [ComparedThing]) {
    let after = Dictionary(new.map { ($0.identity, $0) }) { first, _ in first }
    var known: Set<[String]> = []
    for thing in old where known.insert(thing.identity).inserted {
      if let other = after[thing.identity] { compare(thing, other) } else { add(gone: thing) }
    }
    for thing in new where known.insert(thing.identity).inserted { add(new: thing) }
  }

  /// The differences of one thing that both have.
  mutating func compare(_ old: ComparedThing, _ new: ComparedThing) {
    let after = Dictionary(new.facts.map { ($0.key, $0) }) { first, _ in first }
    for fact in old.facts where !fact.isOnlyTold {
      guard let other = after[fact.key] else {
        add(old, new, fact, ComparedFact(key: fact.key, value: fact.value.absent, more: fact.more))
        continue
      }
      if fact.value != other.value { add(old, new, fact, other) }
    }
    let before = Set(old.facts.map(\.key))
    for fact in new.facts where !before.contains(fact.key) && !fact.isOnlyTold {
      add(old, new, ComparedFact(key: fact.key, value: fact.value.absent, more: fact.more), fact)
    }
  }

  mutating func add(gone thing: ComparedThing) {
    differences.append(
      ConfigurationDifference(
        kind: thing.kind, name: thing.name, key: "", direction: thing.ifNew.reversed,
        before: DifferenceSide(value: thing.summary, place: thing.place), after: DifferenceSide()))
  }

  mutating func add(new thing: ComparedThing) {
    differences.append(
      ConfigurationDifference(
        kind: thing.kind, name: thing.name, key: "", direction: thing.ifNew, before: DifferenceSide(),
        after: DifferenceSide(value: thing.summary, place: thing.place)))
  }

  mutating func add(_ difference: ConfigurationDifference) { differences.append(difference) }

  private mutating func add(_ old: ComparedThing, _ new: ComparedThing, _ before: ComparedFact, _ after: ComparedFact) {
    var difference = ConfigurationDifference(
      kind: old.kind, name: old.name, key: before.key, direction: before.direction(to: after),
      before: DifferenceSide(before, of: old), after: DifferenceSide(after, of: new))
    if case .set(let one) = before.value, case .set(let other) = after.value {
      difference.added = Set(other).subtracting(one).sorted()
      difference.removed = Set(one).subtracting(other).sorted()
      (difference.addedCount, difference.removedCount) = (difference.added.count, difference.removed.count)
    }
    differences.append(difference)
  }
}

extension ComparedFact.Value {
  /// Placeholder for a key that one side lacks.
  fileprivate var absent: Self {
    switch self {
    case .one: .one("nothing")
    case .set: .set([])
    }
  }
}

extension DifferenceSide {
  fileprivate init(_ fact: ComparedFact, of thing: ComparedThing) {
    self.init(value: fact.value.text, isStated: fact.place != nil, place: fact.place ?? thing.place)
  }
}
