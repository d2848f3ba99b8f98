package import Secrets

/// A key of one account for one object: what a program gets, in place of the account's key.
package struct DataKey: Sendable {
  /// The account's key that it is derived of.
  package let id: KeyID
  package let bytes: SecretBytes
}

/// A destruction that is done: no byte of the old epoch is left in our files.
package struct KeyDestruction: Sendable, Hashable {
  /// The epoch in force.
  package let epoch: UInt64
  /// The keys that are gone.
  package let destroyed: [KeyID]
  /// Keys of others that could not be read, and that the caller gave up.
  package let lost: [KeyID]

  package init(epoch: UInt64, destroyed: [KeyID], lost: [KeyID]) {
    (self.epoch, self.destroyed, self.lost) = (epoch, destroyed, lost)
  }
}

/// The keys of all accounts on this machine: makes them, derives from them, destroys them (design, accounts, section 8).
///
///     var store = try KeyStore.open(at: place, credential: nil, machine: id, disk: FileKeyDisk())
///     let key = try store.writingKey(for: object, of: anna)           // the newest key, made on demand
///     try store.readingKey(for: object, under: key.id, of: anna)      // the same bytes
///     try store.destroy([anna])
///     try store.readingKey(for: object, under: key.id, of: anna)      // throws destroyed
///
/// Each key lies in a file of its own under a key that is derived from two secrets: the machine's, which stays, and the
/// epoch's. A destruction makes a new epoch, wraps the keys that remain anew, and destroys the old epoch's secret. Every
/// copy of the old files is then worth nothing, wherever it lies: unless that secret was copied, too.
///
/// **What this rests on.** The epoch's secret should lie in the NV memory of a TPM, which no backup copies; this module
/// does not reach one. So "destroyed also in backups" holds as far as the following does:
///
/// - No backup has `keys/`, or whoever has it lacks the secret: a systemd credential that is sealed to the TPM, or
///   `keys.secret`, which has to stay out of backups.
/// - The file system writes zeros over the old bytes in their place: ext4 and XFS do; btrfs, ZFS, snapshots and the spare
///   blocks of a flash disk keep old ones. Put the state on an encrypted volume there.
/// - A `keys/` that comes back is noticed by `keys.register`, which lies beside it, and refused. When both come back, with
///   the secret, the daemon cannot tell: the whole state directory is then the one of that day.
///
/// One thread uses it at a time; all methods that are `mutating` wait for the disk.
package struct KeyStore<Disk: KeyDisk>: ~Copyable {
  let files: KeyFiles<Disk>
  var register: KeyRegister
  var wrapping: SecretBytes
  /// The keys that opened.
  var keys: [KeyID: SecretBytes] = [:]
  /// Why others did not.
  var faults: [KeyID: KeyStoreError] = [:]
  /// Folders of epochs that are not in force and still there.
  var leftovers: [EpochFolder] = []
  /// The copies for the organisation.
  var escrow = EscrowBook()
  /// A step failed behind which files and memory may differ: nothing is given until the keys are opened again.
  package internal(set) var isInDoubt = false
  /// What was found when the keys were opened.
  package var notices: [KeyNotice] = []

  init(_ files: KeyFiles<Disk>, _ register: KeyRegister, wrapping: SecretBytes) {
    (self.files, self.register, self.wrapping) = (files, register, wrapping)
  }

  /// The epoch in force; each destruction adds one.
  package var epoch: UInt64 { register.epoch }

  /// Whether the account has a key. A damaged one counts.
  package func hasKey(_ owner: KeyOwner) -> Bool { newestKey(of: owner) != nil }

  /// Whether `writingKey` waits for no disk: the account has a key, and the key its copy.
  package func isReadyToWrite(_ owner: KeyOwner) -> Bool { register.newest(of: owner).map(escrow.isContent) ?? false }

  /// The number of the account's newest key, which new objects get; nil for an account without keys.
  package func newestKey(of owner: KeyOwner) -> KeyID? { register.newest(of: owner)?.id }

  /// Number of accounts of a person that have keys: whoever gives keys away keeps it small, since a person can invent
  /// accounts, and all persons' keys have one maximum.
  package func accounts(of uid: UInt32) -> Int { register.accounts(of: uid) }

  /// Number of living keys, damaged ones included.
  package var keyCount: Int { register.living.count }

  /// The account's newest key for a new object. An account without keys gets its first one; an account whose newest key is
  /// damaged gets none.
  package mutating func writingKey(
    for object: SealedObjectID, of owner: KeyOwner, use: KeyUse = .envelope
  ) throws(KeyStoreError) -> DataKey {
    let id: KeyID
    if let newest = register.newest(of: owner) {
      id = newest.id
      try keepCopy(of: newest)
    } else {
      id = try makeKey(of: owner)
    }
    return DataKey(id: id, bytes: KeyDerivation.dataKey(try key(id), object, use))
  }

  /// The key under which an object was sealed. The ids of other owners are unknown, so that nobody finds out which there
  /// are.
  package func readingKey(
    for object: SealedObjectID, under id: KeyID, of owner: KeyOwner, use: KeyUse = .envelope
  ) throws(KeyStoreError) -> DataKey {
    guard register.living[id]?.owner == owner else {
      throw register.isDestroyed(id, of: owner) ? .destroyed(id) : .unknownKey(id)
    }
    return DataKey(id: id, bytes: KeyDerivation.dataKey(try key(id), object, use))
  }

  /// Gives the account a new key; the older ones only open.
  package mutating func rotate(_ owner: KeyOwner) throws(KeyStoreError) -> KeyID { try makeKey(of: owner) }

  private func key(_ id: KeyID) throws(KeyStoreError) -> SecretBytes {
    guard !isInDoubt else { throw .inDoubt }
    guard let key = keys[id] else { throw faults[id] ?? .missing(id) }
    return key
  }

  private mutating func makeKey(of owner: KeyOwner) throws(KeyStoreError) -> KeyID {
    guard !isInDoubt else { throw .inDoubt }
    let known = KnownKey(id: .random(), owner: owner, serial: register.nextSerial)
    try include(SecretBytes.random(WrappedKey.keyCount), known)
    return known.id
  }

  /// Lets a key live. Its copy for the organisation comes first, so that nobody ever seals under a key without one; then its
  /// file: a power cut leaves a key that the register does not name and that nobody got.
  mutating func include(_ key: SecretBytes, _ known: KnownKey) throws(KeyStoreError) {
    guard register.living.count < KeyRegister.maximumKeys else { throw .full }
    var next = register
    next.add(known)
    try keepCopy(of: known, key)
    do throws(KeyStoreError) { try files.add(key, known, epoch: epoch, under: wrapping) } catch {
      dropCopy(of: known)
      throw error
    }
    try write(next)
    register = next
    keys[known.id] = key
  }

  /// Replaces the register. A failure leaves the old one in force, but for one that nobody can judge from here.
  mutating func write(_ next: KeyRegister) throws(KeyStoreError) {
    do throws(KeyStoreError) { try files.write(next) } catch {
      isInDoubt = error == .inDoubt
      throw error
    }
  }
}
