package import Secrets

/// The file of one account key: the key under AES-256-GCM, and in the clear whose it is.
///
///     "WVGKEY1" 0x0A   8 bytes
///     epoch            8, big-endian like every number
///     uid              4
///     account id       16
///     key id           16
///     serial           8, greater than that of every key made before
///     nonce            12
///     sealed key       32, with a tag of 16 behind it
///
/// The additional data is "webviewguard account key v1" 0x00, then uid to serial and the epoch as in the file, and then the
/// machine's id: a file that was moved to another person, account, epoch or machine does not open.
package struct WrappedKey: Sendable, Hashable {
  package var epoch: UInt64
  package var owner: KeyOwner
  package var id: KeyID
  package var serial: UInt64
  package var nonce: [UInt8]
  package var sealed: [UInt8]

  static let magic = Array("WVGKEY1\n".utf8)
  static let keyCount = 32
  package static let byteCount = 8 + 8 + 20 + 16 + 8 + AES256GCM.nonceCount + keyCount + AES256GCM.tagCount

  /// Seals a key, under a nonce of its own.
  package init(_ key: SecretBytes, _ known: KnownKey, epoch: UInt64, under wrapping: SecretBytes, machine: [UInt8]) {
    (self.epoch, owner, id, serial) = (epoch, known.owner, known.id, known.serial)
    var random = SystemRandomNumberGenerator()
    nonce = (0..<AES256GCM.nonceCount).map { _ in random.next() }
    sealed = []
    sealed = AES256GCM.seal(key, key: wrapping, nonce: nonce, additional: additional(machine))
  }

  /// Reads a file; nil for bytes that are none.
  package init?(_ bytes: [UInt8]) {
    var reader = KeyFieldReader(bytes[...])
    guard bytes.count == Self.byteCount, reader.bytes(Self.magic.count) == Self.magic[...],
      let epoch: UInt64 = reader.number(), let owner = reader.owner(), let id = reader.sixteen(),
      let serial: UInt64 = reader.number(), let nonce = reader.bytes(AES256GCM.nonceCount),
      let sealed = reader.bytes(Self.keyCount + AES256GCM.tagCount)
    else { return nil }
    (self.epoch, self.owner, self.id, self.serial) = (epoch, owner, KeyID(id), serial)
    (self.nonce, self.sealed) = (Array(nonce), Array(sealed))
  }

  var known: KnownKey { KnownKey(id: id, owner: owner, serial: serial) }

  /// The bytes of the file.
  package var bytes: [UInt8] { Self.magic + KeyBytes.bigEndian(epoch) + names + nonce + sealed }

  /// The key; nil when anything is not as it was sealed.
  package func open(under wrapping: SecretBytes, machine: [UInt8]) -> SecretBytes? {
    AES256GCM.open(sealed, key: wrapping, nonce: nonce, additional: additional(machine))
  }

  private var names: [UInt8] { owner.bytes + id.value.bytes + KeyBytes.bigEndian(serial) }

  private func additional(_ machine: [UInt8]) -> [UInt8] {
    Array("webviewguard account key v1\u{0}".utf8) + names + KeyBytes.bigEndian(epoch) + machine
  }
}
