internal import CCrypto

/// AES-256-GCM (NIST SP 800-38D) with nonces of 12 bytes and tags of 16, under one key for many pieces: a piece allocates
/// nothing.
///
///     let cipher = AES256GCM(key, .sealing)
///     cipher.seal(text, nonce: nonce, additional: header, into: room)   // as many bytes as the text has, then the tag
///
/// Trap: a nonce must never come twice under one key.
package final class AES256GCM {
  package static let keyCount = Int(CCRYPTO_AES_KEY_BYTES)
  package static let nonceCount = Int(CCRYPTO_GCM_NONCE_BYTES)
  package static let tagCount = Int(CCRYPTO_GCM_TAG_BYTES)

  package enum Direction: Sendable, Hashable { case sealing, opening }

  /// It holds what is made of the key, and wipes it at its end.
  private let context: OpaquePointer
  private let direction: Direction

  package init(_ key: SecretBytes, _ direction: Direction) {
    precondition(key.count == Self.keyCount)
    self.direction = direction
    context = key.withBytes {
      ccrypto_gcm_new($0.bindMemory(to: UInt8.self).baseAddress, direction == .sealing ? 1 : 0)
    }
  }

  deinit { ccrypto_gcm_free(context) }

  /// Fills `sealed`, which has room for the text and the tag behind it. The two must not overlap.
  package func seal(
    _ text: UnsafeRawBufferPointer, nonce: [UInt8], additional: [UInt8], into sealed: UnsafeMutableRawBufferPointer
  ) {
    precondition(direction == .sealing && nonce.count == Self.nonceCount)
    precondition(sealed.count == text.count + Self.tagCount)
    ccrypto_gcm_seal(
      context, nonce, additional, additional.count, text.baseAddress, text.count,
      sealed.bindMemory(to: UInt8.self).baseAddress)
  }

  /// Opens bytes with their tag into `text`, which has room for all but the tag. False when anything differs from the
  /// sealing; `text` is wiped then.
  package func open(
    _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], additional: [UInt8], into text: UnsafeMutableRawBufferPointer
  ) -> Bool {
    precondition(direction == .opening && nonce.count == Self.nonceCount)
    precondition(sealed.count == text.count + Self.tagCount)
    return ccrypto_gcm_open(
      context, nonce, additional, additional.count, sealed.bindMemory(to: UInt8.self).baseAddress, text.count,
      text.bindMemory(to: UInt8.self).baseAddress) == 1
  }
}

extension AES256GCM {
  /// The sealed bytes with the tag behind them, of a text that is sealed alone.
  package static func seal(_ text: SecretBytes, key: SecretBytes, nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
    let cipher = AES256GCM(key, .sealing)
    return [UInt8](unsafeUninitializedCapacity: text.count + tagCount) { sealed, count in
      text.withBytes {
        cipher.seal($0, nonce: nonce, additional: additional, into: UnsafeMutableRawBufferPointer(sealed))
      }
      count = text.count + tagCount
    }
  }

  /// The bytes that were sealed; nil when anything differs from the sealing.
  package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], additional: [UInt8]) -> SecretBytes? {
    guard sealed.count >= tagCount else { return nil }
    let cipher = AES256GCM(key, .opening)
    var isAuthentic = false
    let text = SecretBytes(count: sealed.count - tagCount) { text in
      isAuthentic = sealed.withUnsafeBytes { cipher.open($0, nonce: nonce, additional: additional, into: text) }
    }
    return isAuthentic ? text : nil
  }
}
