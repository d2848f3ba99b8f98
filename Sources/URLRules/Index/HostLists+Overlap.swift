/// Two lists with hosts that both of them take.
package struct ListOverlap: Sendable, Hashable {
  package let one: Int32
  package let other: Int32
  /// How many names of the two are taken by both, without those below one that is counted.
  package internal(set) var count = 0
  /// The first of them by the alphabet: the table has another order in each process.
  package internal(set) var hosts: [String] = []

  fileprivate mutating func keepFirst(_ host: String, of limit: Int) {
    hosts.insert(host, at: hosts.firstIndex { host < $0 } ?? hosts.count)
    if hosts.count > limit { hosts.removeLast() }
  }
}

extension HostLists {
  /// Every pair of a list of one side with a list of the other that take some host in common, in ascending order.
  ///
  /// One pass over all names, whatever the number of lists. Sets of lists are few.
  package func overlaps(of some: Set<Int32>, with others: Set<Int32>, hosts limit: Int) -> [ListOverlap] {
    let pairs = (0..<sets.count).map { set in
      let lists = sets.lists(of: UInt32(set))
      return lists.filter(some.contains).flatMap { one in
        lists.filter { $0 != one && others.contains($0) }.map { ListPair(one: one, other: $0) }
      }
    }
    guard pairs.contains(where: { !$0.isEmpty }) else { return [] }
    var found: [ListPair: ListOverlap] = [:]
    table.forEach { name, set in
      for pair in pairs[Int(set)] {
        var overlap = found[pair] ?? ListOverlap(one: pair.one, other: pair.other)
        overlap.count += 1
        overlap.keepFirst(name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, of: limit)
        found[pair] = overlap
      }
    }
    return found.values.sorted { ($0.one, $0.other) < ($1.one, $1.other) }
  }
}

private struct ListPair: Hashable {
  var one: Int32
  var other: Int32
}
