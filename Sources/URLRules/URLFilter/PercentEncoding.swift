/// Bytes written as `%` and two hexadecimal digits.
enum PercentEncoding {
  /// The byte that is written at `index`; nil when none is.
  static func byte(in text: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < text.count, text[index] == UInt8(ascii: "%"), let high = digit(text[index + 1]),
      let low = digit(text[index + 2])
    else { return nil }
    return high << 4 | low
  }

  /// The text with every encoded byte undone that `isDecoded` takes.
  static func decode(_ text: [UInt8], where isDecoded: (UInt8) -> Bool) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < text.count {
      if let byte = byte(in: text, at: index), isDecoded(byte) {
        output.append(byte)
        index += 3
      } else {
        output.append(text[index])
        index += 1
      }
    }
    return output
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
