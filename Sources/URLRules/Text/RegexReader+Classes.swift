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
