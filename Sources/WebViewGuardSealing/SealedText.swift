/// Envelopes in base64 with padding (RFC 4648, section 4), for places that take text only.
enum SealedText {
  private static let prefix = Array("iVdWRzENCh".utf8)
  /// A text is an envelope, if only a damaged one, that agrees in so many of the first characters.
  private static let nearly = 6
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The bytes of a text that is an envelope; nil for any other text.
  static func envelope(_ text: String) throws(SealingError) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard !characters.isEmpty else { throw SealingError(.emptyData) }
    guard zip(characters, prefix).count(where: { $0 == $1 }) >= nearly else { return nil }
    guard let bytes = bytes(characters), bytes.starts(with: SealedFormat.magic) else {
      throw .damaged("it is no canonical base64")
    }
    return bytes
  }

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for offset in 0..<3 { bits = bits << 8 | (offset < part.count ? UInt32(part[start + offset]) : 0) }
      for place in 0..<4 {
        text.append(place <= part.count ? alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for anything but canonical base64: other characters, missing padding, unused bits that are not zero.
  private static func bytes(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padded = text.reversed().prefix(2).prefix { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for (place, character) in text.enumerated() {
      if place >= text.count - padded {
        bits <<= 6
      } else {
        guard let value = values[Int(character)] else { return nil }
        bits = bits << 6 | UInt32(value)
      }
      guard place % 4 == 3 else { continue }
      bytes += [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
      bits = 0
    }
    guard bytes.suffix(padded).allSatisfy({ $0 == 0 }) else { return nil }
    bytes.removeLast(padded)
    return bytes
  }

  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
