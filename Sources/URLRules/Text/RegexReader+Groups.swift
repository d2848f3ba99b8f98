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
