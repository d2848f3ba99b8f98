internal import CCrypto

/// Sealing to a public key, so that only the owner of its private key reads it: HPKE (RFC 9180), base mode, one message,
/// DHKEM(X25519, HKDF-SHA256) with HKDF-SHA256 and AES-256-GCM. libcrypto has it from 3.2 on, and Debian 12 has 3.0; the
/// standard's test vectors and another implementation's hold this one to it.
///
///     let message = HPKE.seal(key, to: publicKey, info: purpose, additional: header)
///     message?.open(with: privateKey, info: purpose, additional: header)     // key
package struct HPKE: Sendable, Hashable {
  /// The public key of the one key pair that was made for this message.
  package let encapsulated: [UInt8]
  /// The text, and a tag of 16 bytes behind it.
  package let sealed: [UInt8]

  package init(encapsulated: [UInt8], sealed: [UInt8]) { (self.encapsulated, self.sealed) = (encapsulated, sealed) }

  /// Seals a text; nil for a public key of low order, with which everybody could read it.
  ///
  /// - Parameter ephemeral: the private key for this one message; a test knows it, nobody else passes one.
  package static func seal(
    _ text: SecretBytes, to publicKey: [UInt8], info: [UInt8], additional: [UInt8],
    ephemeral: SecretBytes = .random(X25519.keyCount)
  ) -> HPKE? {
    let encapsulated = X25519.publicKey(of: ephemeral)
    guard let agreed = X25519.secret(ephemeral, publicKey) else { return nil }
    let shared = sharedSecret(agreed, encapsulated, publicKey)
    let keys = schedule(shared, info)
    let sealed = AES256GCM.seal(text, key: keys.key, nonce: keys.nonce, additional: additional)
    return HPKE(encapsulated: encapsulated, sealed: sealed)
  }

  /// The text; nil when the private key is another one, or anything differs from the sealing.
  package func open(with privateKey: SecretBytes, info: [UInt8], additional: [UInt8]) -> SecretBytes? {
    guard encapsulated.count == X25519.keyCount, let agreed = X25519.secret(privateKey, encapsulated) else {
      return nil
    }
    let shared = Self.sharedSecret(agreed, encapsulated, X25519.publicKey(of: privateKey))
    let keys = Self.schedule(shared, info)
    return AES256GCM.open(sealed, key: keys.key, nonce: keys.nonce, additional: additional)
  }

  // MARK: RFC 9180, sections 4 and 5

  private static let kem = Array("KEM".utf8) + [0x00, 0x20]
  private static let suite = Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x02]

  /// `ExtractAndExpand` of section 4.1.
  package static func sharedSecret(_ agreed: SecretBytes, _ encapsulated: [UInt8], _ publicKey: [UInt8]) -> SecretBytes
  {
    let extracted = extract([], kem, "eae_prk", agreed)
    return expand(extracted, kem, "shared_secret", encapsulated + publicKey, X25519.keyCount)
  }

  /// `KeySchedule` of section 5.1 in base mode. A single message has the base nonce as its nonce.
  private static func schedule(_ shared: SecretBytes, _ info: [UInt8]) -> (key: SecretBytes, nonce: [UInt8]) {
    let none = SecretBytes(count: 0) { _ in }
    let context =
      [0x00] + bytes(extract([], suite, "psk_id_hash", none)) + bytes(extract([], suite, "info_hash", secret(info)))
    let secret = extract(bytes(shared), suite, "secret", none)
    return (
      expand(secret, suite, "key", context, AES256GCM.keyCount),
      bytes(expand(secret, suite, "base_nonce", context, AES256GCM.nonceCount))
    )
  }

  /// `LabeledExtract`.
  private static func extract(_ salt: [UInt8], _ suite: [UInt8], _ label: String, _ input: SecretBytes) -> SecretBytes {
    var salt = salt
    defer { SecretBytes.wipe(&salt) }
    return code(of: joined(Array("HPKE-v1".utf8) + suite + Array(label.utf8), input), key: salt)
  }

  /// `LabeledExpand` to at most 32 bytes, which one block of HKDF has.
  private static func expand(
    _ key: SecretBytes, _ suite: [UInt8], _ label: String, _ info: [UInt8], _ count: Int
  ) -> SecretBytes {
    precondition(count <= Int(CCRYPTO_SHA256_BYTES))
    var key = bytes(key)
    defer { SecretBytes.wipe(&key) }
    let text = [0x00, UInt8(count)] + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info + [0x01]
    let block = code(of: secret(text), key: key)
    return SecretBytes(count: count) { room in
      block.withBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  private static func code(of text: SecretBytes, key: [UInt8]) -> SecretBytes {
    // HMAC takes no key for the key of the call before; an empty one is as good as zeros.
    let some = key.isEmpty ? [0] : key
    return SecretBytes(count: Int(CCRYPTO_SHA256_BYTES)) { code in
      text.withBytes {
        ccrypto_hmac_sha256(
          some, some.count, $0.baseAddress, $0.count, code.bindMemory(to: UInt8.self).baseAddress)
      }
    }
  }

  private static func joined(_ start: [UInt8], _ end: SecretBytes) -> SecretBytes {
    SecretBytes(count: start.count + end.count) { room in
      room.copyBytes(from: start)
      end.withBytes { UnsafeMutableRawBufferPointer(rebasing: room[start.count...]).copyMemory(from: $0) }
    }
  }

  private static func secret(_ bytes: [UInt8]) -> SecretBytes {
    SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  private static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withBytes { Array($0) } }
}
