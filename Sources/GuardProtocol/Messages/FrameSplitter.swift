internal import CMemory

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

private func firstNUL(in buffer: Span<UInt8>, from start: Int, to end: Int) -> Int? {
  guard start < end else { return nil }
  let place = buffer.withUnsafeBufferPointer { cmemory_first_zero($0.baseAddress, start, end) }
  return place < end ? place : nil
}
