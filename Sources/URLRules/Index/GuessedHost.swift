/// Where the host of a URL probably stands in its text, told before the URL is read: for what a wrong guess only slows down.
///
///     GuessedHost(of: "https://mail.contoso.com/x")     // 8..<24
///     GuessedHost(of: "https://a@b.example/")           // 8..<19, which is no host
///     GuessedHost(of: "mailto:a@contoso.com")           // nil
///
/// Trap: nothing may be concluded from it. Which host a URL has, only the parser says.
enum GuessedHost {
  /// More than any real host has.
  private static let longest = 256

  @inline(__always)
  static func range(in text: RawSpan) -> Range<Int>? {
    guard text.byteCount > 8 else { return nil }
    // "http", in the order of the bytes.
    guard text.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self) == 0x7074_7468 else { return nil }
    let isSecure = text.unsafeLoad(fromUncheckedByteOffset: 4, as: UInt8.self) == UInt8(ascii: "s")
    let start = isSecure ? 8 : 7
    var end = start
    while end < min(text.byteCount, longest) {
      let slashes = zeroBytes(text.word(at: end) ^ 0x2F2F_2F2F_2F2F_2F2F)
      if slashes != 0 { return start..<min(end &+ slashes.trailingZeroBitCount &>> 3, text.byteCount) }
      end &+= 8
    }
    return start..<min(end, text.byteCount)
  }

  /// The highest bit of each byte that is zero, and no other.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low) &+ low | word | low)
  }
}
