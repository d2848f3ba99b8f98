internal import Digests

/// The SHA-256 of one line of the log, without its newline.
///
/// The zero value stands before the first record.
package struct LineHash: Sendable, Hashable {
  private var digest = SHA256Digest()

  /// 64 zeros: the previous hash in the first record of a log.
  package static let zero = LineHash()

  /// Hexadecimal digits of a hash: two for each of its 32 bytes.
  static let hexCount = 64

  private init() {}

  /// The hash of a line, given without its newline.
  package init(of line: Span<UInt8>) {
    self.init(SHA256.digest(of: line))
  }

  init(_ digest: SHA256Digest) { self.digest = digest }

  /// The hash written as 64 lower-case hexadecimal digits; nil for anything else, upper case included, since one hash
  /// has one spelling.
  package init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == Self.hexCount else { return nil }
    var words = InlineArray<4, UInt64>(repeating: 0)
    for index in words.indices {
      var word: UInt64 = 0
      let start = 16 * index
      for digit in digits[start..<start + 16] {
        guard let value = lowerCaseHexValue(digit) else { return nil }
        word = word << 4 | UInt64(value)
      }
      words[index] = word
    }
    digest = SHA256Digest(words: words)
  }

  /// The hash as 64 lower-case hexadecimal digits.
  package var hex: String { digest.hex }

  /// Appends the 64 digits.
  func appendHex(to bytes: inout [UInt8]) {
    for word in 0..<4 { appendLowerCaseHex(digest[word: word], to: &bytes) }
  }
}

/// Appends all lower-case hexadecimal digits of a word, leading zeros included.
func appendLowerCaseHex<Word: FixedWidthInteger & UnsignedInteger>(_ word: Word, to bytes: inout [UInt8]) {
  var shift = Word.bitWidth
  while shift > 0 {
    shift -= 4
    let digit = UInt8(truncatingIfNeeded: word >> Word(shift) & 15)
    bytes.append(digit < 10 ? 48 + digit : 87 + digit)
  }
}

private func lowerCaseHexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 48...57: digit - 48
  case 97...102: digit - 87
  default: nil
  }
}
