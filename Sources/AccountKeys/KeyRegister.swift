internal import Digests
internal import Secrets

/// A key as the register knows it.
package struct KnownKey: Sendable, Hashable {
  package var id: KeyID
  package var owner: KeyOwner
  /// Keys are counted; the newest key of an owner has the highest number.
  package var serial: UInt64

  package init(id: KeyID, owner: KeyOwner, serial: UInt64) { (self.id, self.owner, self.serial) = (id, owner, serial) }
}

/// The file that says which keys there are, and which there were. It lies outside of the directory of the keys, so that a
/// directory that comes back out of a backup does not bring its own register along.
///
///     "WVGREG1" 0x0A                      8 bytes
///     SHA-256 of the machine's id         32
///     epoch                               8, big-endian like every number
///     the number of the next key          8
///     living keys: count                  4, then for each: uid 4, account id 16, key id 16, serial 8
///     tombstones: count                   4, then for each: uid 4, account id 16, key id 16, serial 8
///     HMAC-SHA-256 of everything before   32, under a key that is derived from the secret
///
/// The register is replaced as a whole, and this is the moment at which a key lives or is destroyed: nothing is handed out
/// that it does not name, and an epoch is in force once it says so.
struct KeyRegister: Sendable {
  /// The epoch in force. An older one is destroyed, and what comes back of it is refused.
  var epoch: UInt64 = 1
  private(set) var nextSerial: UInt64 = 1
  /// By id.
  private(set) var living: [KeyID: KnownKey] = [:]
  /// Destroyed keys, the oldest first.
  private(set) var tombstones: [KnownKey] = []
  /// Of each owner, also where its file is damaged.
  private(set) var newest: [KeyOwner: KnownKey] = [:]
  private var buried: [KeyID: KeyOwner] = [:]

  /// Maximum number of living keys: a file of each is read at the start, and the register is rewritten for each new one.
  static let maximumKeys = 65_536
  /// Tombstones kept; the oldest give way. They only choose the words of a refusal, "destroyed" in place of "unknown": the
  /// epoch refuses all the same.
  static let maximumTombstones = 65_536

  private static let magic = Array("WVGREG1\n".utf8)
  private static let keyBytes = 44
  /// The longest register.
  static let maximumBytes = 8 + 32 + 16 + 4 + 4 + 32 + keyBytes * (maximumKeys + maximumTombstones)

  init() {}

  /// The newest key of an owner, also one whose file is damaged.
  func newest(of owner: KeyOwner) -> KnownKey? { newest[owner] }

  /// Number of accounts of a person that have keys.
  func accounts(of uid: UInt32) -> Int { newest.keys.count { $0.uid == uid } }

  /// Whether an owner had this key once.
  func isDestroyed(_ id: KeyID, of owner: KeyOwner) -> Bool { buried[id] == owner }

  /// Whether anybody had it.
  func isDestroyed(_ id: KeyID) -> Bool { buried[id] != nil }

  mutating func add(_ key: KnownKey) {
    living[key.id] = key
    nextSerial = max(nextSerial, key.serial + 1)
    if key.serial >= newest[key.owner]?.serial ?? 0 { newest[key.owner] = key }
  }

  /// Moves keys to the tombstones. An owner whose other keys stay has the newest of those.
  mutating func bury(_ doomed: [KnownKey]) {
    for key in doomed where living.removeValue(forKey: key.id) != nil {
      newest[key.owner] = nil
      entomb(key)
    }
    for key in living.values where key.serial >= newest[key.owner]?.serial ?? 0 { newest[key.owner] = key }
    for old in tombstones.dropLast(Self.maximumTombstones) { buried[old.id] = nil }
    tombstones.removeFirst(max(0, tombstones.count - Self.maximumTombstones))
  }

  private mutating func entomb(_ key: KnownKey) {
    tombstones.append(key)
    buried[key.id] = key.owner
  }

  // MARK: Bytes

  func bytes(machine: [UInt8], key: SecretBytes) -> [UInt8] {
    var bytes = Self.magic + SHA256.digest(of: machine.span).bytes + KeyBytes.bigEndian(epoch)
    bytes += KeyBytes.bigEndian(nextSerial)
    for keys in [living.values.sorted { $0.serial < $1.serial }, tombstones] {
      bytes += KeyBytes.bigEndian(UInt32(keys.count))
      for key in keys { bytes += key.owner.bytes + key.id.value.bytes + KeyBytes.bigEndian(key.serial) }
    }
    return bytes + Self.code(bytes, key)
  }

  /// Reads a register. Throws why it is none of this machine and this secret.
  init(_ bytes: [UInt8], machine: [UInt8], key: SecretBytes) throws(KeyRegisterFault) {
    let text = Array(bytes.dropLast(SHA256Digest.count))
    guard text.starts(with: Self.magic), Self.code(text, key).elementsEqual(bytes.suffix(SHA256Digest.count)) else {
      throw .damaged
    }
    var reader = KeyFieldReader(text.dropFirst(Self.magic.count))
    guard let hash = reader.bytes(SHA256Digest.count) else { throw .damaged }
    guard hash.elementsEqual(SHA256.digest(of: machine.span).bytes) else { throw .otherMachine }
    guard let epoch: UInt64 = reader.number(), let next: UInt64 = reader.number(), let keys = Self.keys(&reader),
      let tombstones = Self.keys(&reader), reader.isAtEnd
    else { throw .damaged }
    // Serials are counted on from; a register of ours never comes near.
    guard epoch < .max / 2, next < .max / 2, keys.allSatisfy({ $0.serial < next }) else { throw .damaged }
    self.epoch = epoch
    for key in keys { add(key) }
    for key in tombstones { entomb(key) }
    nextSerial = next
  }

  private static func keys(_ reader: inout KeyFieldReader) -> [KnownKey]? {
    guard let count: UInt32 = reader.number() else { return nil }
    var keys: [KnownKey] = []
    for _ in 0..<count {
      guard let owner = reader.owner(), let id = reader.sixteen(), let serial: UInt64 = reader.number() else {
        return nil
      }
      keys.append(KnownKey(id: KeyID(id), owner: owner, serial: serial))
    }
    return keys
  }

  private static func code(_ bytes: [UInt8], _ key: SecretBytes) -> [UInt8] {
    key.withBytes { key in
      var copy = Array(key)
      defer { SecretBytes.wipe(&copy) }
      return HMACSHA256.code(of: bytes.span, key: copy.span)
    }
  }
}

/// Why a register is not believed.
enum KeyRegisterFault: Error, Sendable, Hashable {
  /// Somebody changed it, or the secret is another one: its code does not fit.
  case damaged
  /// It was written on another machine.
  case otherMachine
}
