package import URLStandard

/// The rules of a rule set by the keys they cannot match without: URL, host and path, network, list; and the rest.
///
/// The order of the stages is that of their cost; it changes no answer, since the smallest rule number wins.
package struct RuleIndex: Sendable {
  let postings: Postings
  let urls: URLIndex
  let hosts: HostIndex
  let networks: NetworkIndex
  /// The rules for each set of host lists, by its number; empty when no rule is filed under a list.
  let lists: [PostingList]
  let texts: TextIndex
  /// Rules with a pattern that cannot be searched for; they are among the residual ones.
  let unsearchable: [Int32]
  /// Rules that are looked at for every URL.
  let residual: PostingList

  /// Calls `body` with lists that hold every rule which may match the record, but for those found by a text and the
  /// residual ones; returns how many buckets and nodes were looked at. `sets` is the set of lists that the host is in.
  @inline(__always)
  func forEachList(of record: borrowing URLRecord, sets: UInt32, _ body: (PostingList) -> Void) -> Int {
    var probes = 0
    if !urls.isEmpty {
      probes &+= 1
      body(urls.list(of: record))
    }
    if !hosts.isEmpty { probes &+= hosts.forEachList(of: record, body) }
    if !networks.isEmpty, let address = IPAddress(hostOf: record) {
      probes &+= networks.forEachList(of: address, body)
    }
    if !lists.isEmpty { body(lists[Int(sets)]) }
    return probes
  }

  /// The rules that may match a record, ascending: those that are filed under a key which holds, and the residual ones.
  package func candidates(of record: borrowing URLRecord, lists: HostLists) -> [Int32] {
    var work = SearchWork()
    let sets = lists.set(of: record, &work)
    var numbers = Set(postings.numbers(of: residual))
    _ = forEachList(of: record, sets: sets) { numbers.formUnion(postings.numbers(of: $0)) }
    texts.forEachList(in: record.bytes.span, RegexRunner()) { numbers.formUnion(postings.numbers(of: $0)) }
    return numbers.sorted()
  }

  var residentBytes: Int {
    postings.residentBytes + urls.residentBytes + hosts.residentBytes + networks.residentBytes + texts.residentBytes
      + lists.count * MemoryLayout<PostingList>.stride
  }
}
