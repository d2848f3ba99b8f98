internal import Digests

/// The SHA-256 of one line of the log, without its newline.
///
/// Four words instead of an array, so that handing it around allocates nothing. The zero value stands before the first
/// record.
package struct LineHash: Sendable, Hashable {
  private var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))

  /// 64 zeros: what the first record of a log names as the line before it.
  package static let zero = LineHash()

  /// Hexadecimal digits of a hash: two for each of its 32 bytes.
  static let hexCount = 64

  private init() {}

  /// The hash of a line, given without its newline.
  package init(of line: Span<UInt8>) {
    self.init(SHA256.digest(of: line))
  }

  init(_ digest: SHA256Digest) {
    words = (digest[word: 0], digest[word: 1], digest[word: 2], digest[word: 3])
  }

  /// The hash written as 64 lower-case hexadecimal digits; nil for anything else, upper case included, since one hash
  /// has one spelling.
  package init?(hex: String) {
    let digits = Array(hex.utf8)
    guard digits.count == Self.hexCount else { return nil }
    var parts: [UInt64] = []
    for start in stride(from: 0, to: Self.hexCount, by: 16) {
      var word: UInt64 = 0
      for digit in digits[start..<start + 16] {
        guard let value = lowerCaseHexValue(digit) else { return nil }
        word = word << 4 | UInt64(value)
      }
      parts.append(word)
    }
    words = (parts[0], parts[1], parts[2], parts[3])
  }

  /// The hash as 64 lower-case hexadecimal digits.
  package var hex: String {
    var bytes: [UInt8] = []
    appendHex(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 64 digits.
  func appendHex(to bytes: inout [UInt8]) {
    appendLowerCaseHex(words.0, to: &bytes)
    appendLowerCaseHex(words.1, to: &bytes)
    appendLowerCaseHex(words.2, to: &bytes)
    appendLowerCaseHex(words.3, to: &bytes)
  }

  package static func == (left: LineHash, right: LineHash) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
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
