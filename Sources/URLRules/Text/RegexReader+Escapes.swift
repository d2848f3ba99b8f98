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
    case UInt8(ascii: "x"): return hexadecimal(start)
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
  private mutating func hexadecimal(_ start: Int) -> UInt8? {
    if peek() == UInt8(ascii: "{") {
      refuseBlanksInBraces(start)
      position += 1
      let value = hexadecimalDigits(atMost: 8)
      guard let value, peek() == UInt8(ascii: "}") else { return nil }
      position += 1
      return UInt8(exactly: value)
    }
    guard let value = hexadecimalDigits(atMost: 2) else {
      refuse(.bareHexadecimal, at: start)
      return nil
    }
    return UInt8(exactly: value)
  }

  private mutating func hexadecimalDigits(atMost limit: Int) -> Int? {
    var value: Int?
    for _ in 0..<limit {
      guard let digit = peek().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else { break }
      value = (value ?? 0) * 16 + digit
      position += 1
    }
    return value
  }

  /// Since 10.43 blanks are allowed inside the braces of escapes; before, the text meant something else.
  private mutating func refuseBlanksInBraces(_ start: Int) {
    guard peek() == UInt8(ascii: "{") else { return }
    for byte in bytes[position...] {
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
