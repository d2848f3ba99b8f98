internal import Bytes
internal import CCrypto

/// SHA-256 (FIPS 180-4) over bytes that come piece by piece.
///
///     var hash = SHA256()
///     hash.update([UInt8]("abc".utf8).span)
///     hash.digest.hex     // ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
package struct SHA256: Sendable {
  private var context = Context()

  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) {
    if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
    context.update(bytes)
  }

  /// The digest of all bytes so far; more may follow.
  package var digest: SHA256Digest { context.digest }

  /// The digest of bytes that are there at once. Allocates nothing.
  package static func digest(of bytes: Span<UInt8>) -> SHA256Digest {
    SHA256Digest { digest in bytes.withUnsafeBytes { ccrypto_sha256($0.baseAddress, $0.count, digest) } }
  }

  /// INVARIANT: changed only through the one `SHA256` that holds it.
  private final class Context: @unchecked Sendable {
    private let handle: OpaquePointer

    init() { handle = ccrypto_sha256_new() }

    init(copying other: Context) { handle = ccrypto_sha256_copy(other.handle) }

    deinit { ccrypto_sha256_free(handle) }

    func update(_ bytes: Span<UInt8>) {
      bytes.withUnsafeBytes { ccrypto_sha256_update(handle, $0.baseAddress, $0.count) }
    }

    var digest: SHA256Digest { SHA256Digest { ccrypto_sha256_digest(handle, $0) } }
  }
}

/// The 32 bytes of a SHA-256, in four words: to hand them around allocates nothing. The zero value is no text's.
package struct SHA256Digest: Sendable, Hashable {
  private var words: InlineArray<4, UInt64> = .init(repeating: 0)

  package init() {}

  fileprivate init(_ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.count) { bytes in
      guard let start = bytes.baseAddress else { return }
      fill(start)
      let stored = UnsafeRawPointer(start)
      for word in 0..<4 {
        words[word] = UInt64(bigEndian: stored.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self))
      }
    }
  }

  /// Bytes of a digest.
  package static let count = 32

  package var bytes: [UInt8] { (0..<Self.count).map { self[$0] } }

  /// 64 lower-case hexadecimal digits.
  package var hex: String {
    var digits = [UInt8](repeating: 0, count: 2 * Self.count)
    digits.withUnsafeMutableBytes { writeHex(to: $0, at: 0) }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Writes the 64 digits over the bytes from `place` on.
  package func writeHex(to text: UnsafeMutableRawBufferPointer, at place: Int) {
    precondition(place >= 0 && place + 2 * Self.count <= text.count)
    for word in 0..<4 {
      let (high, low) = (Self.digits(words[word] >> 32), Self.digits(words[word] & 0xFFFF_FFFF))
      text.storeBytes(of: high.bigEndian, toByteOffset: place + 16 * word, as: UInt64.self)
      text.storeBytes(of: low.bigEndian, toByteOffset: place + 16 * word + 8, as: UInt64.self)
    }
  }

  /// The eight digits of 32 bits, the first in the highest byte: all at once.
  private static func digits(_ bits: UInt64) -> UInt64 {
    var nibbles = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }

  /// The digest with these 64 lower-case hexadecimal digits; nil for anything else, upper case included, since one
  /// digest has one spelling.
  package init?(hex digits: Span<UInt8>) {
    guard digits.count == 2 * Self.count else { return nil }
    for index in 0..<4 {
      guard let word = UInt64(lowerCaseHex: digits.extracting(16 * index..<16 * index + 16)) else { return nil }
      words[index] = word
    }
  }

  private subscript(byte: Int) -> UInt8 { UInt8(truncatingIfNeeded: words[byte / 8] >> UInt64(56 - 8 * (byte % 8))) }

  package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool {
    (0..<4).allSatisfy { left.words[$0] == right.words[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words[0])
    hasher.combine(words[1])
  }
}

/// HMAC-SHA256 (RFC 2104).
package enum HMACSHA256 {
  /// The code of these bytes under a key.
  package static func code(of bytes: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
    let code = SHA256Digest { code in
      key.withUnsafeBytes { key in
        bytes.withUnsafeBytes {
          ccrypto_hmac_sha256(key.baseAddress, key.count, $0.baseAddress, $0.count, code)
        }
      }
    }
    return code.bytes
  }
}
