internal import Bytes

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

/// An IPv4 address, in all the ways a URL may write it.
///
///     127.0.0.1, 127.1, 0x7f.1, 017700000001, 2130706433  // all 0x7F000001
///
/// Source: URL Standard, section 3.5 (ends in a number checker, IPv4 parser and number parser).
struct IPv4Address: Equatable {
  /// Most significant part first.
  let bits: UInt32

  init(_ bits: UInt32) { self.bits = bits }

  /// True when the last label is a number, so that the host is an IPv4 address or nothing.
  static func endsInNumber(_ host: Span<UInt8>) -> Bool {
    let end = endWithoutDot(host)
    var start = end
    while start > 0, host[start - 1] != ASCII.dot { start -= 1 }
    // Every number begins with a digit, and hardly any last label does.
    guard start < end, host[start].isASCIIDigit else { return false }
    let label = host.extracting(start..<end)
    return isDecimal(label) || number(label) != nil
  }

  /// The address that `host` writes; nil when it is not one.
  init?(_ host: Span<UInt8>) {
    let end = Self.endWithoutDot(host)
    var numbers = InlineArray<4, UInt64>(repeating: 0)
    var count = 0
    var start = 0
    while true {
      let stop = Self.endOfLabel(in: host, from: start, before: end)
      guard count < 4, let number = Self.number(host.extracting(start..<stop)) else { return nil }
      numbers[count] = number
      count += 1
      if stop == end { break }
      start = stop + 1
    }
    guard let bits = Self.combine(numbers, count: count) else { return nil }
    self.bits = bits
  }

  /// Appends the address in dotted decimal form.
  func write(to output: inout [UInt8]) {
    for part in 0..<4 {
      if part > 0 { output.append(ASCII.dot) }
      output.append(decimal: UInt16(truncatingIfNeeded: bits >> UInt32(24 - 8 * part) & 0xFF))
    }
  }

  /// All numbers but the last are one byte each; the last fills the rest.
  private static func combine(_ numbers: InlineArray<4, UInt64>, count: Int) -> UInt32? {
    var bits = numbers[count - 1]
    guard bits < 1 << UInt64(8 * (5 - count)) else { return nil }
    for index in 0..<count - 1 {
      guard numbers[index] <= 255 else { return nil }
      bits |= numbers[index] << UInt64(8 * (3 - index))
    }
    return UInt32(exactly: bits)
  }

  /// The value of a decimal, octal (`0…`) or hexadecimal (`0x…`) number, capped above 32 bits; nil when it is none.
  private static func number(_ label: Span<UInt8>) -> UInt64? {
    guard !label.isEmpty else { return nil }
    var start = 0
    var radix: UInt64 = 10
    if label.count >= 2, label[0] == ASCII.zero {
      let isHex = label[1].asciiLowercased == ASCII.x
      radix = isHex ? 16 : 8
      start = isHex ? 2 : 1
    }
    var value: UInt64 = 0
    for index in start..<label.count {
      guard let digit = label[index].hexDigitValue, UInt64(digit) < radix else { return nil }
      value = min(value * radix + UInt64(digit), 1 << 32)
    }
    return value
  }

  private static func isDecimal(_ label: Span<UInt8>) -> Bool {
    for index in label.indices where !label[index].isASCIIDigit { return false }
    return true
  }

  private static func endWithoutDot(_ host: Span<UInt8>) -> Int {
    host.count > 1 && host[host.count - 1] == ASCII.dot ? host.count - 1 : host.count
  }

  private static func endOfLabel(in host: Span<UInt8>, from start: Int, before end: Int) -> Int {
    var index = start
    while index < end, host[index] != ASCII.dot { index += 1 }
    return index
  }
}
