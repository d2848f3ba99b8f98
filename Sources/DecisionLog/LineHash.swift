internal import Digests

/// The SHA-256 of one line of the log, without its newline.
///
/// The zero value stands before the first record.
package struct LineHash: Sendable, Hashable {
  private var digest = SHA256Digest()

  /// 64 zeros: the previous hash in the first record of a log.
  package static let zero = LineHash()

  /// Hexadecimal digits of a hash: two for each of its 32 bytes.
  static let hexCount = 64

  private init() {}

  /// The hash of a line, given without its newline.
  package init(of line: Span<UInt8>) {
    self.init(SHA256.digest(of: line))
  }

  init(_ digest: SHA256Digest) { self.digest = digest }

  /// The hash written as 64 lower-case hexadecimal digits; nil for anything else.
  package init?(hex: String) {
    guard let digest = SHA256Digest(hex: hex.utf8.span) else { return nil }
    self.digest = digest
  }

  /// The hash as 64 lower-case hexadecimal digits.
  package var hex: String { digest.hex }

  /// Writes the 64 digits over the bytes from `place` on.
  func writeHex(to bytes: UnsafeMutableRawBufferPointer, at place: Int) { digest.writeHex(to: bytes, at: place) }
}
