/// Splits a pattern into the pieces that PCRE2 sees, and finds syntax that rules may not hold.
///
/// It knows the syntax of patterns for URLs. It marks any other as `isUnusual`, and its callers draw no conclusions
/// from such a pattern: giving up is always sound, a wrong reading never is.
///
/// Source: pcre2pattern(3), release 10.47 compared with 10.40.
struct RegexReader: RegexCursor {
  /// Options that change how a pattern is read; a group ends with those it began with.
  struct Options {
    var isCaseless = false
    var isExtended = false
  }

  let text: [UInt8]
  var position = 0
  var options = Options()
  var outer: [Options] = []
  /// Inside `\Q…\E`.
  private(set) var isQuoted = false
  /// Something in the pattern is not understood in full.
  var isUnusual = false
  /// A piece of the pattern keeps its text, though the match fails for it: `a++`, `(?>a+)`.
  var givesNothingBack = false
  /// The first thing that no rule may hold.
  private(set) var refusal: RegexError?

  init(_ pattern: String) { text = Array(pattern.utf8) }

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
    let start = position
    position += 1
    if let least = decimal(atMost: Self.mostRepeats) {
      let most = consume(",") ? decimal(atMost: Self.mostRepeats) : least
      if consume("}") { return RegexRepeat(least: least, most: most) }
    }
    position = start
    return nil
  }

  /// More than PCRE2 takes, which refuses the pattern.
  private static let mostRepeats = 100_000

  /// Whether the text behind a brace is a quantifier in some release: digits, a comma and blanks, with a digit.
  private func looksRepeated(from start: Int) -> Bool {
    var digits = 0
    var commas = 0
    for byte in text[start...] {
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

extension RegexReader {
  /// The class behind a `[`.
  mutating func characterClass() -> RegexToken {
    if sees("[:<:]]") || sees("[:>:]]") {
      position += 6
      return giveUp()
    }
    let isNegated = peek() == UInt8(ascii: "^")
    if isNegated { position += 1 }
    var set = ByteSet()
    var isFirst = true
    while let byte = peek() {
      if byte == UInt8(ascii: "]"), !isFirst {
        position += 1
        if options.isCaseless { set = set.caseless }
        return .bytes(isNegated ? set.inverted : set)
      }
      isFirst = false
      addMember(to: &set)
    }
    return giveUp()
  }

  /// Reads one member of a class, or a range of them.
  private mutating func addMember(to set: inout ByteSet) {
    if sees("\\Q") { return addQuoted(to: &set) }
    if sees("\\E") {
      isUnusual = true
      position += 2
      return
    }
    switch member() {
    case .set(let members):
      set = set.union(members)
      if peek() == UInt8(ascii: "-"), peek(1) != UInt8(ascii: "]") { isUnusual = true }
    case .byte(let first):
      guard peek() == UInt8(ascii: "-"), let behind = peek(1), behind != UInt8(ascii: "]") else {
        return set.insert(first)
      }
      position += 1
      guard !sees("\\Q"), !sees("\\E"), case .byte(let last) = member(), first <= last else {
        isUnusual = true
        return
      }
      set.insert(first...last)
    case .unusual: isUnusual = true
    }
  }

  private enum Member {
    case byte(UInt8)
    case set(ByteSet)
    case unusual
  }

  private mutating func member() -> Member {
    let start = position
    guard let byte = peek() else { return .unusual }
    position += 1
    if byte == UInt8(ascii: "["), let next = peek(), next == UInt8(ascii: ".") || next == UInt8(ascii: "=") {
      return .unusual
    }
    if byte == UInt8(ascii: "["), peek() == UInt8(ascii: ":") { return posixClass() }
    guard byte == UInt8(ascii: "\\") else { return .byte(byte) }
    guard let escaped = peek() else { return .unusual }
    position += 1
    if let set = Self.namedSet(escaped) { return .set(set) }
    if escaped == UInt8(ascii: "b") { return .byte(0x08) }
    return escapedByte(escaped, start).map(Member.byte) ?? .unusual
  }

  /// `[:digit:]`, read from its colon. Only the ASCII ones that are the same in every release and locale.
  private mutating func posixClass() -> Member {
    for (name, set) in Self.posixClasses where sees(name) {
      position += name.utf8CodeUnitCount
      return .set(set)
    }
    return .unusual
  }

  private static let posixClasses: [(StaticString, ByteSet)] = [
    (":digit:]", .digits), (":alpha:]", .letters), (":alnum:]", ByteSet.letters.union(.digits)),
    (":word:]", .word), (":space:]", .space),
    (":xdigit:]", ByteSet(0x30...0x39, 0x41...0x46, 0x61...0x66)),
    (":lower:]", ByteSet(0x61...0x7A)), (":upper:]", ByteSet(0x41...0x5A)),
    (":punct:]", ByteSet(0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E)),
  ]

  private mutating func addQuoted(to set: inout ByteSet) {
    position += 2
    while let byte = peek(), !sees("\\E") {
      set.insert(byte)
      position += 1
    }
    position += sees("\\E") ? 2 : 0
    if peek() == UInt8(ascii: "-") { isUnusual = true }
  }
}
