/// A set of byte values: those that one place in a regular expression can match, in either dialect.
///
///     ByteSet(0x30...0x39, 0x5F...0x5F)          // digits and `_`
///     ByteSet("&-!#")                            // these four
///     ByteSet(codePoints: 0x61...0x1F600)        // `a` to DEL: URLs hold no other character of the range
package struct ByteSet: Sendable, Hashable {
  private var low: UInt128 = 0
  private var high: UInt128 = 0

  package init() {}

  package init(_ ranges: ClosedRange<UInt8>...) {
    for range in ranges { insert(range) }
  }

  package init(_ members: StaticString) {
    members.withUTF8Buffer { for byte in $0 { insert(byte) } }
  }

  /// The ASCII characters of a range of code points.
  init(codePoints range: ClosedRange<UInt32>) {
    guard range.lowerBound <= 0x7F else { return }
    insert(UInt8(range.lowerBound)...UInt8(min(range.upperBound, 0x7F)))
  }

  static let all = ByteSet(0...255)
  static let ascii = ByteSet(0...0x7F)
  static let uppercase = ByteSet(0x41...0x5A)
  static let lowercase = ByteSet(0x61...0x7A)
  package static let digits = ByteSet(0x30...0x39)
  package static let letters = uppercase.union(lowercase)
  package static let word = digits.union(letters).union(ByteSet("_"))
  package static let lineEnds = ByteSet("\n\r")
  /// The bytes of `\s`: tab to carriage return, and space.
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

  package func union(_ other: ByteSet) -> ByteSet { ByteSet(low: low | other.low, high: high | other.high) }
  package func intersection(_ other: ByteSet) -> ByteSet { ByteSet(low: low & other.low, high: high & other.high) }
  func subtracting(_ other: ByteSet) -> ByteSet { ByteSet(low: low & ~other.low, high: high & ~other.high) }
  package func subtracting(_ byte: UInt8) -> ByteSet { subtracting(ByteSet(byte...byte)) }

  private init(low: UInt128, high: UInt128) {
    self.low = low
    self.high = high
  }

  func isDisjoint(with other: ByteSet) -> Bool { low & other.low == 0 && high & other.high == 0 }

  package func isSubset(of other: ByteSet) -> Bool { low & ~other.low == 0 && high & ~other.high == 0 }

  package var inverted: ByteSet { ByteSet(low: ~low, high: ~high) }

  /// The set with the other case of every ASCII letter in it.
  package var caseless: ByteSet {
    var result = self
    for lower in UInt8(ascii: "a")...UInt8(ascii: "z") where contains(lower) || contains(lower - 0x20) {
      result.insert(lower)
      result.insert(lower - 0x20)
    }
    return result
  }

  /// The set with the small letter in place of every capital one.
  var folded: ByteSet {
    let capitals = intersection(.uppercase)
    return ByteSet(low: (low & ~capitals.low) | capitals.low << 32, high: high)
  }

  /// The bytes in it as ranges, ascending.
  package var ranges: [ClosedRange<UInt8>] {
    var ranges: [ClosedRange<UInt8>] = []
    for byte in UInt8.min...UInt8.max where contains(byte) {
      if let last = ranges.last, last.upperBound + 1 == byte {
        ranges[ranges.count - 1] = last.lowerBound...byte
      } else {
        ranges.append(byte...byte)
      }
    }
    return ranges
  }

  package var isEmpty: Bool { low == 0 && high == 0 }

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

// The ASCII characters of `\p{…}`, by the names of the Unicode Character Database that JavaScript knows.
extension ByteSet {
  /// The ASCII members of the property that is written in `\p{…}`; nil when the name is not known, or when the property
  /// holds no ASCII character, which no author can mean.
  ///
  ///     Lu, Uppercase_Letter, General_Category=Lu     ->  A to Z
  ///     Script=Greek, Emoji_Presentation              ->  nil
  ///
  /// Source: ECMAScript 2025, tables 66 to 70; Unicode 16.
  init?(unicodeProperty text: String) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    let found: ByteSet? =
      switch (sides.count, sides.first) {
      case (1, _): Self.category(text) ?? Self.binaryProperties.first { $0.names.contains(text) }?.set
      case (2, "General_Category"), (2, "gc"): Self.category(sides[1])
      case (2, "Script"), (2, "sc"), (2, "Script_Extensions"), (2, "scx"): Self.script(sides[1])
      default: nil
      }
    guard let found, !found.isEmpty else { return nil }
    self = found
  }

  private static func script(_ name: String) -> ByteSet? {
    switch name {
    case "Latin", "Latn": letters
    case "Common", "Zyyy": ascii.subtracting(letters)
    default: nil
    }
  }

  private static func category(_ name: String) -> ByteSet? {
    let members = categories.filter { $0.names.contains(name) || $0.groups.contains(name) }
    return members.isEmpty ? nil : members.reduce(ByteSet()) { $0.union($1.set) }
  }

  private static let categories: [(names: [String], groups: [String], set: ByteSet)] = [
    (["Lu", "Uppercase_Letter"], ["LC", "Cased_Letter", "L", "Letter"], uppercase),
    (["Ll", "Lowercase_Letter"], ["LC", "Cased_Letter", "L", "Letter"], lowercase),
    (["Nd", "Decimal_Number", "digit"], ["N", "Number"], digits),
    (["Pc", "Connector_Punctuation"], punctuation, ByteSet("_")),
    (["Pd", "Dash_Punctuation"], punctuation, ByteSet("-")),
    (["Ps", "Open_Punctuation"], punctuation, ByteSet("([{")),
    (["Pe", "Close_Punctuation"], punctuation, ByteSet(")]}")),
    (["Po", "Other_Punctuation"], punctuation, ByteSet("!\"#%&'*,./:;?@\\")),
    (["Sm", "Math_Symbol"], ["S", "Symbol"], ByteSet("+<=>|~")),
    (["Sc", "Currency_Symbol"], ["S", "Symbol"], ByteSet("$")),
    (["Sk", "Modifier_Symbol"], ["S", "Symbol"], ByteSet("^`")),
    (["Zs", "Space_Separator"], ["Z", "Separator"], ByteSet(" ")),
    (["Cc", "Control", "cntrl"], ["C", "Other"], ByteSet(0...0x1F, 0x7F...0x7F)),
  ]
  private static let punctuation = ["P", "Punctuation", "punct"]

  private static let binaryProperties: [(names: [String], set: ByteSet)] = [
    (["ASCII", "Any", "Assigned"], ascii),
    (["Alphabetic", "Alpha", "Cased", "Changes_When_Casemapped", "CWCM"], letters),
    (["ID_Start", "IDS", "XID_Start", "XIDS"], letters),
    (["ID_Continue", "IDC", "XID_Continue", "XIDC"], word),
    (["Uppercase", "Upper", "Changes_When_Lowercased", "CWL", "Changes_When_Casefolded", "CWCF"], uppercase),
    (["Changes_When_NFKC_Casefolded", "CWKCF"], uppercase),
    (["Lowercase", "Lower", "Changes_When_Uppercased", "CWU", "Changes_When_Titlecased", "CWT"], lowercase),
    (["ASCII_Hex_Digit", "AHex", "Hex_Digit", "Hex"], digits.union(ByteSet("abcdefABCDEF"))),
    (["White_Space", "space", "Pattern_White_Space", "Pat_WS"], space),
    (["Emoji", "Emoji_Component", "EComp"], digits.union(ByteSet("#*"))),
    (["Case_Ignorable", "CI"], ByteSet("'.:^`")),
    (["Diacritic", "Dia"], ByteSet("^`")),
    (["Dash"], ByteSet("-")),
    (["Math"], ByteSet("+<=>^|~")),
    (["Quotation_Mark", "QMark"], ByteSet("\"'")),
    (["Terminal_Punctuation", "Term"], ByteSet("!,.:;?")),
    (["Sentence_Terminal", "STerm"], ByteSet("!.?")),
    (["Bidi_Mirrored", "Bidi_M"], ByteSet("()<>[]{}")),
    (["Soft_Dotted", "SD"], ByteSet("ij")),
    (["Grapheme_Base", "Gr_Base"], ByteSet(0x20...0x7E)),
    (["Pattern_Syntax", "Pat_Syn"], ByteSet(0x21...0x7E).subtracting(word)),
  ]
}
