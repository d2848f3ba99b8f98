/// Finds the frames in a growing buffer: each ends with a NUL.
///
///     var splitter = FrameSplitter()
///     splitter.next(in: "{}\0{".utf8.span)    // .frame(0..<2)
///     splitter.next(in: "{}\0{".utf8.span)    // .incomplete
///     splitter.discard()                      // 3: that many bytes at the front of the buffer are done with
///
/// Each byte is read once, however small the arriving pieces are, so a client that sends one byte at a time costs no
/// more than another. The splitter notices a frame over the maximum before it ends, and trusts nothing after it.
package struct FrameSplitter: Sendable {
  package enum Step: Sendable, Hashable {
    /// A whole frame: its range in the buffer, without its NUL.
    case frame(Range<Int>)
    /// The buffer holds no further whole frame.
    case incomplete
    /// A frame is longer than the maximum. The place of the next one is unknown: close the connection.
    case tooLong
  }

  /// The longest frame unless another maximum is given, in bytes without the NUL: 512 KiB (architecture, section 9).
  package static let defaultMaximumLength = 512 * 1024

  package let maximumLength: Int
  /// The start of the frame that has not ended yet.
  private var start = 0
  /// There is no NUL between `start` and here.
  private var scanned = 0
  private var isLost = false

  package init(maximumLength: Int = FrameSplitter.defaultMaximumLength) {
    self.maximumLength = max(maximumLength, 0)
  }

  /// A frame began and has not ended, in the bytes that `next` saw.
  package var isInsideFrame: Bool { scanned > start }

  /// The next frame in the buffer. The buffer holds the bytes of the last call, and perhaps more behind them.
  package mutating func next(in buffer: Span<UInt8>) -> Step {
    if isLost { return .tooLong }
    let end = min(buffer.count, start + maximumLength + 1)
    guard let terminator = firstNUL(in: buffer, from: scanned, to: end) else {
      scanned = max(scanned, end)
      isLost = scanned - start > maximumLength
      return isLost ? .tooLong : .incomplete
    }
    let frame = start..<terminator
    start = terminator + 1
    scanned = start
    return .frame(frame)
  }

  /// Number of bytes at the front of the buffer that belong to returned frames. The caller must drop exactly these.
  package mutating func discard() -> Int {
    let count = start
    scanned -= start
    start = 0
    return count
  }
}

/// 32 bytes at a time, then eight, after "Bit Twiddling Hacks", "Determine if a word has a zero byte".
private func firstNUL(in buffer: Span<UInt8>, from start: Int, to end: Int) -> Int? {
  let words = buffer.bytes
  var index = start
  while index + 32 <= end {
    let first = marks(in: words, at: index) | marks(in: words, at: index + 8)
    guard first | marks(in: words, at: index + 16) | marks(in: words, at: index + 24) == 0 else { break }
    index += 32
  }
  while index + 8 <= end {
    let marks = marks(in: words, at: index)
    if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < end {
    if buffer[index] == 0 { return index }
    index += 1
  }
  return nil
}

/// The high bit of each byte that is NUL. Bytes above the lowest NUL may be marked wrongly.
private func marks(in words: RawSpan, at index: Int) -> UInt64 {
  let word = UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  return (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
}
