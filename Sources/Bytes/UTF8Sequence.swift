/// One scalar's bytes in UTF-8, or the bytes that one U+FFFD replaces.
public struct UTF8Sequence: Equatable {
  /// The scalar, or `nil` if the bytes are not UTF-8.
  public let scalar: UInt32?

  /// Number of bytes, at least one.
  public let length: Int

  /// The sequence that starts there.
  ///
  /// A wrong sequence is as long as its longest start that could have become right (Unicode 15, section 3.9, table 3-8;
  /// `String(decoding:)` does the same): `E2 82 41` is one wrong sequence of two bytes, then `A`.
  @inlinable public init(in bytes: Span<UInt8>, at start: Int) {
    let first = bytes[start]
    if first < 0x80 {
      self.init(scalar: UInt32(first), length: 1)
      return
    }
    guard let lead = Lead(first) else {
      self.init(scalar: nil, length: 1)
      return
    }
    var scalar = lead.bits
    var allowed = lead.second
    for offset in 1...lead.following {
      guard start + offset < bytes.count, allowed.contains(bytes[start + offset]) else {
        self.init(scalar: nil, length: offset)
        return
      }
      scalar = scalar << 6 | UInt32(bytes[start + offset] & 0x3F)
      allowed = 0x80...0xBF
    }
    self.init(scalar: scalar, length: lead.following + 1)
  }

  @inlinable init(scalar: UInt32?, length: Int) {
    self.scalar = scalar
    self.length = length
  }
}

/// The first byte of a sequence of several (Unicode 15, table 3-7).
@usableFromInline struct Lead {
  @usableFromInline let bits: UInt32
  @usableFromInline let following: Int
  @usableFromInline let second: ClosedRange<UInt8>

  @inlinable init?(_ byte: UInt8) {
    switch byte {
    case 0xC2...0xDF: following = 1
    case 0xE0...0xEF: following = 2
    case 0xF0...0xF4: following = 3
    default: return nil
    }
    bits = UInt32(byte) & (0x3F >> UInt32(following))
    second =
      switch byte {
      case 0xE0: 0xA0...0xBF
      case 0xED: 0x80...0x9F
      case 0xF0: 0x90...0xBF
      case 0xF4: 0x80...0x8F
      default: 0x80...0xBF
      }
  }
}
