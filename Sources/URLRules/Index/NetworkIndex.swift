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

  var residentBytes: Int { ipv4.residentBytes + ipv6.residentBytes }

  /// Calls `body` with the rules of each network that an address is in; returns how many there are, and one.
  @inline(__always)
  func forEachList(of address: IPAddress, _ body: (PostingList) -> Void) -> Int {
    address.isIPv6
      ? ipv6.forEachList(around: address.bits, body)
      : ipv4.forEachList(around: UInt32(truncatingIfNeeded: address.bits), body)
  }
}
