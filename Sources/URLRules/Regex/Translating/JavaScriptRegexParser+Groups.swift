internal import Bytes

// Atoms and groups.
extension JavaScriptRegexParser {
  mutating func readAtom() throws(JavaScriptRegexError) -> Node {
    let start = position
    guard let byte = peek() else { return .sequence([]) }
    switch byte {
    case UInt8(ascii: "."):
      position += 1
      return .set(flags.dotTakesAll ? .ascii : ByteSet.ascii.subtracting(.lineEnds))
    case UInt8(ascii: "("): return try readGroup()
    case UInt8(ascii: "["): return try readClass()
    case UInt8(ascii: "\\"): return try readEscape()
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
      throw error("`\(Character(Unicode.Scalar(byte)))` repeats nothing", at: start)
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"):
      let character = Character(Unicode.Scalar(byte))
      throw error("`\(character)` stands alone; the character itself is `\\\(character)`", at: start)
    default:
      position += 1
      return single(UInt32(byte))
    }
  }

  /// One code point, in both cases when case is ignored.
  func single(_ codePoint: UInt32) -> Node { .set(expanded(folding(codePoint...codePoint))) }

  private mutating func readGroup() throws(JavaScriptRegexError) -> Node {
    let start = position
    if consume("(?<") { return try readNamedGroup(from: start) }
    if consume("(?") {
      let outer = flags
      flags = try readModifiers()
      let node = try readAlternatives()
      flags = outer
      try close(from: start)
      return node
    }
    position += 1
    return try readNumberedGroup(from: start)
  }

  private mutating func readNumberedGroup(from start: Int) throws(JavaScriptRegexError) -> Node {
    groupCount += 1
    guard groupCount <= Self.maximumGroups else {
      throw error("there are more than \(Self.maximumGroups) groups", at: start)
    }
    let number = groupCount
    let node = try readAlternatives()
    try close(from: start)
    return .group(number, node)
  }

  private mutating func readNamedGroup(from start: Int) throws(JavaScriptRegexError) -> Node {
    let name = try readName()
    guard namesInAlternative.insert(name).inserted else {
      throw error("the group name `\(name)` is used twice", at: start)
    }
    names[name, default: []].append(groupCount + 1)
    return try readNumberedGroup(from: start)
  }

  /// The name up to `>`.
  private mutating func readName() throws(JavaScriptRegexError) -> String {
    let start = position
    while let byte = peek(), ByteSet.word.contains(byte) || byte == UInt8(ascii: "$") { position += 1 }
    let name = String(decoding: text[start..<position], as: UTF8.self)
    guard let first = name.utf8.first, !ByteSet.digits.contains(first), consume(">") else {
      throw error("a group name is written `<name>`, of letters, digits, `_` and `$`", at: start)
    }
    return name
  }

  /// The modifiers between `(?` and `:`.
  private mutating func readModifiers() throws(JavaScriptRegexError) -> Flags {
    let start = position
    var result = flags
    var seen: [UInt8] = []
    var adds = true
    var removes = false
    while let byte = peek(), byte != UInt8(ascii: ":") {
      position += 1
      if byte == UInt8(ascii: "-"), adds {
        adds = false
        removes = true
        continue
      }
      guard !seen.contains(byte), result.set(byte, to: adds) else {
        throw error("`(?` begins `(?:…)`, a look ahead or behind, or flags as in `(?i:…)`", at: start)
      }
      seen.append(byte)
    }
    guard consume(":"), !removes || !seen.isEmpty else {
      throw error("`(?` begins `(?:…)`, a look ahead or behind, or flags as in `(?i:…)`", at: start)
    }
    return result
  }

  mutating func readReference(number: Int, from start: Int) throws(JavaScriptRegexError) -> Node {
    try add(Reference(number: number, name: "", offset: start))
  }

  private mutating func add(_ reference: Reference) throws(JavaScriptRegexError) -> Node {
    guard references.count < Self.maximumGroups else {
      throw error("there are more than \(Self.maximumGroups) references", at: reference.offset)
    }
    references.append(reference)
    return .reference(references.count - 1, ignoresCase: flags.ignoresCase)
  }

  /// The reference behind `\k`.
  mutating func readNamedReference(from start: Int) throws(JavaScriptRegexError) -> Node {
    guard consume("<") else { throw error("`\\k` is followed by a group name, as in `\\k<name>`", at: start) }
    return try add(Reference(number: nil, name: try readName(), offset: start))
  }
}

extension JavaScriptRegexParser.Flags {
  /// Sets the flag called `name`; false when there is none.
  fileprivate mutating func set(_ name: UInt8, to value: Bool) -> Bool {
    switch name {
    case UInt8(ascii: "i"): ignoresCase = value
    case UInt8(ascii: "m"): isMultiline = value
    case UInt8(ascii: "s"): dotTakesAll = value
    default: return false
    }
    return true
  }
}

// References, once all groups are known.
extension JavaScriptRegexParser {
  /// Groups that a reference from elsewhere would find filled in another way than in a browser.
  struct ReferenceFault {
    var groups: Range<Int>
    /// The references among them that see the same as in a browser.
    var exempt: Range<Int>
    var reason: String
  }

  var resolvedReferences: [[Int]] {
    references.map { reference in reference.number.map { [$0] } ?? names[reference.name] ?? [] }
  }

  func checkReferences() throws(JavaScriptRegexError) {
    for (index, groups) in resolvedReferences.enumerated() {
      let reference = references[index]
      guard !groups.isEmpty, groups.allSatisfy({ $0 <= groupCount }) else {
        let name = reference.number.map { String($0) } ?? reference.name
        throw error("there is no group `\(name)`", at: reference.offset)
      }
      for fault in faults where !fault.exempt.contains(index) && groups.contains(where: fault.groups.contains) {
        throw error("a reference to \(fault.reason) is not matched here", at: reference.offset)
      }
    }
  }
}

// Escapes, which a backslash begins.
extension JavaScriptRegexParser {
  /// An escape outside of a class.
  mutating func readEscape() throws(JavaScriptRegexError) -> Node {
    let start = position
    position += 1
    if let set = try readClassEscape(from: start) { return .set(expanded(set)) }
    if consume("k") { return try readNamedReference(from: start) }
    if let byte = peek(), (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte), let number = number() {
      return try readReference(number: number, from: start)
    }
    return single(try readCharacterEscape(from: start, alsoItself: ByteSet()))
  }

  /// `\d \D \s \S \w \W \p{…} \P{…}`, with the backslash read already; nil when something else comes.
  mutating func readClassEscape(from start: Int) throws(JavaScriptRegexError) -> ByteSet? {
    guard let letter = peek() else { throw error("`\\` at the end escapes nothing", at: start) }
    let set: ByteSet
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
  private mutating func readProperty(from start: Int) throws(JavaScriptRegexError) -> ByteSet {
    position += 1
    guard consume("{"), let end = text[position...].firstIndex(of: UInt8(ascii: "}")) else {
      throw error("`\\p` is followed by a property, as in `\\p{Lu}`", at: start)
    }
    let name = String(decoding: text[position..<end], as: UTF8.self)
    position = end + 1
    guard let set = ByteSet(unicodeProperty: name) else {
      throw error("the property `\(name)` is not known, or holds no ASCII character", at: start)
    }
    return set
  }

  /// The code point of a character escape, with the backslash read already. `alsoItself` are characters that stand for
  /// themselves beside the syntax characters.
  mutating func readCharacterEscape(from start: Int, alsoItself: ByteSet) throws(JavaScriptRegexError) -> UInt32 {
    guard let byte = peek() else { throw error("`\\` at the end escapes nothing", at: start) }
    position += 1
    switch byte {
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "v"): return 0x0B
    case UInt8(ascii: "0"):
      guard peek().map({ !ByteSet.digits.contains($0) }) ?? true else { break }
      return 0
    case UInt8(ascii: "c"):
      guard let letter = peek(), ByteSet.letters.contains(letter) else { break }
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
  private static let itself = ByteSet("^$\\.*+?()[]{}|/")

  private mutating func readHex(digits: Int) -> UInt32? {
    let start = position
    if let value = hexadecimal(atMost: digits), position == start + digits { return value }
    position = start
    return nil
  }

  /// The digits behind `\u`: four digits, two times four for a pair of surrogates, or digits in braces.
  private mutating func readUnicode() -> UInt32? {
    if consume("{") {
      var value: UInt32 = 0
      var count = 0
      while !sees("}") {
        guard let digit = readHex(digits: 1) else { return nil }
        value = min(value << 4 | digit, 0x11_0000)
        count += 1
      }
      position += 1
      return count > 0 && value <= 0x10_FFFF ? value : nil
    }
    guard let unit = readHex(digits: 4) else { return nil }
    guard (0xD800..<0xDC00).contains(unit), sees("\\u") else { return unit }
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
  func folding(_ range: ClosedRange<UInt32>) -> ByteSet {
    var set = ByteSet(codePoints: range)
    guard flags.ignoresCase else { return set }
    if range.contains(Self.longS) { set = set.union(ByteSet("s")) }
    if range.contains(Self.kelvin) { set = set.union(ByteSet("k")) }
    return set.folded
  }

  private static let longS: UInt32 = 0x17F
  private static let kelvin: UInt32 = 0x212A

  func complement(of set: ByteSet) -> ByteSet {
    let universe = flags.ignoresCase ? ByteSet.ascii.subtracting(.uppercase) : .ascii
    return universe.subtracting(set)
  }

  /// The characters that the set matches in a subject.
  func expanded(_ set: ByteSet) -> ByteSet { flags.ignoresCase ? set.caseless : set }
}
