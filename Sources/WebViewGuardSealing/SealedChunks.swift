internal import Bytes
internal import Digests
internal import Secrets

/// Seals or opens the chunks of one object. A chunk allocates nothing.
final class SealedChunks {
  private let cipher: AES256GCM
  /// SHA-256 of the whole header.
  private let additional: [UInt8]
  private var nonce = [UInt8](repeating: 0, count: AES256GCM.nonceCount)

  private init(_ cipher: AES256GCM, header: [UInt8]) {
    self.cipher = cipher
    additional = SHA256.digest(of: header.span).bytes
  }

  /// What seals the chunks of a new object, and its whole header.
  static func sealing(_ key: ObjectKey, object: [UInt8], exponent: UInt8) -> (SealedChunks, header: [UInt8]) {
    let ids = SealedFormat.prefix(SealedFormat.sealed, exponent) + key.accountID + key.keyID + object
    let (encryption, commitment) = derived(key.secret, ids)
    let header = ids + commitment
    return (SealedChunks(AES256GCM(encryption, .sealing), header: header), header)
  }

  /// What opens the chunks of an object: asks for its key, and checks the header with it before anything else.
  nonisolated(nonsending) static func opening(
    _ header: SealedHeader, _ keys: KeySource
  ) async throws(SealingError) -> SealedChunks {
    let request = KeyRequest(
      use: .read, account: String(lowerCaseHex: header.accountID.span),
      objectID: String(lowerCaseHex: header.objectID.span), keyID: String(lowerCaseHex: header.keyID.span))
    guard let key = try await keys(request) else { throw KeyRefusal.noKey(.read, "") }
    let (encryption, commitment) = derived(key.secret, Array(header.bytes[..<SealedFormat.ids]))
    guard SecretBytes.areEqual(commitment, Array(header.commitment)) else {
      throw .damaged("the header, or the key is another one")
    }
    guard key.accountID[...] == header.accountID, key.keyID[...] == header.keyID else {
      throw .damaged("the header names another account than its key is of")
    }
    return SealedChunks(AES256GCM(encryption, .opening), header: header.bytes)
  }

  /// The encryption key of an object, and the commitment over its ids.
  private static func derived(_ key: SecretBytes, _ ids: [UInt8]) -> (encryption: SecretBytes, commitment: [UInt8]) {
    func derive(_ purpose: String) -> SecretBytes {
      HKDFSHA256.key(
        AES256GCM.keyCount, from: key, salt: Array(ids[48..<SealedFormat.ids]),
        info: Array("webviewguard WVG1 \(purpose)".utf8))
    }
    let commitment = derive("commitment").withBytes {
      HMACSHA256.code(of: ids.span, key: $0.bindMemory(to: UInt8.self).span)
    }
    return (derive("encryption"), commitment)
  }

  func seal(
    _ data: UnsafeRawBufferPointer, number: Int, isLast: Bool, into sealed: UnsafeMutableRawBufferPointer
  ) {
    name(number, isLast)
    cipher.seal(data, nonce: nonce, additional: additional, into: sealed)
  }

  /// Throws 103 when it is not exactly this chunk; nothing of it is in `data` then.
  func open(
    _ sealed: UnsafeRawBufferPointer, number: Int, isLast: Bool, into data: UnsafeMutableRawBufferPointer
  ) throws(SealingError) {
    name(number, isLast)
    guard cipher.open(sealed, nonce: nonce, additional: additional, into: data) else {
      throw .damaged("chunk \(number)")
    }
  }

  /// The nonce: the number in 11 bytes, then whether it is the last.
  private func name(_ number: Int, _ isLast: Bool) {
    for place in 0..<8 { nonce[10 - place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    nonce[11] = isLast ? 1 : 0
  }
}

/// Memory for content, overwritten at its end.
final class ContentBuffer {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 16) }

  deinit {
    SecretBytes.wipe(bytes)
    bytes.deallocate()
  }

  /// The first bytes.
  func first(_ count: Int) -> UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]) }

  subscript(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: bytes[range])
  }
}
