internal import Bytes
internal import CCrypto

/// Bytes that nobody else may learn: keys and what keys are made of. They lie in memory of their own, are never copied by
/// an array that grows, and are overwritten when the last owner lets go of them.
///
///     let key = SecretBytes.random(32)
///     key.withBytes { send($0) }       // do not keep the pointer
///
/// Trap: it has no description and is not `Hashable`, so that no log line and no dictionary holds it. Use `isEqual`.
package final class SecretBytes: @unchecked Sendable {
  // INVARIANT: written only in `init` and `deinit`, so threads may read it at once.
  private let buffer: UnsafeMutableRawBufferPointer

  /// Bytes that the closure fills in; they are zeros before.
  package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    buffer = .allocate(byteCount: count, alignment: 8)
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    fill(buffer)
  }

  /// Takes over the bytes of an array, and overwrites them there.
  package convenience init(taking bytes: inout [UInt8]) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    Self.wipe(&bytes)
  }

  deinit {
    ccrypto_wipe(buffer.baseAddress, buffer.count)
    buffer.deallocate()
  }

  /// Bytes of the kernel's generator, which nobody can foresee.
  package static func random(_ count: Int) -> SecretBytes {
    var random = SystemRandomNumberGenerator()
    return SecretBytes(count: count) { bytes in
      for index in bytes.indices { bytes[index] = random.next() }
    }
  }

  package var count: Int { buffer.count }

  /// The bytes with these lower-case hexadecimal digits; nil for anything else.
  package convenience init?(hex digits: String) {
    guard var bytes = [UInt8](lowerCaseHex: digits.utf8.span) else { return nil }
    self.init(taking: &bytes)
  }

  /// The bytes in lower-case hexadecimal digits, for the one reply that hands them over.
  package var hex: String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * count)
    withBytes { for byte in $0 { digits.append(lowerCaseHex: byte) } }
    defer { Self.wipe(&digits) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Lends the bytes out for the time of the call.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(buffer))
  }

  /// Takes the same time wherever the bytes differ.
  package func isEqual(to other: SecretBytes) -> Bool {
    count == other.count && ccrypto_equal(buffer.baseAddress, other.buffer.baseAddress, count) == 1
  }

  /// Whether all bytes are zero, as those of a file that was overwritten or never reached the disk.
  package var isZero: Bool { buffer.allSatisfy { $0 == 0 } }

  /// Whether bytes are equal, such as codes of messages; takes the same time wherever they differ.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && ccrypto_equal(one, other, one.count) == 1
  }

  /// Overwrites memory; no compiler leaves it out.
  package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) { ccrypto_wipe(bytes.baseAddress, bytes.count) }

  /// Overwrites the bytes of an array and empties it.
  ///
  /// Trap: an array that shares its memory with a copy is copied first, and the other keeps its bytes.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
    bytes = []
  }
}
