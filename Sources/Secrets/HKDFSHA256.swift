internal import CCrypto

/// HKDF-SHA-256 (RFC 5869), extract and expand.
package enum HKDFSHA256 {
  /// - Parameters:
  ///   - count: bytes to derive, at most 8,160.
  ///   - info: at most 512 bytes.
  package static func key(_ count: Int, from secret: SecretBytes, salt: [UInt8], info: [UInt8]) -> SecretBytes {
    salt.withUnsafeBytes { key(count, from: secret, salt: $0, info: info) }
  }

  /// The same with a salt that is secret.
  package static func key(_ count: Int, from secret: SecretBytes, salt: SecretBytes, info: [UInt8]) -> SecretBytes {
    salt.withBytes { key(count, from: secret, salt: $0, info: info) }
  }

  private static func key(
    _ count: Int, from secret: SecretBytes, salt: UnsafeRawBufferPointer, info: [UInt8]
  ) -> SecretBytes {
    SecretBytes(count: count) { key in
      secret.withBytes { secret in
        info.withUnsafeBytes { info in
          ccrypto_hkdf_sha256(
            secret.baseAddress, secret.count, salt.baseAddress, salt.count, info.baseAddress, info.count,
            key.bindMemory(to: UInt8.self).baseAddress, key.count)
        }
      }
    }
  }
}
