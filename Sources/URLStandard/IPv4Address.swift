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
