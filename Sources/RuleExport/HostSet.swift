internal import URLRules

/// The hosts that a static rule speaks of.
///
///     HostSet([.below("contoso.com"), .exactly("127.0.0.1")])
///     HostSet.every
///
/// Two entries are either apart or one lies in the other, so the common part of two sets is made of entries of both.
package struct HostSet: Sendable, Hashable {
  package enum Reach: UInt8, Sendable, Hashable {
    case exactly
    /// The host and everything below it.
    case below
    /// IPv4 addresses that begin so: `10.`
    case network
  }

  package struct Entry: Sendable, Hashable, Comparable {
    package let name: String
    package let reach: Reach

    package static func exactly(_ name: String) -> Entry { Entry(name: name, reach: .exactly) }

    /// An address has nothing below it, and is taken exactly.
    package static func below(_ name: String) -> Entry {
      Entry(name: name, reach: isAddress(name) ? .exactly : .below)
    }

    package static func network(_ start: String) -> Entry { Entry(name: start, reach: .network) }

    static func isAddress(_ name: String) -> Bool {
      guard let last = name.utf8.last, last == UInt8(ascii: "]") || ByteSet.digits.contains(last) else { return false }
      return HostShape.isAddress(Array(name.utf8))
    }

    /// The names that it lies below, the nearest first. An address lies below none.
    var parents: [Substring] {
      guard reach != .network, !Self.isAddress(name) else { return [] }
      var found: [Substring] = []
      var rest = name[...]
      while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
        rest = rest[rest.utf8.index(after: dot)...]
        found.append(rest)
      }
      return found
    }

    /// The larger entries that it lies in, of all that there may be: networks by the beginnings of an address, and the names
    /// above.
    ///
    ///     HostSet.Entry.exactly("a.example").wider    // below a.example, below example
    ///     HostSet.Entry.exactly("10.0.0.1").wider     // networks 1, 10, 10., … 10.0.0.1
    var wider: [Entry] {
      guard reach != .network, !Self.isAddress(name) else {
        let ends = name.indices.dropFirst() + (reach == .network ? [] : [name.endIndex])
        return ends.map { .network(String(name[..<$0])) }
      }
      let own = reach == .exactly ? [Entry(name: name, reach: .below)] : []
      return own + parents.map { Entry(name: String($0), reach: .below) }
    }

    package static func < (one: Entry, other: Entry) -> Bool {
      one.name == other.name ? one.reach.rawValue < other.reach.rawValue : one.name < other.name
    }
  }

  /// In order, none in another; nil for every host.
  package let entries: [Entry]?
  private let hasNetworks: Bool
  /// The names that entries lie below.
  private let parents: Set<Substring>

  package static let every = HostSet(every: ())

  private init(every: Void) {
    entries = nil
    hasNetworks = false
    parents = []
  }

  package init(_ some: [Entry]) {
    let sorted = some.sorted()
    var unique: [Entry] = []
    unique.reserveCapacity(sorted.count)
    for entry in sorted where unique.last != entry { unique.append(entry) }
    hasNetworks = unique.contains { $0.reach == .network }
    let all = HostSet(sorted: unique, hasNetworks: hasNetworks)
    let kept = unique.filter { !all.holdsMore(than: $0) }
    entries = kept
    var parents: Set<Substring> = []
    for entry in kept {
      for parent in entry.parents {
        guard parents.insert(parent).inserted else { break }
      }
    }
    self.parents = parents
  }

  private init(sorted: [Entry], hasNetworks: Bool) {
    entries = sorted
    self.hasNetworks = hasNetworks
    parents = []
  }

  package var isEmpty: Bool { entries?.isEmpty ?? false }

  /// Every host that both take.
  package func intersection(_ other: HostSet) -> HostSet {
    guard let mine = entries else { return other }
    guard let theirs = other.entries else { return self }
    return HostSet(part(of: mine, in: other) + other.part(of: theirs, in: self))
  }

  package func intersects(_ other: HostSet) -> Bool {
    guard let mine = entries else { return !other.isEmpty }
    guard let theirs = other.entries else { return !isEmpty }
    let (few, many) = mine.count <= theirs.count ? (mine, other) : (theirs, self)
    return few.contains { many.contains($0) || many.holdsPart(of: $0) }
  }

  /// Whether an entry lies in the given one.
  private func holdsPart(of entry: Entry) -> Bool {
    switch entry.reach {
    case .exactly: has(entry)
    case .below: has(entry) || has(.exactly(entry.name)) || parents.contains(entry.name[...])
    case .network:
      entries?[place(of: entry)...].prefix { $0.name.hasPrefix(entry.name) }
        .contains { $0.reach == .network || Entry.isAddress($0.name) } ?? true
    }
  }

  private func part(of mine: [Entry], in other: HostSet) -> [Entry] {
    mayLie(in: other) ? mine.filter(other.contains) : []
  }

  /// False when no entry lies in one of the other's. A long list is then not looked through.
  private func mayLie(in other: HostSet) -> Bool {
    guard let mine = entries, let theirs = other.entries, mine.count > theirs.count else { return true }
    return theirs.contains(where: holdsPart)
  }

  /// Whether every host of `other` is one of these.
  package func contains(_ other: HostSet) -> Bool {
    guard entries != nil else { return true }
    return other.entries?.allSatisfy(contains) ?? false
  }

  /// Whether every host of the entry is one of these.
  package func contains(_ entry: Entry) -> Bool {
    guard entries != nil else { return true }
    return has(entry) || holdsMore(than: entry)
  }

  /// Whether the entry lies in one that is larger.
  private func holdsMore(than entry: Entry) -> Bool {
    if !hasNetworks, entry.reach == .network || Entry.isAddress(entry.name) { return false }
    return entry.wider.contains(where: has)
  }

  private func has(_ entry: Entry) -> Bool {
    guard let entries else { return true }
    let place = place(of: entry)
    return place < entries.count && entries[place] == entry
  }

  /// The place of the first entry that is not before the given one.
  private func place(of entry: Entry) -> Int {
    entries?.partitioningIndex { $0 >= entry } ?? 0
  }
}

extension HostLists {
  /// The hosts that a list takes. Makes a string for each of its names.
  func hosts(of list: HostListNumber) -> HostSet {
    var entries: [HostSet.Entry] = []
    let isIn = (0..<sets.count).map { sets.contains(list, in: UInt32($0)) }
    table.forEach { name, set in
      guard isIn[Int(set)] else { return }
      entries.append(.below(name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
    }
    return HostSet(entries)
  }
}
