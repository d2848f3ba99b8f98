package import URLRules

/// The address that a host is, as a row of bits, read from its text as the standards print it.
package struct ReferenceAddress {
  /// 32 bits of an IPv4 address, 128 of an IPv6 one.
  private let bits: [Bool]

  package init?(_ host: String) {
    let isIPv6 = host.hasPrefix("[")
    guard let bits = isIPv6 ? Self.bits(ipv6: String(host.dropFirst().dropLast())) : Self.bits(ipv4: host) else {
      return nil
    }
    self.bits = bits
  }

  private static func bits(ipv4 text: String) -> [Bool]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard parts.count == 4, !parts.contains(nil) else { return nil }
    return parts.flatMap { bits(UInt16($0 ?? 0), width: 8) }
  }

  /// Pieces of hexadecimal digits between colons; `::` stands for as many zeroes as are missing. An address that stands
  /// for an IPv4 one (`::ffff:…`) is that one.
  private static func bits(ipv6 text: String) -> [Bool]? {
    var pieces = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if pieces.first == "" { pieces.removeFirst() }
    if pieces.last == "" { pieces.removeLast() }
    if let gap = pieces.firstIndex(of: "") {
      pieces.replaceSubrange(gap...gap, with: Array(repeating: "0", count: 9 - pieces.count))
    }
    let numbers = pieces.compactMap { UInt16($0, radix: 16) }
    guard numbers.count == 8 else { return nil }
    let isIPv4 = numbers.prefix(6) == [0, 0, 0, 0, 0, 0xFFFF]
    return (isIPv4 ? numbers.suffix(2) : numbers[...]).flatMap { bits($0, width: 16) }
  }

  /// The same family, and the same leading bits.
  package func isIn(_ network: IPNetwork) -> Bool {
    let parts = network.description.split(separator: "/")
    let text = parts[0].contains(":") ? "[\(parts[0])]" : String(parts[0])
    guard parts.count == 2, let base = ReferenceAddress(text), let prefix = Int(parts[1]) else { return false }
    return base.bits.count == bits.count && base.bits.prefix(prefix) == bits.prefix(prefix)
  }

  private static func bits(_ number: UInt16, width: Int) -> [Bool] {
    (0..<width).map { number >> UInt16(width - 1 - $0) & 1 == 1 }
  }
}
