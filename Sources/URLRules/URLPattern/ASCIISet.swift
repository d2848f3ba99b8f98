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

// The ASCII characters of `\p{…}`, by the names of the Unicode Character Database that JavaScript knows.
extension ASCIISet {
  /// The ASCII members of the property that is written in `\p{…}`; nil when the name is not known, or when the property
  /// holds no ASCII character, which no author can mean.
  ///
  ///     Lu, Uppercase_Letter, General_Category=Lu     ->  A to Z
  ///     Script=Greek, Emoji_Presentation              ->  nil
  ///
  /// Source: ECMAScript 2025, tables 66 to 70; Unicode 16.
  init?(unicodeProperty text: String) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
    let found: ASCIISet? =
      switch (sides.count, sides.first) {
      case (1, _): Self.category(text) ?? Self.binaryProperties.first { $0.names.contains(text) }?.set
      case (2, "General_Category"), (2, "gc"): Self.category(sides[1])
      case (2, "Script"), (2, "sc"), (2, "Script_Extensions"), (2, "scx"): Self.script(sides[1])
      default: nil
      }
    guard let found, !found.isEmpty else { return nil }
    self = found
  }

  private static func script(_ name: String) -> ASCIISet? {
    switch name {
    case "Latin", "Latn": letters
    case "Common", "Zyyy": all.subtracting(letters)
    default: nil
    }
  }

  private static func category(_ name: String) -> ASCIISet? {
    let members = categories.filter { $0.names.contains(name) || $0.groups.contains(name) }
    return members.isEmpty ? nil : members.reduce(ASCIISet()) { $0.union($1.set) }
  }

  private static let categories: [(names: [String], groups: [String], set: ASCIISet)] = [
    (["Lu", "Uppercase_Letter"], ["LC", "Cased_Letter", "L", "Letter"], uppercase),
    (["Ll", "Lowercase_Letter"], ["LC", "Cased_Letter", "L", "Letter"], lowercase),
    (["Nd", "Decimal_Number", "digit"], ["N", "Number"], digits),
    (["Pc", "Connector_Punctuation"], punctuation, ASCIISet("_")),
    (["Pd", "Dash_Punctuation"], punctuation, ASCIISet("-")),
    (["Ps", "Open_Punctuation"], punctuation, ASCIISet("([{")),
    (["Pe", "Close_Punctuation"], punctuation, ASCIISet(")]}")),
    (["Po", "Other_Punctuation"], punctuation, ASCIISet("!\"#%&'*,./:;?@\\")),
    (["Sm", "Math_Symbol"], ["S", "Symbol"], ASCIISet("+<=>|~")),
    (["Sc", "Currency_Symbol"], ["S", "Symbol"], ASCIISet("$")),
    (["Sk", "Modifier_Symbol"], ["S", "Symbol"], ASCIISet("^`")),
    (["Zs", "Space_Separator"], ["Z", "Separator"], ASCIISet(" ")),
    (["Cc", "Control", "cntrl"], ["C", "Other"], ASCIISet(0...0x1F).union(ASCIISet(0x7F...0x7F))),
  ]
  private static let punctuation = ["P", "Punctuation", "punct"]

  private static let binaryProperties: [(names: [String], set: ASCIISet)] = [
    (["ASCII", "Any", "Assigned"], all),
    (["Alphabetic", "Alpha", "Cased", "Changes_When_Casemapped", "CWCM"], letters),
    (["ID_Start", "IDS", "XID_Start", "XIDS"], letters),
    (["ID_Continue", "IDC", "XID_Continue", "XIDC"], word),
    (["Uppercase", "Upper", "Changes_When_Lowercased", "CWL", "Changes_When_Casefolded", "CWCF"], uppercase),
    (["Changes_When_NFKC_Casefolded", "CWKCF"], uppercase),
    (["Lowercase", "Lower", "Changes_When_Uppercased", "CWU", "Changes_When_Titlecased", "CWT"], lowercase),
    (["ASCII_Hex_Digit", "AHex", "Hex_Digit", "Hex"], digits.union(ASCIISet("abcdefABCDEF"))),
    (["White_Space", "space", "Pattern_White_Space", "Pat_WS"], space),
    (["Emoji", "Emoji_Component", "EComp"], digits.union(ASCIISet("#*"))),
    (["Case_Ignorable", "CI"], ASCIISet("'.:^`")),
    (["Diacritic", "Dia"], ASCIISet("^`")),
    (["Dash"], ASCIISet("-")),
    (["Math"], ASCIISet("+<=>^|~")),
    (["Quotation_Mark", "QMark"], ASCIISet("\"'")),
    (["Terminal_Punctuation", "Term"], ASCIISet("!,.:;?")),
    (["Sentence_Terminal", "STerm"], ASCIISet("!.?")),
    (["Bidi_Mirrored", "Bidi_M"], ASCIISet("()<>[]{}")),
    (["Soft_Dotted", "SD"], ASCIISet("ij")),
    (["Grapheme_Base", "Gr_Base"], ASCIISet(0x20...0x7E)),
    (["Pattern_Syntax", "Pat_Syn"], ASCIISet(0x21...0x7E).subtracting(word)),
  ]
}
