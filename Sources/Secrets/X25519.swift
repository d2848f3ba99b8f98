internal import CCrypto

/// Diffie-Hellman over Curve25519 (RFC 7748): two owners of key pairs compute one secret, each of the other's public key.
package enum X25519 {
  package static let keyCount = Int(CCRYPTO_X25519_BYTES)

  /// The public key of 32 private bytes, which may be any.
  package static func publicKey(of privateKey: SecretBytes) -> [UInt8] {
    precondition(privateKey.count == keyCount)
    return [UInt8](unsafeUninitializedCapacity: keyCount) { bytes, count in
      privateKey.withBytes {
        ccrypto_x25519_public($0.bindMemory(to: UInt8.self).baseAddress, bytes.baseAddress)
      }
      count = keyCount
    }
  }

  /// The common secret. Nil for a public key of low order, such as zeros: everybody could compute that secret.
  package static func secret(_ privateKey: SecretBytes, _ publicKey: [UInt8]) -> SecretBytes? {
    precondition(privateKey.count == keyCount && publicKey.count == keyCount)
    var worked = false
    let secret = SecretBytes(count: keyCount) { shared in
      privateKey.withBytes {
        worked =
          ccrypto_x25519(
            $0.bindMemory(to: UInt8.self).baseAddress, publicKey, shared.bindMemory(to: UInt8.self).baseAddress) == 1
      }
    }
    return worked ? secret : nil
  }
}
