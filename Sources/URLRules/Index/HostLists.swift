internal import GuardModel
package import URLStandard

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
/// The number of a host in the table is that of the set of lists that hold it *or a parent of it*, so the longest name
/// that is found answers for all lists at once. A host whose parent is in the same lists takes no room.
package final class HostLists: Sendable {
  package let table: HostTable
  package let sets: ListSets
  /// How many names were added to each list, by its number.
  package let nameCounts: [Int]

  package static let empty = HostListsBuilder().finish()

  init(_ table: HostTable, _ sets: ListSets, nameCounts: [Int]) {
    self.table = table
    self.sets = sets
    self.nameCounts = nameCounts
  }

  /// How many lists there are; their numbers begin at 0.
  package var count: Int { nameCounts.count }
  /// How many names are in the table; one in several lists counts once.
  package var distinctNames: Int { table.count }
  /// What the table takes of memory.
  package var residentBytes: Int { table.residentBytes + sets.residentBytes }

  package func holds(_ list: Int32) -> Bool { nameCounts.indices.contains(Int(list)) }

  /// Whether a list is in a set; unknown when nobody knows the list.
  func contains(_ list: Int32, in set: UInt32) -> Ternary {
    nameCounts.indices.contains(Int(list)) ? Ternary(sets.contains(list, in: set)) : .unknown
  }

  /// Whether a URL's host, or a parent of it, is in a list; a list that does not exist holds nothing.
  package func contains(_ list: Int32, _ record: borrowing URLRecord) -> Bool {
    var work = SearchWork()
    return sets.contains(list, in: set(of: record, &work))
  }

  /// Begins to fetch what a look for a host will look at.
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
