/// Host names that are written as the URL parser would write them, so that nothing has to be changed or made.
///
///     PlainHost.isPlain("ads.example")     // true
///     PlainHost.isPlain("Ads.example.")    // false: it is a name, but has to be rewritten
///     PlainHost.isPlain("10.0.0.1")        // false: whether that is an address is decided elsewhere
enum PlainHost {
  /// Whether `text` is labels of lower-case letters, digits, `-` and `_` with dots between them, within the limits,
  /// and its last label cannot be a number (URL Standard, section 3.5, ends in a number checker).
  @inline(__always)
  static func isPlain(_ text: Span<UInt8>) -> Bool {
    guard let last = lastLabel(of: text) else { return false }
    return !text[last].isDecimalDigit
  }

  /// The start of the last label; nil when the labels are not plain.
  @inline(__always)
  static func lastLabel(of text: Span<UInt8>) -> Int? {
    guard text.count <= ListLimits.maximumHostLength else { return nil }
    var labelStart = 0
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        guard isLabelLength(index - labelStart) else { return nil }
        labelStart = index + 1
      } else if !byte.isPlainHostByte {
        return nil
      }
    }
    return isLabelLength(text.count - labelStart) ? labelStart : nil
  }

  @inline(__always)
  private static func isLabelLength(_ length: Int) -> Bool {
    length > 0 && length <= ListLimits.maximumLabelLength
  }
}

extension UInt8 {
  /// A lower-case letter, a digit, `-` or `_`.
  @inline(__always)
  var isPlainHostByte: Bool {
    // One bit for each of the first 128 bytes.
    let set: UInt64 = self < 64 ? 0x03FF_2000_0000_0000 : 0x07FF_FFFE_8000_0000
    return self < 128 && set >> UInt64(self & 63) & 1 == 1
  }

  /// A space or a tab.
  var isBlank: Bool { self == 0x20 || self == .tab }
}
