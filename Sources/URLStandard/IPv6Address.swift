/// An IPv6 address: eight pieces of 16 bits.
///
/// Source: URL Standard, section 3.5 (IPv6 parser) and 3.6 (serialiser, after RFC 5952).
struct IPv6Address {
  private(set) var pieces = InlineArray<8, UInt16>(repeating: 0)

  /// The most significant piece comes first.
  init(_ bits: UInt128) {
    for index in 0..<8 { pieces[index] = UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * index)) }
  }

  /// The address that `text`, without its brackets, writes; nil when it is not one.
  ///
  /// No zone identifiers: `fe80::1%25eth0` is no address to a browser.
  init?(_ text: Span<UInt8>) {
    var reader = IPv6Reader(text)
    guard reader.read() else { return nil }
    pieces = reader.pieces
  }

  /// Appends the address in brackets, its longest run of zero pieces (the first of equals) as `::`.
  func write(to output: inout [UInt8]) {
    let run = longestZeroRun()
    output.append(ASCII.openBracket)
    var index = 0
    while index < 8 {
      if run.count > 1, index == run.lowerBound {
        output.append(index == 0 ? "::" : ":")
        index = run.upperBound
        continue
      }
      Self.write(pieces[index], to: &output)
      if index < 7 { output.append(ASCII.colon) }
      index += 1
    }
    output.append(ASCII.closeBracket)
  }

  private func longestZeroRun() -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for index in 0..<8 {
      if pieces[index] != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<index + 1
      }
    }
    return longest
  }

  private static func write(_ piece: UInt16, to output: inout [UInt8]) {
    if piece >= 16 { write(piece >> 4, to: &output) }
    let digit = UInt8(truncatingIfNeeded: piece & 0xF)
    output.append(digit < 10 ? ASCII.zero &+ digit : UInt8(ascii: "a") &+ digit &- 10)
  }
}
