/// Counts how often each key was seen, within a bound: memory ends there, however long the input.
///
///     var sites = BoundedCount<String>(limit: 2)
///     for site in ["a.example", "b.example", "a.example", "c.example"] { sites.note(site, times: 1) }
///     sites.top(1).first?.count    // 2, of a.example
///     sites.further                // 1: c.example came when both places were taken
///
/// Which keys are kept goes by who came first, so the same input has the same result.
package struct BoundedCount<Key: Hashable> {
  private var counts: [Key: Int] = [:]
  private let limit: Int
  /// Everything seen of keys that are not kept apart.
  package private(set) var further = 0

  package init(limit: Int) { self.limit = limit }

  /// How many keys are kept apart.
  package var keyCount: Int { counts.count }

  package mutating func note(_ key: Key, times: Int) {
    if let count = counts[key] {
      counts[key] = count + times
    } else if counts.count < limit {
      counts[key] = times
    } else {
      further += times
    }
  }
}

extension BoundedCount where Key: Comparable {
  /// The keys seen most, the most frequent first; of equal ones the first by order.
  package func top(_ number: Int) -> [(key: Key, count: Int)] {
    let sorted = counts.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }
    return sorted.prefix(number).map { ($0.key, $0.value) }
  }
}
