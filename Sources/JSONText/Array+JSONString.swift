extension [UInt8] {
  /// Appends the text as a JSON string, quotes included.
  ///
  /// Runs that need no escape are found eight bytes at a time and copied whole.
  mutating func appendQuoted(_ text: Span<UInt8>, escaping: JSONEscaping) {
    append(UInt8(ascii: "\""))
    var copied = 0
    var index = 0
    while true {
      index = plainRunEnd(in: text, from: index)
      guard index < text.count else { break }
      let sequence = UTF8Sequence(in: text, at: index)
      if let scalar = sequence.scalar, !escaping.escapes(scalar) {
        index += sequence.length
        continue
      }
      append(text.extracting(copied..<index))
      appendEscape(sequence.scalar)
      index += sequence.length
      copied = index
    }
    append(text.extracting(copied..<text.count))
    append(UInt8(ascii: "\""))
  }

  private mutating func append(_ text: Span<UInt8>) {
    text.withUnsafeBufferPointer { append(contentsOf: $0) }
  }

  /// No scalar stands for bytes that are not UTF-8. All scalars that are escaped lie in the Basic Multilingual Plane.
  private mutating func appendEscape(_ scalar: UInt32?) {
    guard let scalar else { return append(contentsOf: "\u{FFFD}".utf8) }
    append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: append(UInt8(truncatingIfNeeded: scalar))
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append(UInt8(ascii: "u"))
      for digit: UInt32 in 1...4 { append(hexDigit(scalar >> (16 - 4 * digit) & 0xF)) }
    }
  }
}

private func hexDigit(_ value: UInt32) -> UInt8 {
  UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
}

/// Where the next byte stands that is not plain ASCII, or the end.
private func plainRunEnd(in text: Span<UInt8>, from start: Int) -> Int {
  var index = start
  let words = text.bytes
  while index + 8 <= text.count {
    let word = UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    let marks = marksOfSpecialBytes(in: word)
    if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < text.count, isPlain(text[index]) { index += 1 }
  return index
}

private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// The high bit of each byte that is not plain ASCII. A byte above the lowest such byte may be marked wrongly, because
/// the subtractions borrow: only the lowest mark counts. After "Bit Twiddling Hacks", "Determine if a word has a byte
/// less than n".
private func marksOfSpecialBytes(in word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quotes = word ^ (ones &* 0x22)
  let backslashes = word ^ (ones &* 0x5C)
  let deletes = word ^ (ones &* 0x7F)
  let controls = (word &- ones &* 0x20) & ~word
  let equals = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (deletes &- ones) & ~deletes
  return (word | controls | equals) & (ones &* 0x80)
}
