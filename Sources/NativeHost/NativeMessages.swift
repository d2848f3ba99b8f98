internal import Glibc
internal import Platform
internal import Synchronization
package import WebViewGuardClient

/// The messages that a browser sends to its native-messaging host: four bytes of length in the machine's order, then
/// that many bytes of JSON (Chromium: "Native messaging", protocol; MDN: "Native messaging").
///
///     var input = NativeMessageInput()
///     input.append([2, 0, 0, 0, 0x7B, 0x7D].span)
///     input.next()    // .message([0x7B, 0x7D])
///     input.next()    // .incomplete
///
/// A message over the maximum is passed over byte by byte and never held, so that the next one is still found.
package struct NativeMessageInput {
  /// The next piece of the bytes.
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
  /// Number of the next bytes that belong to a message that is too long.
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

/// Standard output as the browser reads it: each message is four bytes of length in the machine's order, and JSON.
///
/// Several threads may send. Nothing else may ever be written there, so programs that are started get another standard
/// output.
package final class NativeMessageOutput: Sendable {
  /// A browser ends the host that sends a longer message.
  package static let maximumLength = 1 << 20

  private let descriptor: Int32
  /// Held while a message is written, so that none lies inside another.
  private let turn = Mutex(())

  /// - Parameter descriptor: the descriptor to write to; it stays open.
  package init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  /// Sends one message. One that is too long is not sent, and an error with its id is sent instead.
  package func send(_ message: GuardValue) throws(GuardProblem) {
    let text = Array(message.text.utf8)
    guard text.count <= Self.maximumLength else {
      return try send(["id": message["id"] ?? .null, "error": "replyTooLong"])
    }
    let frame = Self.frame(text)
    try turn.withLock { _ throws(GuardProblem) in
      guard Stream.write(frame.span, to: descriptor) else { throw .system(call: "write", code: errno) }
    }
  }

  /// The bytes of one message: `[2, 0, 0, 0, 0x7B, 0x7D]` for `{}` on a little-endian machine.
  package static func frame(_ text: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(text.count)) { Array($0) } + text
  }
}
