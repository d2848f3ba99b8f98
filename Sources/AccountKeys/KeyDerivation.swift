internal import CCrypto

/// HKDF-SHA-256 (RFC 5869), extract and expand.
package enum HKDFSHA256 {
  /// - Parameters:
  ///   - count: bytes to derive, at most 8,160.
  ///   - info: at most 512 bytes.
  package static func key(_ count: Int, from secret: SecretBytes, salt: [UInt8], info: [UInt8]) -> SecretBytes {
    salt.withUnsafeBytes { key(count, from: secret, salt: $0, info: info) }
  }

  static func key(_ count: Int, from secret: SecretBytes, salt: SecretBytes, info: [UInt8]) -> SecretBytes {
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

/// AES-256-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16.
package enum AES256GCM {
  package static let keyCount = Int(CCRYPTO_AES_KEY_BYTES)
  package static let nonceCount = Int(CCRYPTO_GCM_NONCE_BYTES)
  package static let tagCount = Int(CCRYPTO_GCM_TAG_BYTES)

  /// The sealed bytes with the tag behind them. A nonce must never come twice under one key.
  package static func seal(_ text: SecretBytes, key: SecretBytes, nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
    precondition(key.count == keyCount && nonce.count == nonceCount)
    return [UInt8](unsafeUninitializedCapacity: text.count + tagCount) { sealed, count in
      key.withBytes { key in
        text.withBytes { text in
          ccrypto_aes256gcm_seal(
            key.bindMemory(to: UInt8.self).baseAddress, nonce, additional, additional.count, text.baseAddress,
            text.count, sealed.baseAddress)
        }
      }
      count = text.count + tagCount
    }
  }

  /// The bytes that were sealed; nil when anything differs from the sealing.
  package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], additional: [UInt8]) -> SecretBytes? {
    precondition(key.count == keyCount && nonce.count == nonceCount)
    guard sealed.count >= tagCount else { return nil }
    var isAuthentic: Int32 = 0
    let text = SecretBytes(count: sealed.count - tagCount) { text in
      key.withBytes { key in
        isAuthentic = ccrypto_aes256gcm_open(
          key.bindMemory(to: UInt8.self).baseAddress, nonce, additional, additional.count, sealed, text.count,
          text.bindMemory(to: UInt8.self).baseAddress)
      }
    }
    return isAuthentic == 1 ? text : nil
  }
}

/// The uses of a derived key. Keys of different uses have nothing in common.
package enum KeyUse: String, Sendable, Hashable, CaseIterable {
  /// One sealed object, `WVG1`. Whoever writes it and whoever reads it get the same key.
  case envelope
}

/// Each derivation of this module, with its label. A label is used for one thing and never changes.
package enum KeyDerivation {
  static let count = 32

  /// The key under which an epoch's account keys lie in files:
  /// HKDF-SHA-256(secret, salt: epoch secret, info: "webviewguard wrapping key v1"). Without the epoch's secret nobody can
  /// compute it again, not even who has the other one.
  package static func wrappingKey(_ secret: SecretBytes, epoch: SecretBytes) -> SecretBytes {
    HKDFSHA256.key(count, from: secret, salt: epoch, info: Array("webviewguard wrapping key v1".utf8))
  }

  /// The key that authenticates the register.
  static func registerKey(_ secret: SecretBytes) -> SecretBytes {
    HKDFSHA256.key(count, from: secret, salt: [], info: Array("webviewguard key register v1".utf8))
  }

  /// `DataKey`: HKDF-SHA-256(account key, salt: object id, info: "webviewguard data key v1" 0x00 USE).
  static func dataKey(_ account: SecretBytes, _ object: SealedObjectID, _ use: KeyUse) -> SecretBytes {
    HKDFSHA256.key(
      count, from: account, salt: object.bytes, info: Array("webviewguard data key v1\u{0}\(use.rawValue)".utf8))
  }
}
