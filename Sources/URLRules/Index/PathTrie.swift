/// Rules by the bytes that a path begins with: a radix trie, all tries of a rule set in the same flat arrays.
///
/// A walk goes down until the path leaves the prefixes, so ten thousand prefixes cost what ten cost. No hash, so
/// nothing to collide.
struct PathTrie: Sendable {
  /// A node of the walk, with the rules whose prefix ends there.
  fileprivate struct Node: Sendable {
    /// The bytes between the parent and this node.
    var labelStart: Int32
    var labelCount: Int32
    /// The children lie side by side, in the order of their first bytes.
    var firstChild: Int32 = 0
    var childCount: Int32 = 0
    var rules = PostingList()
  }

  private var nodes: [Node] = []
  /// The first byte of each node's label.
  private var firstBytes: [UInt8] = []
  private var labels: [UInt8] = []

  /// The rules of one prefix.
  package struct Entry {
    var prefix: [UInt8]
    var rules: PostingList
  }

  /// Adds a trie; returns its root. Prefixes are distinct.
  mutating func add(_ entries: [Entry]) -> Int32 {
    let sorted = entries.sorted { $0.prefix.lexicographicallyPrecedes($1.prefix) }
    let root = Int32(nodes.count)
    var groups = [Group(node: root, entries: 0..<sorted.count, depth: 0)]
    append(label: sorted[0].prefix[0..<Self.commonLength(sorted, 0..<sorted.count)])
    var next = 0
    while next < groups.count {
      grow(&groups, groups[next], sorted)
      next += 1
    }
    return root
  }

  /// Prefixes that share a node: they agree in the bytes up to that node's end.
  private struct Group {
    var node: Int32
    var entries: Range<Int>
    /// The bytes before the node's label.
    var depth: Int
  }

  /// Sets the rules of a node and appends its children.
  private mutating func grow(_ groups: inout [Group], _ group: Group, _ sorted: [Entry]) {
    let depth = group.depth + Int(nodes[Int(group.node)].labelCount)
    var entries = group.entries
    if let first = entries.first, sorted[first].prefix.count == depth {
      nodes[Int(group.node)].rules = sorted[first].rules
      entries = first + 1..<entries.upperBound
    }
    nodes[Int(group.node)].firstChild = Int32(nodes.count)
    while !entries.isEmpty {
      let end = Self.endOfSameByte(sorted, entries, at: depth)
      let child = entries.lowerBound..<end
      let node = Int32(nodes.count)
      append(label: sorted[child.lowerBound].prefix[depth..<Self.commonLength(sorted, child)])
      groups.append(Group(node: node, entries: child, depth: depth))
      nodes[Int(group.node)].childCount += 1
      entries = end..<entries.upperBound
    }
  }

  private mutating func append(label: ArraySlice<UInt8>) {
    nodes.append(Node(labelStart: Int32(labels.count), labelCount: Int32(label.count)))
    firstBytes.append(label.first ?? 0)
    labels += label
  }

  /// Number of bytes that sorted prefixes have in common: as many as the first and the last.
  private static func commonLength(_ sorted: [Entry], _ entries: Range<Int>) -> Int {
    let first = sorted[entries.lowerBound].prefix
    let last = sorted[entries.upperBound - 1].prefix
    var count = 0
    while count < first.count, count < last.count, first[count] == last[count] { count += 1 }
    return count
  }

  /// Behind the last prefix that has the same byte at `depth` as the first.
  private static func endOfSameByte(_ sorted: [Entry], _ entries: Range<Int>, at depth: Int) -> Int {
    let byte = sorted[entries.lowerBound].prefix[depth]
    var low = entries.lowerBound + 1
    var high = entries.upperBound
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].prefix[depth] == byte { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension PathTrie {
  /// A walk down one trie, along a path.
  struct Walk {
    fileprivate var node: Int32
    fileprivate var place = 0
    /// The rules of the prefix that was found last.
    fileprivate(set) var rules = PostingList()
    /// Number of nodes that were looked at.
    fileprivate(set) var steps = 0

    /// From the root of a trie; a negative one is that of no trie.
    init(from root: Int32) { node = root }
  }

  /// Goes on to the next longer prefix of `path` that has rules; false when there is none.
  func advance(_ walk: inout Walk, along path: Span<UInt8>) -> Bool {
    while walk.node >= 0 {
      let node = nodes[Int(walk.node)]
      walk.steps += 1
      walk.node = -1
      guard leads(node, along: path, from: walk.place) else { return false }
      walk.place += Int(node.labelCount)
      if walk.place < path.count { walk.node = child(of: node, path[walk.place]) }
      if !node.rules.isEmpty {
        walk.rules = node.rules
        return true
      }
    }
    return false
  }

  private func leads(_ node: Node, along path: Span<UInt8>, from place: Int) -> Bool {
    let count = Int(node.labelCount)
    guard path.count - place >= count else { return false }
    let label = labels.span.extracting(Int(node.labelStart)..<Int(node.labelStart) + count)
    return label.bytes.equals(path.extracting(place..<place + count).bytes)
  }

  /// The child whose label begins with a byte, or -1.
  private func child(of node: Node, _ byte: UInt8) -> Int32 {
    var low = node.firstChild
    var high = low + node.childCount
    while high - low > 8 {
      let middle = (low + high) / 2
      if firstBytes[Int(middle)] <= byte { low = middle } else { high = middle }
    }
    while low < high {
      if firstBytes[Int(low)] == byte { return low }
      low += 1
    }
    return -1
  }
}
