// Escapes, which a backslash begins.
extension JavaScriptRegexParser {
  /// An escape outside of a class.
  mutating func readEscape() throws(JavaScriptRegexError) -> Node {
    let start = position
    position += 1
    if let set = try readClassEscape(from: start) { return .set(expanded(set)) }
    if consume("k") { return try readNamedReference(from: start) }
    if let byte = next, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte), let number = number() {
      return try readReference(number: number, from: start)
    }
    return single(try readCharacterEscape(from: start, alsoItself: ASCIISet()))
  }

  /// `\d \D \s \S \w \W \p{…} \P{…}`, with the backslash read already; nil when something else comes.
  mutating func readClassEscape(from start: Int) throws(JavaScriptRegexError) -> ASCIISet? {
    guard let letter = next else { throw error("`\\` at the end escapes nothing", at: start) }
    let set: ASCIISet
    switch letter | 0x20 {
    case UInt8(ascii: "d"): set = .digits
    case UInt8(ascii: "s"): set = .space
    case UInt8(ascii: "w"): set = .word
    case UInt8(ascii: "p"): set = try readProperty(from: start)
    default: return nil
    }
    if letter | 0x20 != UInt8(ascii: "p") { position += 1 }
    let folded = flags.ignoresCase ? set.folded : set
    return letter & 0x20 == 0 ? complement(of: folded) : folded
  }

  /// `p{…}` or `P{…}`.
  private mutating func readProperty(from start: Int) throws(JavaScriptRegexError) -> ASCIISet {
    position += 1
    guard consume("{"), let end = text[position...].firstIndex(of: UInt8(ascii: "}")) else {
      throw error("`\\p` is followed by a property, as in `\\p{Lu}`", at: start)
    }
    let name = String(decoding: text[position..<end], as: UTF8.self)
    position = end + 1
    guard let set = ASCIISet(unicodeProperty: name) else {
      throw error("the property `\(name)` is not known, or holds no ASCII character", at: start)
    }
    return set
  }

  /// The code point of a character escape, with the backslash read already. `alsoItself` are characters that stand for
  /// themselves beside the syntax characters.
  mutating func readCharacterEscape(from start: Int, alsoItself: ASCIISet) throws(JavaScriptRegexError) -> UInt32 {
    guard let byte = next else { throw error("`\\` at the end escapes nothing", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "v"): return 0x0B
    case UInt8(ascii: "0"):
      guard next.map({ !ASCIISet.digits.contains($0) }) ?? true else { break }
      return 0
    case UInt8(ascii: "c"):
      guard let letter = next, ASCIISet.letters.contains(letter) else { break }
      position += 1
      return UInt32(letter & 0x1F)
    case UInt8(ascii: "x"):
      guard let value = readHex(digits: 2) else { break }
      return value
    case UInt8(ascii: "u"):
      guard let value = readUnicode() else { break }
      return value
    default:
      guard Self.itself.union(alsoItself).contains(byte) else { break }
      return UInt32(byte)
    }
    let escape = String(decoding: text[start..<min(start + 2, text.count)], as: UTF8.self)
    throw error("`\(escape)` is not an escape of regular expressions of the web", at: start)
  }

  /// The syntax characters and the slash.
  private static let itself = ASCIISet("^$\\.*+?()[]{}|/")

  private mutating func readHex(digits: Int) -> UInt32? {
    guard position + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[position..<position + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    position += digits
    return value
  }

  /// The digits behind `\u`: four digits, two times four for a pair of surrogates, or digits in braces.
  private mutating func readUnicode() -> UInt32? {
    if consume("{") {
      var value: UInt32 = 0
      var count = 0
      while !starts(with: "}") {
        guard let digit = readHex(digits: 1) else { return nil }
        value = min(value << 4 | digit, 0x11_0000)
        count += 1
      }
      position += 1
      return count > 0 && value <= 0x10_FFFF ? value : nil
    }
    guard let unit = readHex(digits: 4) else { return nil }
    guard (0xD800..<0xDC00).contains(unit), starts(with: "\\u") else { return unit }
    let behind = position
    position += 2
    if let low = readHex(digits: 4), (0xDC00..<0xE000).contains(low) {
      return 0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    position = behind
    return unit
  }
}

// Case: with the flags `vi` a set is held in lower case, and both cases are added where it is matched.
extension JavaScriptRegexParser {
  /// The ASCII characters that a range of code points stands for. Two others fold to ASCII letters.
  func folding(_ range: ClosedRange<UInt32>) -> ASCIISet {
    var set = ASCIISet(range)
    guard flags.ignoresCase else { return set }
    if range.contains(Self.longS) { set = set.union(ASCIISet("s")) }
    if range.contains(Self.kelvin) { set = set.union(ASCIISet("k")) }
    return set.folded
  }

  private static let longS: UInt32 = 0x17F
  private static let kelvin: UInt32 = 0x212A

  func complement(of set: ASCIISet) -> ASCIISet {
    let universe = flags.ignoresCase ? ASCIISet.all.subtracting(.uppercase) : .all
    return universe.subtracting(set)
  }

  /// The characters that the set matches in a subject.
  func expanded(_ set: ASCIISet) -> ASCIISet { flags.ignoresCase ? set.inBothCases : set }
}
