package import Secrets

/// The uses of a derived key. Keys of different uses have nothing in common.
package enum KeyUse: String, Sendable, Hashable, CaseIterable {
  /// One sealed object, `WVG1`. Whoever writes it and whoever reads it get the same key.
  case envelope
  /// The directory in which an account's files lie, by fscrypt or gocryptfs.
  case directory
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

  /// The key that authenticates the labels of files on one machine.
  static func labelKey(_ secret: SecretBytes, machine: [UInt8]) -> SecretBytes {
    HKDFSHA256.key(count, from: secret, salt: machine, info: Array("webviewguard label key v1".utf8))
  }

  /// The private key to which keys are sealed that come back to one machine.
  static func importKey(_ secret: SecretBytes, machine: [UInt8]) -> SecretBytes {
    HKDFSHA256.key(count, from: secret, salt: machine, info: Array("webviewguard escrow import v1".utf8))
  }

  /// `DataKey`: HKDF-SHA-256(account key, salt: object id, info: "webviewguard data key v1" 0x00 USE).
  static func dataKey(_ account: SecretBytes, _ object: SealedObjectID, _ use: KeyUse) -> SecretBytes {
    HKDFSHA256.key(
      count, from: account, salt: object.bytes, info: Array("webviewguard data key v1\u{0}\(use.rawValue)".utf8))
  }
}
