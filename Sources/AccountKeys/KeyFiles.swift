internal import Platform
internal import Secrets

/// Where the files lie.
///
///     STATE/keys.register               which keys there are and were: `KeyRegister`
///     STATE/keys.secret                 the secret, where systemd gives none
///     STATE/keys/epoch-7/secret         the epoch's own 32 random bytes
///     STATE/keys/epoch-7/KEYID.key      a `WrappedKey`
///     STATE/keys/epoch-8.new/           an epoch that is being made
///     STATE/escrow/KEYID-ESCROWKEY.escrow    an `EscrowCopy`
package struct KeyPlace: Sendable, Hashable {
  let state: String

  /// - Parameter state: the directory of the daemon's state, without a `/` at its end.
  package init(state: String) { self.state = state }

  package var directory: String { state + "/keys" }
  package var register: String { state + "/keys.register" }
  package var secret: String { state + "/keys.secret" }
  /// Outside of the directory of the keys, since an administrator copies it off the machine.
  package var escrow: String { state + "/escrow" }

  func path(of folder: EpochFolder) -> String { directory + "/" + folder.name }
}

/// The directory of one epoch.
struct EpochFolder: Sendable, Hashable {
  let number: UInt64
  /// Its name is final. One that is not may lack files, unless the register says that it is in force.
  let isFinal: Bool

  static let secret = "secret"
  private static let prefix = "epoch-"
  /// Behind the name of everything that is not in its place yet.
  static let unfinished = ".new"

  init(_ number: UInt64, isFinal: Bool = true) { (self.number, self.isFinal) = (number, isFinal) }

  /// The folder of that name; nil when it is none of ours.
  init?(name: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    var digits = name.dropFirst(Self.prefix.utf8.count)
    isFinal = !digits.hasSuffix(Self.unfinished)
    if !isFinal { digits = digits.dropLast(Self.unfinished.utf8.count) }
    guard let number = UInt64(digits), String(number) == digits else { return nil }
    self.number = number
  }

  var name: String { Self.prefix + String(number) + (isFinal ? "" : Self.unfinished) }
}

/// The work on the files, step by step, and the secrets that it takes. It keeps no state of its own.
struct KeyFiles<Disk: KeyDisk>: Sendable {
  let disk: Disk
  let place: KeyPlace
  let secret: SecretBytes
  let registerKey: SecretBytes
  let machine: [UInt8]

  static var keySuffix: String { ".key" }

  // MARK: Register

  func register(_ bytes: [UInt8]) throws(KeyStoreError) -> KeyRegister {
    do throws(KeyRegisterFault) {
      return try KeyRegister(bytes, machine: machine, key: registerKey)
    } catch {
      throw error == .otherMachine ? .otherMachine : .registerDamaged(path: place.register)
    }
  }

  /// Replaces the register: everything before the last step leaves the old one in force, and the last is `inDoubt` when it
  /// fails, since the disk may have either.
  func write(_ register: KeyRegister) throws(KeyStoreError) {
    let new = place.register + EpochFolder.unfinished
    try removeIfPresent(new)
    try disk.create(new, register.bytes(machine: machine, key: registerKey))
    try disk.move(new, to: place.register)
    do throws(KeyStoreError) { try disk.sync(place.state) } catch { throw .inDoubt }
  }

  // MARK: Epochs

  /// The folders that are there, and the names that are none of ours.
  static func folders(_ disk: Disk, _ place: KeyPlace) throws(KeyStoreError) -> (ours: [EpochFolder], foreign: [String])
  {
    let names = try disk.names(in: place.directory) ?? []
    return (names.compactMap(EpochFolder.init), names.filter { EpochFolder(name: $0) == nil })
  }

  /// Makes the folder of a new epoch, all of it on the disk, under its unfinished name. Returns the key that its keys lie
  /// under.
  func make(_ epoch: UInt64, _ keys: [(KnownKey, SecretBytes)]) throws(KeyStoreError) -> SecretBytes {
    let folder = EpochFolder(epoch, isFinal: false)
    try erase(folder)
    let path = place.path(of: folder)
    try disk.makeDirectory(path)
    let epochSecret = SecretBytes.random(KeyDerivation.count)
    try create(path + "/" + EpochFolder.secret, epochSecret)
    // The secret can be found again before anything lies under it: else a power cut could leave both on the disk without a
    // name, where nothing erases them.
    try disk.sync(path)
    try disk.sync(place.directory)
    let wrapping = KeyDerivation.wrappingKey(secret, epoch: epochSecret)
    for (known, key) in keys {
      let file = WrappedKey(key, known, epoch: epoch, under: wrapping, machine: machine)
      try disk.create(path + "/" + known.id.hex + Self.keySuffix, file.bytes)
    }
    try disk.sync(path)
    return wrapping
  }

  /// Gives the folder its final name; the register says already that it is in force.
  func finish(_ epoch: UInt64) throws(KeyStoreError) {
    try disk.move(place.path(of: EpochFolder(epoch, isFinal: false)), to: place.path(of: EpochFolder(epoch)))
    try disk.sync(place.directory)
  }

  /// The key that an epoch's keys lie under.
  func wrappingKey(_ epoch: UInt64) throws(KeyStoreError) -> SecretBytes {
    let path = place.path(of: EpochFolder(epoch)) + "/" + EpochFolder.secret
    guard var bytes = try disk.bytes(at: path, maximum: KeyDerivation.count) else {
      throw .damaged(path: path, reason: "it is gone")
    }
    let epochSecret = SecretBytes(taking: &bytes)
    guard epochSecret.count == KeyDerivation.count, !epochSecret.isZero else {
      throw .damaged(path: path, reason: "it does not hold \(KeyDerivation.count) random bytes")
    }
    return KeyDerivation.wrappingKey(secret, epoch: epochSecret)
  }

  /// Overwrites and removes a folder, its secret first: without that nothing else in it opens. A part of a folder will do,
  /// and none.
  func erase(_ folder: EpochFolder) throws(KeyStoreError) {
    let path = place.path(of: folder)
    guard let names = try disk.names(in: path) else { return }
    let files = names.sorted { ($0 != EpochFolder.secret ? 1 : 0, $0) < ($1 != EpochFolder.secret ? 1 : 0, $1) }
    for name in files { try disk.overwrite(path + "/" + name) }
    for name in files { try disk.remove(path + "/" + name) }
    try disk.sync(path)
    try disk.remove(path)
    try disk.sync(place.directory)
  }

  // MARK: Keys

  /// A new key in the folder of its epoch, on the disk. It counts once the register names it.
  func add(_ key: SecretBytes, _ known: KnownKey, epoch: UInt64, under wrapping: SecretBytes) throws(KeyStoreError) {
    let folder = place.path(of: EpochFolder(epoch))
    let path = folder + "/" + known.id.hex + Self.keySuffix
    let file = WrappedKey(key, known, epoch: epoch, under: wrapping, machine: machine)
    try disk.create(path + EpochFolder.unfinished, file.bytes)
    try disk.move(path + EpochFolder.unfinished, to: path)
    try disk.sync(folder)
  }

  /// The key in a file of an epoch. Throws for every file that is not as it was written, or not the one of that name.
  func key(
    _ id: KeyID, epoch: UInt64, under wrapping: SecretBytes
  ) throws(KeyStoreError) -> (known: KnownKey, key: SecretBytes) {
    let path = place.path(of: EpochFolder(epoch)) + "/" + id.hex + Self.keySuffix
    guard let bytes = try disk.bytes(at: path, maximum: WrappedKey.byteCount) else { throw .missing(id) }
    guard let file = WrappedKey(bytes) else { throw .damaged(path: path, reason: "it is not a key file") }
    guard file.id == id else { throw .damaged(path: path, reason: "it is the file of another key") }
    guard file.epoch == epoch else { throw .damaged(path: path, reason: "it is of epoch \(file.epoch)") }
    guard let key = file.open(under: wrapping, machine: machine) else {
      throw .damaged(path: path, reason: "it does not open: it was changed")
    }
    return (file.known, key)
  }

  // MARK: Steps

  func removeIfPresent(_ path: String) throws(KeyStoreError) {
    do throws(KeyStoreError) { try disk.remove(path) } catch {
      guard case .system(let cause) = error, cause.isAbsence else { throw error }
    }
  }

  private func create(_ path: String, _ secret: SecretBytes) throws(KeyStoreError) {
    try Self.create(disk, path, secret)
  }

  static func create(_ disk: Disk, _ path: String, _ secret: SecretBytes) throws(KeyStoreError) {
    var bytes = secret.withBytes { Array($0) }
    defer { SecretBytes.wipe(&bytes) }
    try disk.create(path, bytes)
  }
}
