internal import URLStandard

/// Rules by network. IPv4 and IPv6 lie apart: no network of the one holds addresses of the other.
struct NetworkIndex: Sendable {
  private let ipv4: RangeTable<UInt32>
  private let ipv6: RangeTable<UInt128>
  let isEmpty: Bool

  init(_ networks: [IPNetwork: PostingList]) {
    isEmpty = networks.isEmpty
    var narrow: [RangeTable<UInt32>.Block] = []
    var wide: [RangeTable<UInt128>.Block] = []
    for (network, rules) in networks {
      let first = network.base.bits
      let last = first | ~IPNetwork.mask(network.prefixBits)
      if network.base.isIPv6 {
        wide.append(RangeTable.Block(first: first, last: last, rules: rules))
      } else {
        let first = UInt32(truncatingIfNeeded: first)
        narrow.append(RangeTable.Block(first: first, last: UInt32(truncatingIfNeeded: last), rules: rules))
      }
    }
    ipv4 = RangeTable(narrow)
    ipv6 = RangeTable(wide)
  }

  /// Calls `body` with the rules of each network that an address is in; returns how many there are, and one.
  @inline(__always)
  func forEachList(of address: IPAddress, _ body: (PostingList) -> Void) -> Int {
    address.isIPv6
      ? ipv6.forEachList(around: address.bits, body)
      : ipv4.forEachList(around: UInt32(truncatingIfNeeded: address.bits), body)
  }
}

/// Rules by blocks of addresses, which may lie within one another: sorted borders, and one search by halving.
struct RangeTable<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  /// A block of addresses with its rules.
  struct Block: Sendable {
    var first: Address
    var last: Address
    var rules: PostingList
    /// The smallest block around this one, or -1.
    var parent: Int32 = -1
  }

  private var blocks: [Block] = []
  /// The addresses at which the smallest block around changes, ascending.
  private var borders: [Address] = []
  /// The smallest block from each border on, or -1.
  private var smallest: [Int32] = []

  /// Two of the blocks are the same never, and overlap only when one lies in the other.
  init(_ unsorted: [Block]) {
    blocks = unsorted.sorted { $0.first != $1.first ? $0.first < $1.first : $0.last > $1.last }
    var around: [Int32] = []
    for index in blocks.indices {
      leave(&around, before: blocks[index].first)
      blocks[index].parent = around.last ?? -1
      around.append(Int32(index))
      begin(Int32(index), at: blocks[index].first)
    }
    leave(&around, before: nil)
  }

  /// Ends the innermost blocks that end before an address; all of them when there is none.
  private mutating func leave(_ around: inout [Int32], before address: Address?) {
    while let inner = around.last {
      let last = blocks[Int(inner)].last
      if let address, last >= address { return }
      around.removeLast()
      if last < Address.max { begin(around.last ?? -1, at: last + 1) }
    }
  }

  private mutating func begin(_ block: Int32, at border: Address) {
    if borders.last == border {
      smallest[smallest.count - 1] = block
    } else {
      borders.append(border)
      smallest.append(block)
    }
  }

  /// Calls `body` with the rules of each block around an address, smallest first; returns how many there are, and one.
  @inline(__always)
  func forEachList(around address: Address, _ body: (PostingList) -> Void) -> Int {
    var count = 1
    var block = smallestBlock(around: address)
    while block >= 0 {
      body(blocks[Int(block)].rules)
      block = blocks[Int(block)].parent
      count += 1
    }
    return count
  }

  /// The smallest block that holds an address, or -1.
  private func smallestBlock(around address: Address) -> Int32 {
    var low = 0
    var count = borders.count
    while count > 0 {
      let half = count / 2
      let isBelow = borders[low + half] <= address
      low = isBelow ? low + half + 1 : low
      count = isBelow ? count - half - 1 : half
    }
    return low == 0 ? -1 : smallest[low - 1]
  }
}
