/// A seeded hash of byte strings, eight bytes at a step.
///
/// Names come from foreign lists, and hosts and URLs from pages: the two numbers are chosen at random once a process,
/// so that no author of them can choose colliding texts. No answer depends on them, since tables compare names in full.
///
/// Source: the folded multiplication of wyhash (Wang Yi, 2019), with a secret factor.
struct ByteHash: Sendable {
  let start: UInt64
  let factor: UInt64

  static let ofThisProcess = ByteHash(
    start: UInt64.random(in: 1 ... .max), factor: UInt64.random(in: 1 ... .max) | 0x8000_0000_0000_0001)

  /// The hash with eight more bytes.
  @inline(__always)
  func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }

  /// The hash with the last bytes of a text or of a label, fewer than eight, which stand in the lower part of `word`.
  @inline(__always)
  func finish(_ hash: UInt64, _ word: UInt64, count: Int) -> UInt64 {
    mix(hash, word | UInt64(truncatingIfNeeded: count &+ 1) &<< 56)
  }

  /// The hash of a whole text.
  func hash(_ text: RawSpan) -> UInt64 {
    var hash = start
    var place = 0
    while place &+ 8 <= text.byteCount {
      hash = mix(hash, text.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
      place &+= 8
    }
    var rest: UInt64 = 0
    for index in stride(from: text.byteCount &- 1, through: place, by: -1) {
      rest = rest &<< 8 | UInt64(text.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self))
    }
    return finish(hash, rest, count: text.byteCount &- place)
  }
}

extension RawSpan {
  /// Whether two spans hold the same bytes, eight at a step.
  @inline(__always)
  func equals(_ other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var place = 0
    while place &+ 8 <= byteCount {
      let word = unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
      guard word == other.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self) else { return false }
      place &+= 8
    }
    while place < byteCount {
      let byte = unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self)
      guard byte == other.unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self) else { return false }
      place &+= 1
    }
    return true
  }
}
