internal import Bytes

/// A place in the text of a regular expression, of either dialect: what both readers do to the text before it means
/// something.
///
///     cursor.consume("(?")            // true, and the place is behind it
///     cursor.decimal(atMost: 65_536)  // `12` of `12,}`; the place is at the comma
///
/// Trap: a quantifier and an escape may turn out to be plain text. The reader keeps its place, and goes back to it.
protocol RegexCursor {
  var text: [UInt8] { get }
  var position: Int { get set }
}

extension RegexCursor {
  /// The byte at a distance from here; nil outside of the text.
  func peek(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return text.indices.contains(index) ? text[index] : nil
  }

  /// Whether the text goes on with a literal.
  func sees(_ literal: StaticString, at distance: Int = 0) -> Bool {
    let start = position + distance
    guard start + literal.utf8CodeUnitCount <= text.count else { return false }
    for index in 0..<literal.utf8CodeUnitCount where text[start + index] != literal.utf8Start[index] { return false }
    return true
  }

  /// Goes behind `literal` if it comes next.
  mutating func consume(_ literal: StaticString) -> Bool {
    guard sees(literal) else { return false }
    position += literal.utf8CodeUnitCount
    return true
  }

  /// Goes behind the next `end`, or to the end of the text.
  mutating func skip(past end: UInt8) {
    while let byte = peek() {
      position += 1
      if byte == end { return }
    }
  }

  /// The number that begins here, larger ones as `most`; nil without a digit.
  mutating func decimal(atMost most: Int) -> Int? {
    var value: Int?
    while let byte = peek(), ByteSet.digits.contains(byte) {
      value = min((value ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), most)
      position += 1
    }
    return value
  }

  /// The number of at most so many hexadecimal digits that begins here; nil without a digit.
  mutating func hexadecimal(atMost digits: Int) -> UInt32? {
    var value: UInt32?
    for _ in 0..<digits {
      guard let digit = peek()?.hexDigitValue else { break }
      value = (value ?? 0) << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
