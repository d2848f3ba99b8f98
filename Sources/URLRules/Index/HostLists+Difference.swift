internal import GuardModel

/// What one list takes that another one does not.
package struct ListedHostsDifference: Sendable, Hashable {
  /// How many of its names; one below another of them is not counted.
  package internal(set) var count = 0
  /// The first of them by the alphabet: the table has another order in each process.
  package internal(set) var examples: [String] = []

  fileprivate mutating func note(_ name: RawSpan, examples limit: Int) {
    count += 1
    let bytes = name.withUnsafeBytes { Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    guard examples.count < limit || text < examples[examples.count - 1] else { return }
    examples.insert(text, at: examples.firstIndex { text < $0 } ?? examples.count)
    if examples.count > limit { examples.removeLast() }
  }
}

extension HostLists {
  /// For each pair of a list of these with a list of `others`: which names it takes and the other one does not.
  ///
  ///     old.missing(in: new, pairs: [(0, 0)])[0].count      // how many names went
  ///
  /// One pass over all names whatever the number of pairs, and a look into the other table for each: a second for a million
  /// names, and no memory that grows with them.
  package func missing(
    in others: HostLists, pairs: [(own: Int32, other: Int32)], examples limit: Int
  ) -> [ListedHostsDifference] {
    var found = [ListedHostsDifference](repeating: ListedHostsDifference(), count: pairs.count)
    table.forEach { name, set in
      let isAddress = Self.isAddress(name)
      let above = parentSet(of: name, isAddress)
      var otherSet: UInt32?
      for (index, pair) in pairs.enumerated() {
        guard sets.contains(pair.own, in: set), !sets.contains(pair.own, in: above) else { continue }
        let taken = otherSet ?? others.set(ofHost: name, isAddress)
        otherSet = taken
        if !others.sets.contains(pair.other, in: taken) { found[index].note(name, examples: limit) }
      }
    }
    return found
  }

  /// The set of lists that hold the name or a parent of it; 0 when none does.
  private func set(ofHost name: RawSpan, _ isAddress: Bool) -> UInt32 {
    guard table.count > 0 else { return 0 }
    var matches = table.matches(of: 0..<name.byteCount, in: name, isAddress: isAddress)
    var set: UInt32 = 0
    while table.advance(&matches) { set = matches.value }
    return set
  }

  /// The same of its parents alone.
  private func parentSet(of name: RawSpan, _ isAddress: Bool) -> UInt32 {
    var matches = table.matches(of: 0..<name.byteCount, in: name, isAddress: isAddress)
    var set: UInt32 = 0
    while table.advance(&matches), !matches.isWhole { set = matches.value }
    return set
  }

  /// No name of letters ends so; what does is looked at closely.
  private static func isAddress(_ name: RawSpan) -> Bool {
    name.withUnsafeBytes { bytes in
      guard let last = bytes.last, last == UInt8(ascii: "]") || (0x30...0x39).contains(last) else { return false }
      return HostShape.isAddress(Array(bytes))
    }
  }
}
