/// The bytes of a text that are looked at to find literals of a length: windows of some width, one at every few places.
///
///     LiteralWindow(literalLength: 9)     // 6 bytes, at every second place
///     LiteralWindow(literalLength: 4)     // 4 bytes, at every place
///
/// A search looks only at every few places, a step apart. With steps of n bytes, one of any n windows in a row begins
/// at such a place, wherever the literal stands. A literal is filed under n windows, and must be long enough for them.
struct LiteralWindow: Sendable, Hashable {
  /// Number of bytes of a window: 1 to 6.
  let width: Int
  /// Windows are looked at where a multiple of this many bytes lies before them.
  let step: Int
  /// The bits of a word that belong to the window.
  let mask: UInt64

  /// The widest window and the longest step that such literals have room for; wide ones are in few texts.
  init(literalLength: Int) {
    switch literalLength {
    case 7...: (width, step) = (6, 2)
    case 5...6: (width, step) = (4, 2)
    default: (width, step) = (max(1, literalLength), 1)
    }
    mask = UInt64.max >> UInt64(64 - 8 * width)
  }

  /// All that there are, the narrow ones first.
  static let all = [1, 2, 3, 4, 5, 7].map { LiteralWindow(literalLength: $0) }

  /// Sets in every byte the bit that tells small letters from capital ones.
  static let fold: UInt64 = 0x2020_2020_2020_2020

  /// The window that a literal holds at a place, the first byte lowest.
  func value(of literal: [UInt8], at start: Int) -> UInt64 {
    literal[start..<start + width].reversed().reduce(0) { $0 << 8 | UInt64($1) } | Self.fold & mask
  }

  /// Its high bits choose a slot, those below them a word of the filter and the bits there.
  @inline(__always)
  static func hash(_ window: UInt64) -> UInt64 { window &* 0x9E37_79B9_7F4A_7C15 }
}

extension RawSpan {
  /// The eight bytes from a place on, the first one lowest; zeroes stand for places behind the text.
  @inline(__always)
  func word(at place: Int) -> UInt64 {
    if place &+ 8 <= byteCount { return unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) }
    var word: UInt64 = 0
    for index in stride(from: byteCount &- 1, through: place, by: -1) {
      word = word &<< 8 | UInt64(unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self))
    }
    return word
  }
}
