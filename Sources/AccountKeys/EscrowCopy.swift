internal import Bytes
package import Secrets

/// A copy of one account key for the organisation, as a file: what it is in the clear, and the key sealed to a public key
/// (design, accounts, section 8; docs/sealed-data.md).
///
///     "WVGESC1" 0x0A       8 bytes
///     escrow key           16: `EscrowPublicKey.id`
///     machine              16: SHA-256("webviewguard escrow machine v1" 0x00 ID), its first bytes
///     uid                  4, big-endian like every number
///     account id           16
///     key id               16
///     serial               8
///     epoch                8, in force when the copy was made
///     encapsulated key     32
///     sealed key           32, with a tag of 16 behind it
///
/// The last two are those of HPKE. Everything before them is the additional data: a copy that names another person, account,
/// key or machine does not open.
package struct EscrowCopy: Sendable, Hashable {
  package let escrowKey: SixteenBytes
  package let machine: SixteenBytes
  package let owner: KeyOwner
  package let id: KeyID
  package let serial: UInt64
  package let epoch: UInt64
  private let message: HPKE

  static let magic = Array("WVGESC1\n".utf8)
  private static let info = Array("webviewguard escrow copy v1".utf8)
  package static let byteCount = headerCount + X25519.keyCount + WrappedKey.keyCount + AES256GCM.tagCount
  private static let headerCount = 8 + 16 + 16 + 20 + 16 + 8 + 8
  /// The end of a copy's name.
  package static let suffix = ".escrow"

  /// Seals a key; nil for a public key with which everybody could read it.
  init?(_ key: SecretBytes, _ known: KnownKey, epoch: UInt64, machine: SixteenBytes, to recipient: EscrowPublicKey) {
    (escrowKey, self.machine) = (recipient.id, machine)
    (owner, id, serial, self.epoch) = (known.owner, known.id, known.serial, epoch)
    let header = Self.header(recipient.id, machine, known, epoch)
    guard let message = HPKE.seal(key, to: recipient.bytes, info: Self.info, additional: header) else { return nil }
    self.message = message
  }

  /// Reads a file; nil for bytes that are no copy. Only `open` tells whether it opens.
  package init?(_ bytes: [UInt8]) {
    var reader = KeyFieldReader(bytes[...])
    guard bytes.count == Self.byteCount, reader.bytes(Self.magic.count) == Self.magic[...],
      let escrowKey = reader.sixteen(), let machine = reader.sixteen(), let owner = reader.owner(),
      let id = reader.sixteen(), let serial: UInt64 = reader.number(), let epoch: UInt64 = reader.number(),
      let encapsulated = reader.bytes(X25519.keyCount),
      let sealed = reader.bytes(WrappedKey.keyCount + AES256GCM.tagCount)
    else { return nil }
    (self.escrowKey, self.machine, self.owner, self.id) = (escrowKey, machine, owner, KeyID(id))
    (self.serial, self.epoch) = (serial, epoch)
    message = HPKE(encapsulated: Array(encapsulated), sealed: Array(sealed))
  }

  /// The copy in these lower-case hexadecimal digits.
  package init?(hex digits: String) {
    guard let bytes = [UInt8](lowerCaseHex: digits.utf8.span) else { return nil }
    self.init(bytes)
  }

  /// As `init(hex:)` reads it.
  package var hex: String { String(lowerCaseHex: bytes.span) }

  package var bytes: [UInt8] { header + message.encapsulated + message.sealed }

  /// `KEYID-ESCROWKEY.escrow`: keys that have a copy for each of two escrow keys have two files.
  package var name: String { "\(id.hex)-\(escrowKey.hex)\(Self.suffix)" }

  /// The account's key; nil for another private key than that of the public one, and when anything was changed.
  package func open(with key: EscrowPrivateKey) -> SecretBytes? {
    guard key.publicKey.id == escrowKey else { return nil }
    return message.open(with: key.secret, info: Self.info, additional: header)
  }

  /// The same key sealed to somebody else, such as a machine that is to have it; nil as for `open`.
  package func resealed(with key: EscrowPrivateKey, to recipient: EscrowPublicKey) -> EscrowCopy? {
    guard let account = open(with: key) else { return nil }
    let known = KnownKey(id: id, owner: owner, serial: serial)
    return EscrowCopy(account, known, epoch: epoch, machine: machine, to: recipient)
  }

  /// The key of one object, for whoever holds the private key: what the daemon would answer to `DataKey`.
  package func objectKey(_ object: SealedObjectID, with key: EscrowPrivateKey) -> SecretBytes? {
    open(with: key).map { KeyDerivation.dataKey($0, object, .envelope) }
  }

  /// The id under which copies name a machine.
  package static func machine(_ id: String) -> SixteenBytes {
    SixteenBytes(hashing: "webviewguard escrow machine v1\u{0}\(id)")
  }

  private var header: [UInt8] {
    Self.header(escrowKey, machine, KnownKey(id: id, owner: owner, serial: serial), epoch)
  }

  private static func header(
    _ escrowKey: SixteenBytes, _ machine: SixteenBytes, _ known: KnownKey, _ epoch: UInt64
  ) -> [UInt8] {
    magic + escrowKey.bytes + machine.bytes + known.owner.bytes + known.id.value.bytes
      + KeyBytes.bigEndian(known.serial) + KeyBytes.bigEndian(epoch)
  }
}
