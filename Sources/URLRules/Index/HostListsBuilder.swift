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
  /// Where the names of each list begin.
  private var listStarts: [Int] = []
  private var nameCounts: [Int] = []

  /// What all names may take together, so that a place in them fits into 32 bits.
  private static let maximumBytes = FlatTable.maximumBytes / 2

  package init() {}

  /// Begins the next list; returns its number.
  package mutating func beginList() -> Int32 {
    listStarts.append(names.count)
    nameCounts.append(0)
    return Int32(nameCounts.count - 1)
  }

  /// Adds a host, in the form the parser gives hosts, to the list that was begun last.
  ///
  /// False, and nothing added, when no list was begun or all lists together hold more than 2 GB of names. A name that is
  /// too long for any URL is counted and forgotten.
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
