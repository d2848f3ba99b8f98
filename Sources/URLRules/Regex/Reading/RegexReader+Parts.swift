internal import Bytes

extension RegexReader {
  /// PCRE2 before 10.44 takes no longer name of a group.
  private static let longestName = 32

  /// The group that a `(` begins; comments were stepped over before.
  mutating func group() -> RegexToken {
    let start = position - 1
    if peek() == UInt8(ascii: "*") {
      refuse(.verb, at: start)
      return open(.unusual)
    }
    guard peek() == UInt8(ascii: "?") else { return open(.consuming) }
    position += 1
    guard let kind = peek() else { return giveUp() }
    switch kind {
    case UInt8(ascii: ":"): return open(.consuming, behind: 1)
    case UInt8(ascii: ">"):
      givesNothingBack = true
      return open(.consuming, behind: 1)
    case UInt8(ascii: "="), UInt8(ascii: "!"):
      return open(.look(isBehind: false, isDenied: kind == UInt8(ascii: "!")), behind: 1)
    case UInt8(ascii: "<"): return behindLess(start)
    case UInt8(ascii: "'"): return named(behind: 1, until: UInt8(ascii: "'"), start)
    case UInt8(ascii: "P") where peek(1) == UInt8(ascii: "<"): return named(behind: 2, until: UInt8(ascii: ">"), start)
    case UInt8(ascii: "("): return condition(start)
    case UInt8(ascii: "C"):
      refuse(.callout, at: start)
      return open(.unusual)
    case UInt8(ascii: "["):
      refuse(.extendedClass, at: start)
      return open(.unusual)
    case UInt8(ascii: "|"), UInt8(ascii: "*"): return open(.unusual, behind: 1)
    default: return isReference(kind) ? recursion(start) : optionSetting(start)
    }
  }

  private mutating func open(_ group: RegexToken.Group, behind count: Int = 0) -> RegexToken {
    position += count
    outer.append(options)
    if group == .unusual { isUnusual = true }
    return .open(group)
  }

  private mutating func behindLess(_ start: Int) -> RegexToken {
    switch peek(1) {
    case UInt8(ascii: "="): open(.look(isBehind: true, isDenied: false), behind: 2)
    case UInt8(ascii: "!"): open(.look(isBehind: true, isDenied: true), behind: 2)
    case UInt8(ascii: "*"): open(.unusual, behind: 2)
    default: named(behind: 1, until: UInt8(ascii: ">"), start)
    }
  }

  private mutating func named(behind count: Int, until end: UInt8, _ start: Int) -> RegexToken {
    position += count
    let name = position
    skip(past: end)
    if position - name - 1 > Self.longestName { refuse(.longName, at: start) }
    return open(.consuming)
  }

  /// `(?(1)…)`, `(?(<name>)…)`, `(?(?=…)…)`. One that asks for the release makes two patterns of one.
  private mutating func condition(_ start: Int) -> RegexToken {
    if sees("(VERSION") { refuse(.version, at: start) }
    let isAssertion = peek(1) == UInt8(ascii: "?") || peek(1) == UInt8(ascii: "*")
    let token = open(.unusual)
    if !isAssertion { skip(past: UInt8(ascii: ")")) }
    return token
  }

  /// `(?R)`, `(?1)`, `(?+1)`, `(?-1)`, `(?&name)`, `(?P>name)`, `(?P=name)`.
  private func isReference(_ kind: UInt8) -> Bool {
    switch kind {
    case UInt8(ascii: "R"), UInt8(ascii: "&"), UInt8(ascii: "P"), UInt8(ascii: "+"): true
    case UInt8(ascii: "-"): peek(1).map(ByteSet.digits.contains) ?? false
    default: ByteSet.digits.contains(kind)
    }
  }

  private mutating func recursion(_ start: Int) -> RegexToken {
    while let byte = peek(), byte != UInt8(ascii: ")") {
      if byte == UInt8(ascii: "(") { refuse(.returnedGroups, at: start) }
      position += 1
    }
    position += 1
    return giveUp()
  }

  /// `(?i)` for the rest of the group, or `(?i:` for a group of its own.
  private mutating func optionSetting(_ start: Int) -> RegexToken {
    var changed = options
    var isOn = true
    while let letter = peek() {
      position += 1
      switch letter {
      case UInt8(ascii: ")"):
        options = changed
        return .option
      case UInt8(ascii: ":"):
        let token = open(.consuming)
        options = changed
        return token
      case UInt8(ascii: "-"): isOn = false
      case UInt8(ascii: "i"): changed.isCaseless = isOn
      case UInt8(ascii: "x"):
        if peek() == UInt8(ascii: "x") { isUnusual = true }
        changed.isExtended = isOn
      case UInt8(ascii: "s"), UInt8(ascii: "m"): break
      case UInt8(ascii: "^"):
        isUnusual = true
        changed = Options()
      case UInt8(ascii: "n"), UInt8(ascii: "J"), UInt8(ascii: "U"): isUnusual = true
      case UInt8(ascii: "a"), UInt8(ascii: "r"):
        refuse(.newOption, at: start)
        isUnusual = true
      default: return giveUp()
      }
    }
    return giveUp()
  }
}

extension RegexReader {
  /// The piece behind a backslash.
  mutating func escape() -> RegexToken {
    let start = position - 1
    guard let byte = peek() else { return giveUp() }
    position += 1
    if let set = Self.namedSet(byte) { return .bytes(set) }
    switch byte {
    case UInt8(ascii: "A"): return .start
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): return .end
    case UInt8(ascii: "b"), UInt8(ascii: "B"): return .border(isDenied: byte == UInt8(ascii: "B"))
    case UInt8(ascii: "N"):
      if sees("{U+") { refuse(.unicode, at: start) }
      return .bytes(ByteSet(0x0A...0x0A).inverted)
    case UInt8(ascii: "g"), UInt8(ascii: "k"): return reference(start)
    default: return escapedByte(byte, start).map(literal) ?? giveUp()
    }
  }

  /// The one byte that an escape stands for, inside a class as well; nil when it is something else.
  mutating func escapedByte(_ byte: UInt8, _ start: Int) -> UInt8? {
    switch byte {
    case UInt8(ascii: "a"): return 0x07
    case UInt8(ascii: "e"): return 0x1B
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "x"): return hexadecimalByte(start)
    case UInt8(ascii: "c"): position += 1
    case UInt8(ascii: "o"):
      refuseBlanksInBraces(start)
      skip(past: UInt8(ascii: "}"))
    case UInt8(ascii: "C"): refuse(.anyCodeUnit, at: start)
    case UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "X"): refuse(.unicode, at: start)
    default: return ByteSet.digits.union(.letters).contains(byte) ? nil : byte
    }
    return nil
  }

  /// `\d`, `\W` and their like.
  static func namedSet(_ byte: UInt8) -> ByteSet? {
    switch byte {
    case UInt8(ascii: "d"): .digits
    case UInt8(ascii: "D"): ByteSet.digits.inverted
    case UInt8(ascii: "w"): .word
    case UInt8(ascii: "W"): ByteSet.word.inverted
    case UInt8(ascii: "s"): .space
    case UInt8(ascii: "S"): ByteSet.space.inverted
    case UInt8(ascii: "h"): .horizontalSpace
    case UInt8(ascii: "H"): ByteSet.horizontalSpace.inverted
    case UInt8(ascii: "v"): .verticalSpace
    case UInt8(ascii: "V"): ByteSet.verticalSpace.inverted
    default: nil
    }
  }

  /// `\x4F` or `\x{4F}`. A bare `\x` is NUL before 10.45 and an error since.
  private mutating func hexadecimalByte(_ start: Int) -> UInt8? {
    if peek() == UInt8(ascii: "{") {
      refuseBlanksInBraces(start)
      position += 1
      let value = hexadecimal(atMost: 8)
      guard let value, peek() == UInt8(ascii: "}") else { return nil }
      position += 1
      return UInt8(exactly: value)
    }
    guard let value = hexadecimal(atMost: 2) else {
      refuse(.bareHexadecimal, at: start)
      return nil
    }
    return UInt8(exactly: value)
  }

  /// Since 10.43 blanks are allowed inside the braces of escapes; before, the text meant something else.
  private mutating func refuseBlanksInBraces(_ start: Int) {
    guard peek() == UInt8(ascii: "{") else { return }
    for byte in text[position...] {
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { refuse(.blanksInBraces, at: start) }
      if byte == UInt8(ascii: "}") { return }
    }
  }

  /// `\g{1}`, `\g<name>`, `\k{name}`: the text of an earlier group, or that group again.
  private mutating func reference(_ start: Int) -> RegexToken {
    refuseBlanksInBraces(start)
    switch peek() {
    case UInt8(ascii: "{"): skip(past: UInt8(ascii: "}"))
    case UInt8(ascii: "<"): skip(past: UInt8(ascii: ">"))
    case UInt8(ascii: "'"):
      position += 1
      skip(past: UInt8(ascii: "'"))
    default: break
    }
    return giveUp()
  }
}
