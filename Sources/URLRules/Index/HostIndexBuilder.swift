/// Takes rules with their host keys, in ascending order, and makes an index of them.
struct HostIndexBuilder {
  private struct Entry {
    var host: Int32
    var rule: Int32
    var below: Bool
    /// Index in `paths`, or -1 for every path.
    var path: Int32
  }

  private var hosts: [[UInt8]: Int32] = [:]
  private var paths: [[UInt8]] = []
  private var entries: [Entry] = []

  /// Files a rule.
  mutating func add(_ rule: Int32, host: [UInt8], below: Bool, path: [UInt8]) {
    // No URL is that long, so nothing can match.
    guard host.count <= FlatTable.maximumName else { return }
    let next = Int32(hosts.count)
    let number = hosts[host] ?? next
    if number == next { hosts[host] = next }
    if !path.isEmpty { paths.append(path) }
    let last = path.isEmpty ? -1 : Int32(paths.count - 1)
    entries.append(Entry(host: number, rule: rule, below: below, path: last))
  }

  /// The index; its lists are appended to `postings`.
  consuming func finish(_ postings: inout Postings) -> HostIndex {
    let table = HostTable(hosts)
    var nodes: [HostIndex.Node] = []
    nodes.reserveCapacity(hosts.count)
    var tries = PathTrie()
    entries.sort { ($0.host, $0.rule) < ($1.host, $1.rule) }
    var start = 0
    while start < entries.count {
      let end = entries[start...].firstIndex { $0.host != entries[start].host } ?? entries.count
      nodes.append(node(entries[start..<end], &postings, &tries))
      start = end
    }
    return HostIndex(table, nodes, tries)
  }

  private func node(
    _ entries: ArraySlice<Entry>, _ postings: inout Postings, _ tries: inout PathTrie
  ) -> HostIndex.Node {
    var node = HostIndex.Node()
    let below = entries.filter(\.below)
    node.whole = postings.add(entries.lazy.filter { $0.path < 0 }.map(\.rule))
    node.wholePaths = trie(entries.filter { $0.path >= 0 }, &postings, &tries)
    guard below.count < entries.count else {
      node.below = node.whole
      node.belowPaths = node.wholePaths
      return node
    }
    node.below = postings.add(below.lazy.filter { $0.path < 0 }.map(\.rule))
    node.belowPaths = trie(below.filter { $0.path >= 0 }, &postings, &tries)
    return node
  }

  private func trie(_ entries: [Entry], _ postings: inout Postings, _ tries: inout PathTrie) -> Int32 {
    guard !entries.isEmpty else { return -1 }
    let rules = Dictionary(grouping: entries) { paths[Int($0.path)] }
    return tries.add(
      rules.map { PathTrie.Entry(prefix: $0.key, rules: postings.add($0.value.map(\.rule))) })
  }
}
