/// One lexical token of a pattern string.
///
/// Source: URL Pattern Standard, section 2.1.1.
struct PatternToken: Equatable {
  enum Kind {
    /// `{`
    case open
    /// `}`
    case close
    /// `(…)`; the value is the text between the brackets.
    case regexp
    /// `:name`; the value is the name.
    case name
    case char
    /// `\x`; the value is the escaped character.
    case escapedChar
    /// `?` or `+`
    case otherModifier
    case asterisk
    case end
    /// A character that the lenient reading passes over.
    case invalidChar
  }

  var kind: Kind
  /// Start of the token, in code points.
  var index: Int
  var value: Range<Int>
}

/// A pattern string as the standard reads it: by code points.
struct PatternString {
  let scalars: [Unicode.Scalar]
  /// The byte offset of each code point, and the length.
  private let offsets: [Int]

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    var offsets = [0]
    for scalar in scalars { offsets.append(offsets[offsets.count - 1] + UTF8.width(scalar)) }
    self.offsets = offsets
  }

  func text(_ range: Range<Int>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[range])
    return text
  }

  /// The byte offset of the code point at `index`, for people.
  func byteOffset(of index: Int) -> Int { offsets[min(index, scalars.count)] }

  /// Whether the token at hand is the plain or escaped character `character`.
  func holds(_ token: PatternToken, _ character: Unicode.Scalar) -> Bool {
    token.value.count == 1 && scalars[token.value.lowerBound] == character
  }
}

extension Unicode.Scalar {
  /// Whether a group name may begin with it (JavaScript's IdentifierStart).
  var beginsName: Bool { properties.isIDStart || self == "$" || self == "_" }

  /// Whether a group name may hold it behind the first (JavaScript's IdentifierPart).
  var continuesName: Bool { properties.isIDContinue || self == "$" || self == "\u{200C}" || self == "\u{200D}" }
}
