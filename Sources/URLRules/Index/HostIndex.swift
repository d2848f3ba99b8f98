internal import URLStandard

/// Rules by host, and under each host by path.
struct HostIndex: Sendable {
  /// The rules under one host.
  struct Node: Sendable {
    /// Rules for the host itself, on every path.
    var whole = PostingList()
    /// Rules for hosts below it, on every path.
    var below = PostingList()
    /// The path tries of both, or -1.
    var wholePaths: Int32 = -1
    var belowPaths: Int32 = -1
  }

  private let table: HostTable
  private let nodes: [Node]
  private let paths: PathTrie

  init(_ table: HostTable, _ nodes: [Node], _ paths: PathTrie) {
    self.table = table
    self.nodes = nodes
    self.paths = paths
  }

  var isEmpty: Bool { nodes.isEmpty }
  var residentBytes: Int {
    table.residentBytes + nodes.count * MemoryLayout<Node>.stride + paths.residentBytes
  }

  /// Begins to fetch the memory that a search for a host reads.
  func prefetch(_ host: Range<Int>, in text: RawSpan) { table.prefetch(host, in: text) }

  /// Calls `body` with the rules under a record's host and under each of its parents; returns how often it looked.
  @inline(__always)
  func forEachList(of record: borrowing URLRecord, _ body: (PostingList) -> Void) -> Int {
    let text = record.bytes.span.bytes
    var matches = table.matches(of: record.hostRange, in: text, isAddress: record.hasAddress)
    var steps = 0
    while table.advance(&matches) {
      let node = nodes[Int(matches.value)]
      body(matches.isWhole ? node.whole : node.below)
      var walk = PathTrie.Walk(from: matches.isWhole ? node.wholePaths : node.belowPaths)
      while paths.advance(&walk, along: record.pathBytes) { body(walk.rules) }
      steps &+= walk.steps
    }
    return steps &+ matches.probes
  }
}
