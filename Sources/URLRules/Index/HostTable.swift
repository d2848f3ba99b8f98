/// Numbers by host names, asked for a host and for everything that it is below.
///
/// A search costs one probe for each label that can matter: most walks end at the second label, because no name in the
/// table ends in these two, and none goes deeper than the deepest name. A million names cost what ten cost, apart from
/// the memory they lie in.
package struct HostTable: Sendable {
  private let table: FlatTable
  private let hash: ByteHash
  /// Number of labels of the name with most labels.
  private let deepest: Int
  /// Some name has one label only: `com`, `intranet`, `[::1]`.
  private let hasSingleLabels: Bool

  fileprivate init(_ table: FlatTable, hash: ByteHash, deepest: Int, hasSingleLabels: Bool) {
    self.table = table
    self.hash = hash
    self.deepest = deepest
    self.hasSingleLabels = hasSingleLabels
  }

  var count: Int { table.count }

  /// Every name with its number, in no particular order.
  package func forEach(_ body: (_ name: RawSpan, _ value: UInt32) -> Void) { table.forEach(body) }

  /// Tables that fit into the caches anyway need not be fetched.
  private static let cachedBytes = 1 << 18

  /// Begins to fetch the memory that a search for a host is certain to read.
  func prefetch(_ host: Range<Int>, in text: RawSpan) {
    guard table.residentBytes > Self.cachedBytes else { return }
    var walk = HostWalk(text, host, hash)
    while walk.labels < 3, walk.next() {
      if walk.labels > 1 || hasSingleLabels { table.prefetch(walk.value) }
    }
  }

  /// The matches of a host in this table, to be asked for one by one; of an address only itself can be one.
  @inline(__always)
  @_lifetime(copy text)
  func matches(of host: Range<Int>, in text: RawSpan, isAddress: Bool) -> HostMatches {
    HostMatches(HostWalk(text, host, hash), onlyWhole: isAddress)
  }

  /// Goes on to the next longer name in the table that the host is, or is below; false when there is none.
  @inline(__always)
  func advance(_ matches: inout HostMatches) -> Bool {
    while matches.walk.next() {
      let labels = matches.walk.labels
      if labels == 1, !hasSingleLabels { continue }
      if labels > deepest { return false }
      matches.probes &+= 1
      if labels == 2, !table.isPerhapsMarked(matches.walk.value) { return false }
      if matches.onlyWhole, !matches.walk.isWhole { continue }
      if let value = table.value(of: matches.walk.name, hash: matches.walk.value) {
        matches.value = value
        return true
      }
    }
    return false
  }
}

/// Writes a host table whose names come in the order of their hashes.
struct HostTableWriter {
  private var table: FlatTableWriter
  private let hash: ByteHash
  private var deepest = 0
  private var hasSingleLabels = false

  /// For at most `names` names of `nameBytes` bytes in all.
  init(names: Int, nameBytes: Int, hash: ByteHash) {
    table = FlatTableWriter(names: names, nameBytes: nameBytes)
    self.hash = hash
  }

  /// Appends a name that was not written before.
  mutating func append(_ name: RawSpan, hash: UInt64, value: UInt32) {
    var walk = HostWalk(name, 0..<name.byteCount, self.hash)
    while walk.next() {
      // Every name below this one has the same last two labels.
      if walk.labels == 2 { table.mark(walk.value) }
    }
    table.append(name, hash: hash, value: value)
    deepest = max(deepest, walk.labels)
    if walk.labels == 1 { hasSingleLabels = true }
  }

  consuming func finish() -> HostTable {
    HostTable(table.finish(), hash: hash, deepest: deepest, hasSingleLabels: hasSingleLabels)
  }
}

extension HostTable {
  /// The table of some names with their numbers.
  init(_ names: [[UInt8]: Int32], hash: ByteHash = .ofThisProcess) {
    let sorted = names.map { (hash: hash.hash(ofHost: $0.key), name: $0.key, value: UInt32($0.value)) }
      .sorted { $0.hash < $1.hash }
    var writer = HostTableWriter(
      names: sorted.count, nameBytes: sorted.reduce(0) { $0 + $1.name.count }, hash: hash)
    for entry in sorted { writer.append(entry.name.span.bytes, hash: entry.hash, value: entry.value) }
    self = writer.finish()
  }
}

extension ByteHash {
  /// The hash of a host as `HostWalk` makes it.
  fileprivate func hash(ofHost name: [UInt8]) -> UInt64 {
    var walk = HostWalk(name.span.bytes, 0..<name.count, self)
    while walk.next() {}
    return walk.value
  }
}

/// A look that is under way: which names of a table a host is, or is below, shortest first.
struct HostMatches: ~Escapable {
  fileprivate var walk: HostWalk
  fileprivate let onlyWhole: Bool
  /// The number of the name that was found last.
  fileprivate(set) var value: UInt32 = 0
  /// Number of buckets asked so far.
  fileprivate(set) var probes = 0

  @inline(__always)
  @_lifetime(copy walk)
  fileprivate init(_ walk: consuming HostWalk, onlyWhole: Bool) {
    self.walk = walk
    self.onlyWhole = onlyWhole
  }

  /// Whether the name that was found last is the host itself, not one that it is below.
  var isWhole: Bool {
    @inline(__always) get { walk.isWhole }
  }
}

/// Sets of lists, each kept once, under numbers: a host in three lists has the number of that set of three.
///
/// Number 0 is the empty set.
package struct ListSets: Sendable {
  /// Start of each set in `members`, with one entry more for the end.
  private var starts: [Int32] = [0, 0]
  /// The lists of each set, ascending.
  private var members: [HostListNumber] = []
  private var numbers: [[HostListNumber]: UInt32] = [[]: 0]
  /// The sets that came of adding a list to a set.
  private var enlarged: [UInt64: UInt32] = [:]
  /// The one that was made last, which is mostly the next one, too.
  private var last: (step: UInt64, set: UInt32) = (.max, 0)

  package var count: Int { starts.count - 1 }

  /// The lists of a set, ascending.
  func lists(of set: UInt32) -> ArraySlice<HostListNumber> {
    members[Int(starts[Int(set)])..<Int(starts[Int(set) + 1])]
  }

  package func contains(_ list: HostListNumber, in set: UInt32) -> Bool {
    var low = Int(starts[Int(set)])
    var high = Int(starts[Int(set) + 1])
    while low < high {
      let middle = (low + high) / 2
      if members[middle] < list { low = middle + 1 } else { high = middle }
    }
    return low < Int(starts[Int(set) + 1]) && members[low] == list
  }

  /// The number of a set with one list more.
  mutating func adding(_ list: HostListNumber, to set: UInt32) -> UInt32 {
    let step = UInt64(set) << 32 | UInt64(UInt32(bitPattern: list.place))
    if step == last.step { return last.set }
    if let known = enlarged[step] {
      last = (step, known)
      return known
    }
    var lists = Array(lists(of: set))
    if let place = lists.firstIndex(where: { $0 >= list }) {
      if lists[place] != list { lists.insert(list, at: place) }
    } else {
      lists.append(list)
    }
    let number = number(of: lists)
    enlarged[step] = number
    last = (step, number)
    return number
  }

  /// The number of the set of all lists that are in one of two sets.
  mutating func union(_ one: UInt32, _ other: UInt32) -> UInt32 {
    var set = one
    if one != other { for list in Array(lists(of: other)) { set = adding(list, to: set) } }
    return set
  }

  private mutating func number(of lists: [HostListNumber]) -> UInt32 {
    if let known = numbers[lists] { return known }
    let number = UInt32(count)
    members += lists
    starts.append(Int32(members.count))
    numbers[lists] = number
    return number
  }

  /// Frees the memory that is needed only to make sets.
  mutating func freeze() {
    numbers = [:]
    enlarged = [:]
  }
}

/// The sets of host lists that a decision's two URLs are in, looked up once.
struct ListSetsFound {
  /// The set of the URL that is judged.
  let url: UInt32
  /// The set of the page or hop that led here.
  let from: UInt32
}
