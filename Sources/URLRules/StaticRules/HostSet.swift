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
      Entry(name: name, reach: HostShape.isAddress(Array(name.utf8)) ? .exactly : .below)
    }

    package static func network(_ start: String) -> Entry { Entry(name: start, reach: .network) }

    package static func < (one: Entry, other: Entry) -> Bool {
      one.name == other.name ? one.reach.rawValue < other.reach.rawValue : one.name < other.name
    }
  }

  /// In order, none in another; nil for every host.
  package let entries: [Entry]?
  private let networks: [Entry]

  package static let every = HostSet(every: ())

  private init(every: Void) {
    entries = nil
    networks = []
  }

  package init(_ some: [Entry]) {
    let sorted = some.sorted()
    var unique: [Entry] = []
    unique.reserveCapacity(sorted.count)
    for entry in sorted where unique.last != entry { unique.append(entry) }
    networks = unique.filter { $0.reach == .network }
    let all = HostSet(sorted: unique, networks: networks)
    entries = unique.filter { !all.holdsMore(than: $0) }
  }

  private init(sorted: [Entry], networks: [Entry]) {
    entries = sorted
    self.networks = networks
  }

  package var isEmpty: Bool { entries?.isEmpty ?? false }

  /// Every host that both take.
  package func intersection(_ other: HostSet) -> HostSet {
    guard let mine = entries else { return other }
    guard let theirs = other.entries else { return self }
    return HostSet(mine.filter(other.contains) + theirs.filter(contains))
  }

  package func intersects(_ other: HostSet) -> Bool {
    guard let mine = entries else { return !other.isEmpty }
    guard let theirs = other.entries else { return !isEmpty }
    return mine.contains(where: other.contains) || theirs.contains(where: contains)
  }

  /// Whether every host of `other` is one of these.
  package func contains(_ other: HostSet) -> Bool {
    guard entries != nil else { return true }
    return other.entries?.allSatisfy(contains) ?? false
  }

  package func union(_ other: HostSet) -> HostSet {
    guard let mine = entries, let theirs = other.entries else { return .every }
    return HostSet(mine + theirs)
  }

  /// Whether every host of the entry is one of these.
  package func contains(_ entry: Entry) -> Bool {
    guard entries != nil else { return true }
    return has(entry) || holdsMore(than: entry)
  }

  /// Whether the entry lies in one that is larger.
  private func holdsMore(than entry: Entry) -> Bool {
    switch entry.reach {
    case .network: return networks.contains { $0 != entry && entry.name.hasPrefix($0.name) }
    case .exactly where HostShape.isAddress(Array(entry.name.utf8)):
      return networks.contains { entry.name.hasPrefix($0.name) }
    case .exactly: if has(.below(entry.name)) { return true }
    case .below: break
    }
    var rest = entry.name[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[dot...].dropFirst()
      if has(Entry(name: String(rest), reach: .below)) { return true }
    }
    return false
  }

  private func has(_ entry: Entry) -> Bool {
    guard let entries else { return true }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < entry { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low] == entry
  }
}

extension HostLists {
  /// What a list takes. Makes a string for each of its names.
  func hosts(of list: Int32) -> HostSet {
    var entries: [HostSet.Entry] = []
    let isIn = (0..<sets.count).map { sets.contains(list, in: UInt32($0)) }
    table.forEach { name, set in
      guard isIn[Int(set)] else { return }
      entries.append(.below(name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
    }
    return HostSet(entries)
  }
}
