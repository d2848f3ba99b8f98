/// UTF-8 decode of the Encoding Standard, as far as the parser needs it: U+FFFD for every maximal broken part.
enum UTF8Repair {
  private static let replacement: StaticString = "\u{FFFD}"

  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    (try? UTF8Span(validating: bytes)) != nil
  }

  /// Replaces invalid UTF-8; a byte order mark is a character like any other.
  ///
  /// By hand, because `String(decoding:)` takes 8 us for every broken part: half a second for the longest URL.
  static func repair(_ bytes: inout [UInt8]) {
    if isValid(bytes.span) { return }
    let broken = bytes
    bytes.removeAll(keepingCapacity: true)
    var index = 0
    while index < broken.count {
      let (end, isWhole) = sequence(in: broken.span, from: index)
      if isWhole {
        bytes.append(copying: broken.span.extracting(index..<end))
      } else {
        bytes.append(replacement)
      }
      index = end
    }
  }

  /// The end of the character that begins at `start`, or of the part of one that is there.
  ///
  /// Source: Encoding Standard, section 8.1.1 (UTF-8 decoder).
  private static func sequence(in bytes: Span<UInt8>, from start: Int) -> (end: Int, isWhole: Bool) {
    let lead = bytes[start]
    let following: Int
    switch lead {
    case 0..<0x80: return (start + 1, true)
    case 0xC2...0xDF: following = 1
    case 0xE0...0xEF: following = 2
    case 0xF0...0xF4: following = 3
    default: return (start + 1, false)
    }
    var allowed = second(behind: lead)
    for index in start + 1...start + following {
      guard index < bytes.count, allowed.contains(bytes[index]) else { return (index, false) }
      allowed = 0x80...0xBF
    }
    return (start + following + 1, true)
  }

  /// Valid second bytes: no longer form than needed, no surrogate, nothing above U+10FFFF.
  private static func second(behind lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
