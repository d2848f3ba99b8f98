/// A set of ASCII characters, one bit each. Components of URLs hold no others.
package struct ASCIISet: Sendable, Hashable {
  private(set) var bits: UInt128 = 0

  static let all = ASCIISet(0...0x7F)
  static let digits = ASCIISet(0x30...0x39)
  static let uppercase = ASCIISet(0x41...0x5A)
  static let lowercase = ASCIISet(0x61...0x7A)
  static let letters = uppercase.union(lowercase)
  package static let word = letters.union(digits).union(ASCIISet("_"))
  /// The bytes of `\s`: tab to carriage return, and space.
  static let space = ASCIISet(0x09...0x0D).union(ASCIISet(" "))
  package static let lineEnds = ASCIISet("\n\r")

  init() {}

  init(_ range: ClosedRange<UInt32>) { insert(range) }

  init(_ members: StaticString) {
    members.withUTF8Buffer { for byte in $0 { insert(UInt32(byte)...UInt32(byte)) } }
  }

  var isEmpty: Bool { bits == 0 }

  package func contains(_ byte: UInt8) -> Bool { byte < 0x80 && bits >> UInt128(byte) & 1 == 1 }

  /// Inserts the ASCII characters of a range of code points.
  mutating func insert(_ range: ClosedRange<UInt32>) {
    guard range.lowerBound <= 0x7F else { return }
    let count = min(range.upperBound, 0x7F) - range.lowerBound + 1
    let run = count == 128 ? UInt128.max : (1 << UInt128(count)) - 1
    bits |= run << UInt128(range.lowerBound)
  }

  func union(_ other: ASCIISet) -> ASCIISet { ASCIISet(bits: bits | other.bits) }
  func intersection(_ other: ASCIISet) -> ASCIISet { ASCIISet(bits: bits & other.bits) }
  func subtracting(_ other: ASCIISet) -> ASCIISet { ASCIISet(bits: bits & ~other.bits) }

  private init(bits: UInt128) { self.bits = bits }

  /// With every upper-case letter as its lower-case one.
  var folded: ASCIISet {
    let upper = intersection(.uppercase)
    return ASCIISet(bits: (bits & ~upper.bits) | upper.bits << 32)
  }

  /// With every letter in both cases.
  var inBothCases: ASCIISet {
    let lower = folded.intersection(.lowercase)
    return ASCIISet(bits: bits | lower.bits | lower.bits >> 32)
  }

  /// The members in ascending order, as runs.
  var runs: [ClosedRange<UInt8>] {
    var runs: [ClosedRange<UInt8>] = []
    for byte in UInt8(0)...0x7F where contains(byte) {
      if let last = runs.last, last.upperBound + 1 == byte {
        runs[runs.count - 1] = last.lowerBound...byte
      } else {
        runs.append(byte...byte)
      }
    }
    return runs
  }
}
