/// A set of byte values: those that one place in a regular expression can match.
package struct ByteSet: Sendable, Hashable {
  private var low: UInt128 = 0
  private var high: UInt128 = 0

  package init() {}

  package init(_ ranges: ClosedRange<UInt8>...) {
    for range in ranges { insert(range) }
  }

  static let all = ByteSet(0...255)
  package static let digits = ByteSet(0x30...0x39)
  package static let letters = ByteSet(0x41...0x5A, 0x61...0x7A)
  package static let word = digits.union(letters).union(ByteSet(0x5F...0x5F))
  static let space = ByteSet(0x09...0x0D, 0x20...0x20)
  static let horizontalSpace = ByteSet(0x09...0x09, 0x20...0x20, 0xA0...0xA0)
  static let verticalSpace = ByteSet(0x0A...0x0D, 0x85...0x85)
  /// The bytes of a scheme and its colon.
  static let scheme = word.union(ByteSet(0x2B...0x2B, 0x2D...0x2E, 0x3A...0x3A))

  package func contains(_ byte: UInt8) -> Bool {
    (byte < 128 ? low >> UInt128(byte) : high >> UInt128(byte - 128)) & 1 == 1
  }

  /// The set as bits, lowest byte first: for loops over long texts.
  var words: InlineArray<4, UInt64> {
    [
      UInt64(truncatingIfNeeded: low), UInt64(truncatingIfNeeded: low >> 64), UInt64(truncatingIfNeeded: high),
      UInt64(truncatingIfNeeded: high >> 64),
    ]
  }

  package mutating func insert(_ byte: UInt8) {
    if byte < 128 { low |= 1 << UInt128(byte) } else { high |= 1 << UInt128(byte - 128) }
  }

  mutating func insert(_ range: ClosedRange<UInt8>) {
    for byte in range { insert(byte) }
  }

  package func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.low |= other.low
    result.high |= other.high
    return result
  }

  func isDisjoint(with other: ByteSet) -> Bool { low & other.low == 0 && high & other.high == 0 }

  package func isSubset(of other: ByteSet) -> Bool { low & ~other.low == 0 && high & ~other.high == 0 }

  package var inverted: ByteSet {
    var result = ByteSet()
    result.low = ~low
    result.high = ~high
    return result
  }

  /// The set with the other case of every ASCII letter in it.
  package var caseless: ByteSet {
    var result = self
    for lower in UInt8(ascii: "a")...UInt8(ascii: "z") where contains(lower) || contains(lower - 0x20) {
      result.insert(lower)
      result.insert(lower - 0x20)
    }
    return result
  }

  package var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

  /// The only byte in it.
  package var onlyByte: UInt8? {
    guard count == 1 else { return nil }
    return UInt8(low != 0 ? low.trailingZeroBitCount : 128 + high.trailingZeroBitCount)
  }

  /// The only byte in it but for its case, in lower case.
  var onlyByteWithoutCase: UInt8? {
    if let byte = onlyByte { return byte }
    let first = low.trailingZeroBitCount
    guard count == 2, first < 96, ByteSet.letters.contains(UInt8(first)) else { return nil }
    return contains(UInt8(first) + 0x20) ? UInt8(first) + 0x20 : nil
  }
}
