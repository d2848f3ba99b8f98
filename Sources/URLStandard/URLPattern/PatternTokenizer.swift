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

/// Cuts a pattern string into tokens.
///
/// The strict reading throws at the first piece without meaning. The lenient one only finds the components of a
/// constructor string: it makes an `invalidChar` of such a piece and goes on behind it.
///
/// Source: URL Pattern Standard, section 2.1.2.
struct PatternTokenizer {
  private let input: PatternString
  private let isStrict: Bool
  private var index = 0
  private var tokens: [PatternToken] = []

  /// The tokens of `input`; the last is always `end`. The lenient reading never throws.
  static func tokens(of input: PatternString, isStrict: Bool) throws(URLPatternError) -> [PatternToken] {
    var tokenizer = PatternTokenizer(input: input, isStrict: isStrict)
    while tokenizer.index < input.scalars.count { try tokenizer.readToken() }
    tokenizer.add(.end, tokenizer.index..<tokenizer.index, next: tokenizer.index)
    return tokenizer.tokens
  }

  private init(input: PatternString, isStrict: Bool) {
    self.input = input
    self.isStrict = isStrict
  }

  private func scalar(at index: Int) -> Unicode.Scalar? { index < input.scalars.count ? input.scalars[index] : nil }

  private mutating func add(_ kind: PatternToken.Kind, _ value: Range<Int>, next: Int) {
    tokens.append(PatternToken(kind: kind, index: index, value: value))
    index = next
  }

  /// Adds a token of one code point.
  private mutating func addSingle(_ kind: PatternToken.Kind) { add(kind, index..<index + 1, next: index + 1) }

  /// Refuses the token that begins at `index`, or passes over it up to `next`.
  private mutating func refuse(_ problem: String, next: Int) throws(URLPatternError) {
    guard !isStrict else { throw URLPatternError(problem, offset: input.byteOffset(of: index)) }
    add(.invalidChar, index..<next, next: next)
  }

  private mutating func readToken() throws(URLPatternError) {
    switch input.scalars[index] {
    case "*": addSingle(.asterisk)
    case "+", "?": addSingle(.otherModifier)
    case "{": addSingle(.open)
    case "}": addSingle(.close)
    case "\\":
      guard index + 1 < input.scalars.count else {
        return try refuse("`\\` at the end escapes nothing", next: index + 1)
      }
      add(.escapedChar, index + 1..<index + 2, next: index + 2)
    case ":": try readName()
    case "(": try readRegexp()
    default: addSingle(.char)
    }
  }

  private mutating func readName() throws(URLPatternError) {
    let start = index + 1
    var end = start
    while let next = scalar(at: end), end == start ? next.beginsName : next.continuesName { end += 1 }
    guard end > start else {
      return try refuse("`:` begins a group, and no name follows; a colon is `\\:`", next: start)
    }
    add(.name, start..<end, next: end)
  }

  private mutating func readRegexp() throws(URLPatternError) {
    let start = index + 1
    switch endOfRegexp(from: start) {
    case .failure(let problem): try refuse(problem.text, next: start)
    case .success(let end): add(.regexp, start..<end, next: end + 1)
    }
  }

  private struct Problem: Error {
    let text: String
  }

  /// The index of the bracket that closes the one before `start`.
  private func endOfRegexp(from start: Int) -> Result<Int, Problem> {
    var depth = 1
    var position = start
    while let next = scalar(at: position) {
      guard next.isASCII else { return refusal("a regular expression in a pattern holds ASCII characters only") }
      if position == start, next == "?" { return refusal("a regular expression in a pattern cannot begin with `?`") }
      switch next {
      case "\\":
        guard let escaped = scalar(at: position + 1) else { return refusal("`(` is never closed") }
        guard escaped.isASCII else { return refusal("a regular expression in a pattern holds ASCII characters only") }
        position += 1
      case ")":
        depth -= 1
        if depth == 0 { return position > start ? .success(position) : refusal("`()` holds no regular expression") }
      case "(":
        depth += 1
        guard let inner = scalar(at: position + 1) else { return refusal("`(` is never closed") }
        guard inner == "?" else {
          return refusal("inside a regular expression, groups begin with `(?`, as in `(?:a|b)`")
        }
      default: break
      }
      position += 1
    }
    return refusal("`(` is never closed")
  }

  private func refusal(_ text: String) -> Result<Int, Problem> { .failure(Problem(text: text)) }
}
