// Classes of the `v` flag: nested, with operators, and with strings.
extension JavaScriptRegexParser {
  /// The members of a class, or of an operand in one.
  fileprivate struct ClassMembers {
    var set = ByteSet()
    /// Strings of no or several characters, as code points fold to; those with others than ASCII match nothing.
    var strings: Set<[UInt8]> = []
    /// Whether the text could hold strings, even if none are left of them: such a class cannot be negated.
    var mayHoldStrings = false
  }

  mutating func readClass() throws(JavaScriptRegexError) -> Node {
    let members = try readMembers(depth: 0)
    let set = Node.set(expanded(members.set))
    guard !members.strings.isEmpty else { return set }
    // The longest first, then single characters, then nothing.
    let strings = members.strings.sorted {
      $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count
    }
    var alternatives = strings.filter { !$0.isEmpty }.map(string)
    if !members.set.isEmpty { alternatives.append(set) }
    if members.strings.contains([]) { alternatives.append(.sequence([])) }
    return .alternatives(alternatives)
  }

  private func string(_ text: [UInt8]) -> Node {
    .sequence(text.map { .set(expanded(ByteSet($0...$0))) })
  }

  /// `[…]` with all that is in it.
  private mutating func readMembers(depth: Int) throws(JavaScriptRegexError) -> ClassMembers {
    let start = position
    guard depth < Self.maximumDepth else { throw error("classes are nested deeper than \(Self.maximumDepth)") }
    position += 1
    let isNegated = consume("^")
    var members = try readContents(depth: depth)
    guard consume("]") else { throw unexpectedInClass(from: start) }
    guard isNegated else { return members }
    if members.mayHoldStrings { throw error("a class with strings cannot be negated", at: start) }
    members.set = complement(of: members.set)
    return members
  }

  private func unexpectedInClass(from start: Int) -> JavaScriptRegexError {
    guard let byte = peek() else { return error("`[` is never closed", at: start) }
    let character = Character(Unicode.Scalar(byte))
    return error("`\(character)` has no meaning here; the character itself is `\\\(character)`")
  }

  private mutating func readContents(depth: Int) throws(JavaScriptRegexError) -> ClassMembers {
    guard peek() != UInt8(ascii: "]") else { return ClassMembers() }
    let first = try readOperand(depth: depth, allowsRange: true)
    if sees("--") || sees("&&") {
      if first.isRange { throw error("an operator stands between classes, not behind a range") }
      return try readOperation(on: first.members, depth: depth)
    }
    var members = first.members
    while let byte = peek(), byte != UInt8(ascii: "]") {
      if sees("--") || sees("&&") { throw mixture }
      members = members.union(try readOperand(depth: depth, allowsRange: true).members)
    }
    return members
  }

  /// Operands behind the first, all with the same operator.
  private mutating func readOperation(
    on first: ClassMembers, depth: Int
  ) throws(JavaScriptRegexError) -> ClassMembers {
    var members = first
    let isSubtraction = sees("--")
    while consume(isSubtraction ? "--" : "&&") {
      if !isSubtraction, sees("&") { throw unexpectedInClass(from: position) }
      let operand = try readOperand(depth: depth, allowsRange: false).members
      members = isSubtraction ? members.subtracting(operand) : members.intersection(operand)
    }
    if let byte = peek(), byte != UInt8(ascii: "]") { throw mixture }
    return members
  }

  private var mixture: JavaScriptRegexError { error("operators and plain members cannot be mixed in a class") }

  private struct Operand {
    var members: ClassMembers
    var isRange = false
  }

  private mutating func readOperand(depth: Int, allowsRange: Bool) throws(JavaScriptRegexError) -> Operand {
    if peek() == UInt8(ascii: "[") { return Operand(members: try readMembers(depth: depth + 1)) }
    let start = position
    if peek() == UInt8(ascii: "\\") {
      position += 1
      if consume("q") { return Operand(members: try readStrings(from: start)) }
      if let set = try readClassEscape(from: start) { return Operand(members: ClassMembers(set: set)) }
      position = start
    }
    let first = try readClassCharacter()
    guard allowsRange, peek() == UInt8(ascii: "-"), !sees("--") else {
      return Operand(members: ClassMembers(set: folding(first...first)))
    }
    position += 1
    let last = try readClassCharacter()
    guard first <= last else { throw error("the range is in the wrong order", at: start) }
    return Operand(members: ClassMembers(set: folding(first...last)), isRange: true)
  }

  /// One character of a class; the escape of a class is none.
  private mutating func readClassCharacter() throws(JavaScriptRegexError) -> UInt32 {
    let start = position
    guard let byte = peek() else { throw error("`[` is never closed") }
    if byte == UInt8(ascii: "\\") {
      position += 1
      if consume("b") { return 0x08 }
      return try readCharacterEscape(from: start, alsoItself: Self.reservedPunctuators)
    }
    guard !Self.classSyntax.contains(byte), !isDoublePunctuator else { throw unexpectedInClass(from: start) }
    position += 1
    return UInt32(byte)
  }

  private var isDoublePunctuator: Bool {
    guard let byte = peek(), peek(1) == byte else { return false }
    return Self.doublePunctuators.contains(byte)
  }

  private static let classSyntax = ByteSet("()[]{}/-\\|")
  private static let doublePunctuators = ByteSet("&!#$%*+,.:;<=>?@^`~")
  private static let reservedPunctuators = ByteSet("&-!#%,:;<=>@`~")

  /// `\q{…|…}`, with `\q` read already.
  private mutating func readStrings(from start: Int) throws(JavaScriptRegexError) -> ClassMembers {
    guard !flags.ignoresCase else {
      throw error("strings in a class are not matched here when case is ignored", at: start)
    }
    guard consume("{") else { throw error("`\\q` is followed by strings, as in `\\q{ab|c}`", at: start) }
    var members = ClassMembers()
    repeat {
      var string: [UInt8]? = []
      var count = 0
      while let byte = peek(), byte != UInt8(ascii: "|"), byte != UInt8(ascii: "}") {
        let codePoint = try readClassCharacter()
        count += 1
        let folded = folding(codePoint...codePoint).ranges.first?.lowerBound
        string = folded.flatMap { folded in string.map { $0 + [folded] } }
      }
      members.mayHoldStrings = members.mayHoldStrings || count != 1
      guard let string else { continue }
      if count == 1 {
        members.set.insert(string[0])
      } else {
        members.strings.insert(string)
      }
    } while consume("|")
    guard consume("}") else { throw error("`\\q{` is never closed", at: start) }
    return members
  }
}

extension JavaScriptRegexParser.ClassMembers {
  func union(_ other: Self) -> Self {
    Self(
      set: set.union(other.set), strings: strings.union(other.strings),
      mayHoldStrings: mayHoldStrings || other.mayHoldStrings)
  }

  func intersection(_ other: Self) -> Self {
    Self(
      set: set.intersection(other.set), strings: strings.intersection(other.strings),
      mayHoldStrings: mayHoldStrings && other.mayHoldStrings)
  }

  func subtracting(_ other: Self) -> Self {
    Self(
      set: set.subtracting(other.set), strings: strings.subtracting(other.strings), mayHoldStrings: mayHoldStrings)
  }
}
