internal import Secrets

/// The copies of keys for an organisation: which there are, and the key that the next ones are sealed to.
struct EscrowBook: Sendable {
  /// Nil where the policy wants none.
  var recipient: EscrowPublicKey?
  /// The owners of keys with a copy, by the copy's name. Copies of destroyed keys are among them.
  var copies: [CopyName: KeyOwner] = [:]
  /// Keys that got a copy, and of which nobody outside has heard.
  var fresh: [KnownKey] = []

  struct CopyName: Sendable, Hashable {
    let id: KeyID
    let escrowKey: SixteenBytes
  }

  /// Whether everything that the policy wants of a key is there.
  func isContent(with key: KnownKey) -> Bool {
    guard let recipient else { return true }
    return copies[CopyName(id: key.id, escrowKey: recipient.id)] == key.owner
  }
}

/// Which keys and copies there are, without a part of any: to hand around copies nothing.
package struct KeyCensus: Sendable {
  /// The newest key of each account, damaged ones included.
  package private(set) var newest: [KeyOwner: KnownKey] = [:]
  private var living: [KeyID: KnownKey] = [:]
  private var copies: [EscrowBook.CopyName: KeyOwner] = [:]

  /// Of a machine without keys.
  package init() {}

  init(newest: [KeyOwner: KnownKey], living: [KeyID: KnownKey], copies: [EscrowBook.CopyName: KeyOwner]) {
    (self.newest, self.living, self.copies) = (newest, living, copies)
  }

  /// Number of living keys.
  package var keyCount: Int { living.count }

  /// Number of living keys of these owners.
  package func keys(of owners: Set<KeyOwner>) -> Int { living.values.count { owners.contains($0.owner) } }

  /// Number of copies of these owners' keys, those of destroyed keys among them.
  package func copies(of owners: Set<KeyOwner>) -> Int { copies.values.count { owners.contains($0) } }

  /// Number of living keys that have a copy for this public key.
  package func copied(for recipient: EscrowPublicKey) -> Int {
    let name = recipient.id
    return living.values.count { copies[EscrowBook.CopyName(id: $0.id, escrowKey: name)] == $0.owner }
  }
}

/// Escrow: the organisation can read what was sealed here after this machine, or its keys, are lost by accident.
///
/// Copies stay when a wipe destroys a key: only somebody who has the private key and a copy can read its data then. This
/// machine refuses such a key for good.
extension KeyStore {
  /// Sets the public key that copies are sealed to, and makes the copies that are missing, the oldest keys first. From here
  /// on no key seals anything before its copy is on the disk.
  ///
  /// - Parameter most: copies to make at one time; call it again while `missingCopies` is not 0.
  package mutating func keepCopies(for recipient: EscrowPublicKey?, most: Int = .max) throws(KeyStoreError) {
    escrow.recipient = recipient
    guard let recipient, !isInDoubt else { return }
    guard recipient.isSafe else { throw .escrowKeyUnsafe }
    for known in uncopied.sorted(by: { $0.serial < $1.serial }).prefix(most) { try keepCopy(of: known) }
  }

  /// Number of keys that can be used and have no copy.
  package var missingCopies: Int { uncopied.count }

  /// Which keys and copies there are.
  package var census: KeyCensus {
    KeyCensus(newest: register.newest, living: register.living, copies: escrow.copies)
  }

  /// The keys that got a copy since the last call.
  package mutating func takeFreshCopies() -> [KnownKey] {
    defer { escrow.fresh = [] }
    return escrow.fresh
  }

  private var uncopied: [KnownKey] {
    register.living.values.filter { keys[$0.id] != nil && !escrow.isContent(with: $0) }
  }

  /// Sees to it that a living key has its copy.
  mutating func keepCopy(of known: KnownKey) throws(KeyStoreError) {
    guard let key = keys[known.id], !escrow.isContent(with: known) else { return }
    try keepCopy(of: known, key)
  }

  /// Writes the copy of a key, which is on the disk when this returns.
  mutating func keepCopy(of known: KnownKey, _ key: SecretBytes) throws(KeyStoreError) {
    guard let recipient = escrow.recipient else { return }
    let machine = EscrowCopy.machine(String(decoding: files.machine, as: UTF8.self))
    guard let copy = EscrowCopy(key, known, epoch: epoch, machine: machine, to: recipient) else {
      throw .escrowKeyUnsafe
    }
    try files.add(copy)
    escrow.copies[EscrowBook.CopyName(id: copy.id, escrowKey: copy.escrowKey)] = copy.owner
    escrow.fresh.append(known)
  }

  /// A key that did not come to live has no copy.
  mutating func dropCopy(of known: KnownKey) {
    guard let recipient = escrow.recipient else { return }
    let name = EscrowBook.CopyName(id: known.id, escrowKey: recipient.id)
    escrow.copies[name] = nil
    escrow.fresh.removeAll { $0.id == known.id }
    try? files.disk.remove(files.place.escrow + "/\(known.id.hex)-\(recipient.id.hex)\(EscrowCopy.suffix)")
  }

  /// Reads which copies there are. One that was changed counts as missing, and is written anew.
  mutating func loadCopies() throws(KeyStoreError) {
    for name in try files.disk.names(in: files.place.escrow) ?? [] {
      let path = files.place.escrow + "/" + name
      if name.hasSuffix(EpochFolder.unfinished) {
        try? files.disk.remove(path)
      } else if let copy = copy(at: path), copy.name == name {
        escrow.copies[EscrowBook.CopyName(id: copy.id, escrowKey: copy.escrowKey)] = copy.owner
      } else {
        notices.append(.foreign(path: path))
      }
    }
  }

  private func copy(at path: String) -> EscrowCopy? {
    (try? files.disk.bytes(at: path, maximum: EscrowCopy.byteCount)).flatMap { $0 }.flatMap { EscrowCopy($0) }
  }

  // MARK: Back

  /// The public key to which a key is sealed that shall come to this machine. It stays as long as the secret.
  package var importKey: EscrowPublicKey { files.importKey.publicKey }

  /// Takes in a key that a copy has, for reading alone: data that was sealed under it opens again. New data gets the
  /// account's newest key of this machine, which is made if there is none.
  ///
  /// - Parameters:
  ///   - copy: sealed to `importKey`.
  ///   - uid: the person here, who may have had another number there.
  /// - Returns: false when the key is here already.
  /// - Throws: `destroyed` for a key that a wipe destroyed on this machine, whoever has its copy; `copyUnusable` for one that
  ///   was changed or sealed to another key, and for a key that another person or account has.
  package mutating func recover(_ copy: EscrowCopy, for uid: UInt32) throws(KeyStoreError) -> Bool {
    guard !isInDoubt else { throw .inDoubt }
    let owner = KeyOwner(uid: uid, account: copy.owner.account)
    guard !register.isDestroyed(copy.id) else { throw .destroyed(copy.id) }
    guard let key = copy.open(with: files.importKey) else {
      throw .copyUnusable(copy.id, reason: "it was changed, or not sealed to the import key of this machine")
    }
    if let known = register.living[copy.id] {
      guard known.owner == owner else { throw .copyUnusable(copy.id, reason: "another person or account has this key") }
      if keys[copy.id] != nil { return false }
      throw faults[copy.id] ?? .missing(copy.id)
    }
    if !hasKey(owner) { _ = try rotate(owner) }
    // Older than every key that was made here.
    try include(key, KnownKey(id: copy.id, owner: owner, serial: 0))
    return true
  }
}

extension KeyFiles {
  /// The key pair of this machine for keys that come back, derived from the secret.
  var importKey: EscrowPrivateKey { EscrowPrivateKey(secret: KeyDerivation.importKey(secret, machine: machine)) }

  /// A copy under its name, on the disk, in the place of one that was changed.
  func add(_ copy: EscrowCopy) throws(KeyStoreError) {
    let path = place.escrow + "/" + copy.name
    try disk.makeDirectory(place.escrow)
    try disk.sync(place.state)
    try removeIfPresent(path + EpochFolder.unfinished)
    try disk.create(path + EpochFolder.unfinished, copy.bytes)
    try disk.move(path + EpochFolder.unfinished, to: path)
    try disk.sync(place.escrow)
  }
}
