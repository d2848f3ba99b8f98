internal import GuardModel
package import URLStandard

/// The number of a host list in a configuration, from 0.
package struct HostListNumber: Sendable, Hashable, Comparable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
  init(place: Int32) { self.place = place }

  /// No list has it.
  package static let missing = HostListNumber(place: -1)

  package static func < (one: HostListNumber, other: HostListNumber) -> Bool { one.place < other.place }
}

/// All host lists of a configuration in one table; every rule set of it shares them.
///
/// A host in a list stands for itself and everything below it, on http and https only; an address for itself only.
///
///     var builder = HostListsBuilder()
///     let list = builder.beginList()
///     builder.add("contoso.com".utf8.span)
///     let lists = builder.finish()
///     lists.contains(list, URLRecord("https://mail.contoso.com/"))    // true
///
/// A host's number in the table names the set of lists that hold it *or a parent of it*. The longest name found
/// therefore answers for all lists at once. A host whose parent is in the same lists takes no room.
package final class HostLists: Sendable {
  package let table: HostTable
  package let sets: ListSets
  /// Number of names added to each list, by the list's number.
  package let nameCounts: [Int]

  package static let empty = HostListsBuilder().finish()

  init(_ table: HostTable, _ sets: ListSets, nameCounts: [Int]) {
    self.table = table
    self.sets = sets
    self.nameCounts = nameCounts
  }

  /// Number of lists; they are numbered from 0.
  package var count: Int { nameCounts.count }
  /// Number of names in the table; one in several lists counts once.
  package var distinctNames: Int { table.count }

  package func holds(_ list: HostListNumber) -> Bool { nameCounts.indices.contains(Int(list.place)) }

  /// Whether a list is in a set; unknown for an unknown list.
  func contains(_ list: HostListNumber, in set: UInt32) -> Ternary {
    holds(list) ? Ternary(sets.contains(list, in: set)) : .unknown
  }

  /// Whether a URL's host, or a parent of it, is in a list; a list that does not exist holds nothing.
  package func contains(_ list: HostListNumber, _ record: borrowing URLRecord) -> Bool {
    var work = SearchWork()
    return sets.contains(list, in: set(of: record, &work))
  }

  /// Begins to fetch the memory that a search for a host reads.
  func prefetch(_ host: Range<Int>, in text: RawSpan) { table.prefetch(host, in: text) }

  /// The set of lists that hold the host of a URL or a parent of it; 0 when none does.
  func set(of record: borrowing URLRecord, _ work: inout SearchWork) -> UInt32 {
    guard record.isWeb, table.count > 0 else { return 0 }
    let text = record.bytes.span.bytes
    var matches = table.matches(of: record.hostRange, in: text, isAddress: record.hasAddress)
    var set: UInt32 = 0
    while table.advance(&matches) { set = matches.value }
    work.probes += matches.probes
    return set
  }
}

extension HostLists {
  /// Maximum number of names of a list that are told.
  private static let maximumExamples = 8

  /// The shortest names in each list, by its number. Looks once through the whole table, whose order is another one in
  /// each process.
  package var examples: [[String]] {
    var shortest = [[[UInt8]]](repeating: [], count: count)
    table.forEach { name, set in
      for list in sets.lists(of: set) {
        let index = Int(list.place)
        let isFull = shortest[index].count == Self.maximumExamples
        guard !isFull || name.byteCount <= (shortest[index].last?.count ?? 0) else { continue }
        let bytes = name.withUnsafeBytes { Array($0) }
        let place = shortest[index].firstIndex { Self.stands(bytes, before: $0) } ?? shortest[index].endIndex
        shortest[index].insert(bytes, at: place)
        if isFull { shortest[index].removeLast() }
      }
    }
    return shortest.map { names in names.map { String(decoding: $0, as: UTF8.self) } }
  }

  private static func stands(_ name: [UInt8], before other: [UInt8]) -> Bool {
    name.count == other.count ? name.lexicographicallyPrecedes(other) : name.count < other.count
  }
}

/// Two lists with hosts that both of them take.
package struct ListOverlap: Sendable, Hashable {
  package let one: HostListNumber
  package let other: HostListNumber
  /// Number of names of the two that are taken by both, without those below one that is counted.
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
  /// One pass over all names for any number of lists. Sets of lists are few.
  package func overlaps(
    of some: Set<HostListNumber>, with others: Set<HostListNumber>, hosts limit: Int
  ) -> [ListOverlap] {
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
  var one: HostListNumber
  var other: HostListNumber
}

/// Takes the names of host lists, list by list, and makes one table of them.
///
///     var builder = HostListsBuilder()
///     let ads = builder.beginList()
///     builder.add("ads.example".utf8.span)
///     let fileSharing = builder.beginList()
///     builder.add("ads.example".utf8.span)
///     let lists = builder.finish()           // ads.example: in both
package struct HostListsBuilder {
  /// All names as they came, each behind its length (2 bytes).
  private var names: [UInt8] = []
  /// Start of each list's names.
  private var listStarts: [Int] = []
  private var nameCounts: [Int] = []

  /// Maximum bytes of all names together, so that a place in them fits into 32 bits.
  private static let maximumBytes = FlatTable.maximumBytes / 2

  package init() {}

  /// Begins the next list; returns its number.
  package mutating func beginList() -> HostListNumber {
    listStarts.append(names.count)
    nameCounts.append(0)
    return HostListNumber(nameCounts.count - 1)
  }

  /// Adds a host, in the form the parser gives hosts, to the list that was begun last.
  ///
  /// False, and nothing added, when no list was begun or all lists together hold more than 2 GB of names. A name that
  /// is too long for any URL is counted and forgotten.
  @discardableResult
  package mutating func add(_ host: Span<UInt8>) -> Bool {
    guard !nameCounts.isEmpty, names.count < Self.maximumBytes else { return false }
    nameCounts[nameCounts.count - 1] += 1
    guard host.count <= FlatTable.maximumName else { return true }
    names.append(UInt8(truncatingIfNeeded: host.count))
    names.append(UInt8(truncatingIfNeeded: host.count >> 8))
    host.withUnsafeBufferPointer { names.append(contentsOf: $0) }
    return true
  }

  /// The table of all lists.
  package consuming func finish() -> HostLists {
    var merging = HostListMerging(names.span.bytes, listStarts: listStarts, hash: .ofThisProcess)
    return merging.merge(nameCounts: nameCounts)
  }
}

/// Names that one list takes and another one does not.
package struct ListedHostsDifference: Sendable, Hashable {
  /// Number of its names; one below another of them is not counted.
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
  /// One pass over all names for any number of pairs, and a look into the other table for each: a second for a million
  /// names, and no memory that grows with them.
  package func missing(
    in others: HostLists, pairs: [(own: HostListNumber, other: HostListNumber)], examples limit: Int
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

  /// No name of letters ends so; names that do are looked at closely.
  private static func isAddress(_ name: RawSpan) -> Bool {
    name.withUnsafeBytes { bytes in
      guard let last = bytes.last, last == UInt8(ascii: "]") || (0x30...0x39).contains(last) else { return false }
      return HostShape.isAddress(Array(bytes))
    }
  }
}
