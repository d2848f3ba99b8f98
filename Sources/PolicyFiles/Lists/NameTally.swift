/// Checks of lists of hosts beside bad lines: for `check`, since both take more time than reading does.
package struct ListChecks: Sendable {
  /// Whether a name of at most `ListLimits.maximumSuffixLabels` labels is a public suffix; in the form of the URL parser.
  package typealias SuffixTest = @Sendable (Span<UInt8>) -> Bool

  /// Whether repeated entries, and entries below another one, are counted.
  package var countsRepeats: Bool
  /// Nil for no check. A suffix gets a warning: such an entry takes every site below it.
  package var isPublicSuffix: SuffixTest?

  package init(countsRepeats: Bool = false, isPublicSuffix: SuffixTest? = nil) {
    self.countsRepeats = countsRepeats
    self.isPublicSuffix = isPublicSuffix
  }
}

/// Counts the entries of a list that are repeated or lie below another one, in any order.
///
///     a.example, b.a.example, b.a.example    // 1 duplicate, 1 covered
///
/// One node for every name and for every parent of one, known by its hash alone, of which some fifty bits are compared:
/// the counts are for people. Some 30 bytes a name while the list is read, and more time than all the rest of reading.
struct NameTally {
  private struct Node {
    /// The lower half of the hash, from which the place among the slots comes.
    var hash: UInt32
    /// Twice the node of the name without its first label, and 1 for an entry; a single label is its own parent.
    var parentAndEntry: UInt32

    var parent: Int { Int(parentAndEntry >> 1) }
    var isEntry: Bool { parentAndEntry & 1 == 1 }
  }

  /// Parents come before their children.
  private var nodes: [Node] = []
  /// Open addressing: the upper half of a hash, and the index of its node and one; zero when free.
  private var slots = [UInt64](repeating: 0, count: 1 << 12)
  private(set) var duplicates = 0

  private static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000

  /// Most steps from the slot where a node belongs. More come only from names that were made to collide; such a name is
  /// not counted.
  private static let maximumSteps = 1024

  /// Entries that lie below another one, each counted once.
  var covered: Int {
    var isCovering = [Bool](repeating: false, count: nodes.count)
    var count = 0
    for (index, node) in nodes.enumerated() {
      let isBelow = node.parent != index && isCovering[node.parent]
      if isBelow && node.isEntry { count += 1 }
      isCovering[index] = isBelow || node.isEntry
    }
    return count
  }

  /// Counts a host in the form of the URL parser.
  mutating func add(_ name: Span<UInt8>) {
    // With a third of the slots free, a node is a step or two from its place.
    if nodes.count + name.count > slots.count / 3 * 2 { grow() }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var parent: UInt32?
    for index in stride(from: name.count - 1, through: 0, by: -1) {
      let byte = name[index]
      if byte == UInt8(ascii: ".") {
        guard let node = node(hash, parent) else { return }
        parent = node
      }
      hash = (hash ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    guard let node = node(hash, parent) else { return }
    if nodes[Int(node)].isEntry { duplicates += 1 }
    nodes[Int(node)].parentAndEntry |= 1
  }

  /// The node with this hash, made if there is none; nil when it cannot be placed.
  private mutating func node(_ hash: UInt64, _ parent: UInt32?) -> UInt32? {
    let mask = slots.count - 1
    let tag = hash & Self.tagMask
    var slot = Int(truncatingIfNeeded: hash) & mask
    for _ in 0..<Self.maximumSteps {
      let found = slots[slot]
      if found == 0 {
        let index = UInt32(truncatingIfNeeded: nodes.count)
        nodes.append(Node(hash: UInt32(truncatingIfNeeded: hash), parentAndEntry: (parent ?? index) << 1))
        slots[slot] = tag | UInt64(index) + 1
        return index
      }
      if found & Self.tagMask == tag { return UInt32(truncatingIfNeeded: found) &- 1 }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    let mask = slots.count - 1
    for entry in old where entry != 0 {
      var slot = Int(nodes[Int(truncatingIfNeeded: entry & ~Self.tagMask) - 1].hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = entry
    }
  }
}
