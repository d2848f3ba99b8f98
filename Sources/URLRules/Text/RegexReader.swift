/// Splits a pattern into the pieces that PCRE2 sees, and finds what rules may not hold.
///
/// It knows the syntax that patterns for URLs are written in. Of the rest it says `isUnusual`, and nobody draws
/// conclusions from such a pattern: giving up is always sound, a wrong reading never is.
///
/// Source: pcre2pattern(3), release 10.47 compared with 10.40.
struct RegexReader {
  /// Options that change how a pattern is read; a group ends with those it began with.
  struct Options {
    var isCaseless = false
    var isExtended = false
  }

  let bytes: [UInt8]
  var position = 0
  var options = Options()
  var outer: [Options] = []
  /// Inside `\Q…\E`.
  private(set) var isQuoted = false
  /// Something in the pattern is not understood in full.
  var isUnusual = false
  /// A piece of the pattern keeps what it took, though the match fails for it: `a++`, `(?>a+)`.
  var givesNothingBack = false
  /// The first thing that no rule may hold.
  private(set) var refusal: RegexError?

  init(_ pattern: String) { bytes = Array(pattern.utf8) }

  /// The byte at a distance from here; nil outside of the pattern.
  func peek(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return bytes.indices.contains(index) ? bytes[index] : nil
  }

  /// Whether the text goes on with a literal.
  func sees(_ text: StaticString, at distance: Int = 0) -> Bool {
    let start = position + distance
    guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] { return false }
    return true
  }

  mutating func refuse(_ refused: RefusedSyntax, at offset: Int) {
    isUnusual = true
    if refusal == nil { refusal = RegexError(refused, offset: offset) }
  }

  mutating func giveUp() -> RegexToken {
    isUnusual = true
    return .unusual
  }

  /// The next piece; nil at the end.
  mutating func next() -> RegexToken? {
    skipIgnored()
    guard let byte = peek() else { return nil }
    position += 1
    if isQuoted { return literal(byte) }
    switch byte {
    case UInt8(ascii: "\\"): return escape()
    case UInt8(ascii: "["): return characterClass()
    case UInt8(ascii: "("): return group()
    case UInt8(ascii: ")"):
      options = outer.popLast() ?? options
      return .close
    case UInt8(ascii: "|"): return .bar
    case UInt8(ascii: "^"): return .start
    case UInt8(ascii: "$"): return .end
    case UInt8(ascii: "."): return .bytes(.all)
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): return giveUp()
    case UInt8(ascii: "{"):
      if looksRepeated(from: position) { refuse(.looseRepeat, at: position - 1) }
      return literal(byte)
    default: return literal(byte)
    }
  }

  func literal(_ byte: UInt8) -> RegexToken {
    let set = ByteSet(byte...byte)
    return .bytes(options.isCaseless ? set.caseless : set)
  }

  /// Steps over comments, the marks of quoting and, in extended mode, white space.
  mutating func skipIgnored() {
    while let byte = peek() {
      if sees("\\E") {
        isQuoted = false
        position += 2
      } else if isQuoted {
        return
      } else if sees("\\Q") {
        position += 2
        isQuoted = true
        if sees("\\E") { isUnusual = true }
      } else if sees("(?#") {
        skip(past: UInt8(ascii: ")"))
      } else if options.isExtended, byte == UInt8(ascii: "#") {
        skip(past: UInt8(ascii: "\n"))
      } else if options.isExtended, ByteSet.space.contains(byte) {
        position += 1
      } else {
        return
      }
    }
  }

  /// Steps behind the next `end`.
  mutating func skip(past end: UInt8) {
    while let byte = peek() {
      position += 1
      if byte == end { return }
    }
  }

  /// The quantifier of the piece just read.
  mutating func quantifier() -> RegexRepeat {
    skipIgnored()
    guard !isQuoted, let byte = peek(), let found = bounds(byte) else { return .once }
    if let mode = peek(), mode == UInt8(ascii: "?") || mode == UInt8(ascii: "+") {
      if mode == UInt8(ascii: "+") { givesNothingBack = true }
      position += 1
    }
    return found
  }

  private mutating func bounds(_ byte: UInt8) -> RegexRepeat? {
    switch byte {
    case UInt8(ascii: "*"):
      position += 1
      return RegexRepeat(least: 0, most: nil)
    case UInt8(ascii: "+"):
      position += 1
      return RegexRepeat(least: 1, most: nil)
    case UInt8(ascii: "?"):
      position += 1
      return RegexRepeat(least: 0, most: 1)
    case UInt8(ascii: "{"): return braces()
    default: return nil
    }
  }

  /// `{n}`, `{n,}` or `{n,m}`, and nothing else: other spellings are not quantifiers in every release.
  private mutating func braces() -> RegexRepeat? {
    var index = position + 1
    guard let least = number(&index) else { return nil }
    var found = RegexRepeat(least: least, most: least)
    if index < bytes.count, bytes[index] == UInt8(ascii: ",") {
      index += 1
      found.most = number(&index)
    }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "}") else { return nil }
    position = index + 1
    return found
  }

  /// The number at `index`, which moves behind it; nil without a digit.
  private func number(_ index: inout Int) -> Int? {
    var value: Int?
    while index < bytes.count, ByteSet.digits.contains(bytes[index]) {
      value = min((value ?? 0) * 10 + Int(bytes[index] - 0x30), 100_000)
      index += 1
    }
    return value
  }

  /// Whether the text behind a brace is a quantifier in some release: digits, a comma and blanks, with a digit.
  private func looksRepeated(from start: Int) -> Bool {
    var digits = 0
    var commas = 0
    for byte in bytes[start...] {
      switch byte {
      case UInt8(ascii: "}"): return digits > 0 && commas < 2
      case UInt8(ascii: ","): commas += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"): break
      default:
        guard ByteSet.digits.contains(byte) else { return false }
        digits += 1
      }
    }
    return false
  }
}
