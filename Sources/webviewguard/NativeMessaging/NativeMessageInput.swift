internal import Glibc

/// The messages that a browser sends to its native-messaging host: four bytes of length in the machine's order, then
/// so many bytes of JSON (Chromium: "Native messaging", protocol; MDN: "Native messaging").
///
///     var input = NativeMessageInput()
///     input.append([2, 0, 0, 0, 0x7B, 0x7D].span)
///     input.next()    // .message([0x7B, 0x7D])
///     input.next()    // .incomplete
///
/// A message over the maximum is passed over byte by byte and never held, so that the next one is still found.
package struct NativeMessageInput {
  /// What comes next among the bytes.
  package enum Step: Equatable {
    /// One whole message.
    case message([UInt8])
    /// A message of that many bytes is longer than the maximum, and is not looked at.
    case tooLong(UInt32)
    /// More bytes must come.
    case incomplete
  }

  /// As long as the longest call that the daemon reads. Browsers could send 64 MiB.
  package static let maximumLength = 512 * 1024

  private var buffer: [UInt8] = []
  /// So many of the next bytes belong to a message that is too long.
  private var toSkip = 0

  /// The start of a stream.
  package init() {}

  /// Takes in bytes in the order in which they came, in pieces of any length.
  package mutating func append(_ bytes: borrowing Span<UInt8>) {
    let skipped = min(toSkip, bytes.count)
    toSkip -= skipped
    bytes.extracting(skipped...).withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
  }

  /// The next message among the bytes that came.
  package mutating func next() -> Step {
    guard buffer.count >= Self.headerLength else { return .incomplete }
    let length = buffer.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    guard length <= Self.maximumLength else {
      skip(Int(length))
      return .tooLong(length)
    }
    let end = Self.headerLength + Int(length)
    guard buffer.count >= end else { return .incomplete }
    let message = Array(buffer[Self.headerLength..<end])
    buffer.removeFirst(end)
    return .message(message)
  }

  private mutating func skip(_ length: Int) {
    let held = min(length, buffer.count - Self.headerLength)
    buffer.removeFirst(Self.headerLength + held)
    toSkip = length - held
  }

  private static let headerLength = 4
}
