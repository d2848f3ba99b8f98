/// The address in a URL's host.
///
///     IPAddress(hostOf: record)    // http://0x7f.1/            -> 127.0.0.1
///                                  // http://[::ffff:10.0.0.1]/ -> 10.0.0.1
///
/// Trap: an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) leads to the IPv4 host, so it is that address here.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// IPv4 in its last 32 bits, with the prefix `::ffff:0:0/96` before it.
  package let bits: UInt128

  package var isIPv6: Bool { bits >> 32 != Self.mappedPrefix }

  private static let mappedPrefix: UInt128 = 0xFFFF

  package init(ipv4 bits: UInt32) { self.bits = Self.mappedPrefix << 32 | UInt128(bits) }

  package init(ipv6 bits: UInt128) { self.bits = bits }

  /// The address of the host; nil when it is a name or nothing.
  package init?(hostOf record: borrowing URLRecord) {
    switch record.hostKind {
    case .ipv4: self.init(ipv4Text: record.hostBytes)
    case .ipv6: self.init(ipv6Text: record.hostBytes.extracting(1..<record.hostBytes.count - 1))
    default: return nil
    }
  }

  private init?(ipv4Text text: Span<UInt8>) {
    guard let address = IPv4Address(text) else { return nil }
    self.init(ipv4: address.bits)
  }

  private init?(ipv6Text text: Span<UInt8>) {
    guard let address = IPv6Address(text) else { return nil }
    var bits: UInt128 = 0
    for index in 0..<8 { bits = bits << 16 | UInt128(address.pieces[index]) }
    self.init(ipv6: bits)
  }
}

extension IPAddress {
  /// `127.0.0.1`, or `::1` without brackets.
  package var description: String {
    var text: [UInt8] = []
    if isIPv6 {
      IPv6Address(bits).write(to: &text)
      text = Array(text.dropFirst().dropLast())
    } else {
      IPv4Address(UInt32(truncatingIfNeeded: bits)).write(to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
