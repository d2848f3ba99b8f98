internal import Glibc
internal import Platform
internal import JSONText
internal import PolicyTools

/// Standard output as the browser reads it: each message is four bytes of length in the machine's order, and JSON.
///
/// Nothing else may ever be written there, so programs that are started get another standard output.
package struct NativeMessageOutput {
  /// A browser ends the host that sends a longer message.
  static let maximumLength = 1 << 20

  private let descriptor: Int32

  init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  /// Sends one message. One that is too long is not sent, and an error with its id is sent instead.
  func send(_ message: JSONTree) throws(CommandFailure) {
    let text = Array(message.text().utf8)
    guard text.count <= Self.maximumLength else {
      return try send(["id": message["id"] ?? .null, "error": "replyTooLong"])
    }
    try write(Self.frame(text))
  }

  /// The bytes of one message: `[2, 0, 0, 0, 0x7B, 0x7D]` for `{}` on a little-endian machine.
  package static func frame(_ text: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: UInt32(text.count)) { Array($0) } + text
  }

  private func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw CommandFailure("cannot answer the browser: \(SystemWords.last)") }
      rest = rest.dropFirst(count)
    }
  }
}
