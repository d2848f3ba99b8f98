/// One piece of a pattern, as PCRE2 reads it.
enum RegexToken: Sendable, Hashable {
  /// One byte out of a set; a set of one is a literal.
  case bytes(ByteSet)
  /// `^` or `\A`.
  case start
  /// `$`, `\Z` or `\z`.
  case end
  /// `\b`, or `\B` when it is denied.
  case border(isDenied: Bool)
  case open(Group)
  case close
  case bar
  /// An option for the rest of the group: `(?i)`.
  case option
  /// Something that is not read in full; the reader says that the pattern is unusual.
  case unusual

  /// The group that a parenthesis begins.
  enum Group: Sendable, Hashable {
    /// `(`, `(?:`, `(?<name>`, `(?>`, `(?i:`
    case consuming
    /// `(?=`, `(?!`, `(?<=`, `(?<!`: matches and takes nothing.
    case look(isBehind: Bool, isDenied: Bool)
    case unusual
  }
}

/// The number of times that the piece before it may come.
package struct RegexRepeat: Sendable, Hashable {
  package var least = 1
  /// Nil: without end.
  package var most: Int? = 1

  package static let once = RegexRepeat()

  package init(least: Int = 1, most: Int? = 1) {
    self.least = least
    self.most = most
  }
}

/// One piece of a pattern with its quantifier.
package struct RegexItem: Sendable, Hashable {
  package indirect enum Node: Sendable, Hashable {
    case bytes(ByteSet)
    case start
    case end
    /// A condition on the place, which takes nothing: `\b`, look-around.
    case condition(Assertion)
    case option
    /// The alternatives of a group.
    case group([[RegexItem]])
  }

  /// A condition that must hold of a place, or, denied, must not.
  package enum Assertion: Sendable, Hashable {
    /// Between a letter, digit or `_` and something else.
    case border(isDenied: Bool)
    /// One of the branches matches from here on; behind, up to here.
    case look([[RegexItem]], isBehind: Bool, isDenied: Bool)
  }

  package var node: Node
  package var times = RegexRepeat.once

  package init(node: Node, times: RegexRepeat = .once) {
    self.node = node
    self.times = times
  }

  /// The one byte that stands here exactly once.
  package var literal: UInt8? {
    guard case .bytes(let set) = node, times == .once else { return nil }
    return set.onlyByte
  }

  /// The same, a letter in any case as a small one.
  var literalWithoutCase: UInt8? {
    guard case .bytes(let set) = node, times == .once else { return nil }
    return set.onlyByteWithoutCase
  }

  /// Every byte that it can take.
  package var alphabet: ByteSet {
    switch node {
    case .bytes(let set): set
    case .start, .end, .condition, .option: ByteSet()
    case .group(let branches): branches.joined().reduce(ByteSet()) { $0.union($1.alphabet) }
    }
  }

  /// Whether it demands a place and takes nothing.
  package var isCondition: Bool {
    switch node {
    case .start, .end, .condition: true
    case .bytes, .option, .group: false
    }
  }
}

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
