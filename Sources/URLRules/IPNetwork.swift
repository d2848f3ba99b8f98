package import URLStandard

/// A block of addresses (`cidr:` in a rule file).
///
///     IPNetwork("10.0.0.0/8")       // takes http://10.1.2.3/ and http://[::ffff:10.1.2.3]/
///     IPNetwork("2001:db8::/32")    // takes http://[2001:db8::1]/
///     IPNetwork("10.0.0.1/8")       // nil: bits behind the prefix are set
///
/// Names are never resolved: a name that leads into the network is not taken.
package struct IPNetwork: Sendable, Hashable {
  /// The first address.
  package let base: IPAddress
  /// Number of leading bits of the 128 that are the network's; an IPv4 prefix counts from 96.
  package let prefixBits: Int

  package enum Problem: Error, Hashable { case noAddress, noPrefix, prefixTooLong, bitsBehindPrefix(IPNetwork) }

  private init(base: IPAddress, prefixBits: Int) {
    self.base = base
    self.prefixBits = prefixBits
  }

  /// Reads `ADDRESS/BITS`; a single address without bits is a network of one.
  package init(_ text: String) throws(Problem) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    guard let address = Self.address(written) else { throw .noAddress }
    let width = written.contains(":") ? 128 : 32
    var bits = width
    if parts.count == 2 {
      guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .noPrefix }
      guard let number = Int(parts[1]), number <= width else { throw .prefixTooLong }
      bits = number
    }
    let prefixBits = bits + 128 - width
    let base = address.bits & Self.mask(prefixBits)
    let network = IPNetwork(base: IPAddress(ipv6: base), prefixBits: prefixBits)
    guard base == address.bits else { throw .bitsBehindPrefix(network) }
    self = network
  }

  /// Whether the address is in the network. IPv6 networks hold no IPv4 addresses, however short their prefix.
  package func contains(_ address: IPAddress) -> Bool {
    address.isIPv6 == base.isIPv6 && address.bits & Self.mask(prefixBits) == base.bits
  }

  /// The leading `bits` of an address.
  package static func mask(_ bits: Int) -> UInt128 { bits == 0 ? 0 : UInt128.max << UInt128(128 - bits) }

  /// Only the plain spelling of an address: octal or short ones would surprise readers of the rule.
  private static func address(_ text: String) -> IPAddress? {
    let isIPv6 = text.contains(":")
    guard isIPv6 || isDottedDecimal(text) else { return nil }
    let host = isIPv6 && !text.hasPrefix("[") ? "[\(text)]" : text
    guard let record = URLRecord("http://\(host)/"), record.pathRange.count == 1, !record.hasCredentials else {
      return nil
    }
    return record.portNumber == nil ? IPAddress(hostOf: record) : nil
  }

  private static func isDottedDecimal(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && ($0 == "0" || !$0.hasPrefix("0")) }
  }
}

extension IPNetwork: CustomStringConvertible {
  /// As a rule file writes it: `10.0.0.0/8`.
  package var description: String {
    "\(base)/\(base.isIPv6 ? prefixBits : prefixBits - 96)"
  }
}
