package import Secrets

extension KeyStore {
  /// Opens the keys of a machine; on a disk without any it begins the first epoch.
  ///
  /// Throws when nothing of them can be believed: a directory or a register out of a backup, a secret of another day, files
  /// that others can read. Then every account's `DataKey` is refused, and nothing on the disk is touched. A single key that
  /// is damaged is a notice, and refuses for its account only.
  ///
  /// - Parameters:
  ///   - credential: the credential of systemd; nil takes the secret in the state directory, made once.
  ///   - machine: the machine's id, as in `/etc/machine-id`.
  package static func open(
    at place: KeyPlace, credential: SecretBytes?, machine: String, disk: Disk
  ) throws(KeyStoreError) -> KeyStore {
    guard !machine.isEmpty else { throw .noMachine }
    let stored = try disk.bytes(at: place.register, maximum: KeyRegister.maximumBytes)
    let folders = try KeyFiles.folders(disk, place)
    if stored == nil { try requireNoKeys(folders.ours, disk, place) }
    let secret: SecretBytes
    if let credential {
      secret = credential
    } else {
      secret = try KeySecret.file(disk, place, isFirst: stored == nil)
    }
    let files = KeyFiles(
      disk: disk, place: place, secret: secret, registerKey: KeyDerivation.registerKey(secret),
      machine: Array(machine.utf8))
    guard let stored else { return try begin(files, folders.ours) }
    let register = try files.register(stored)
    try files.settle(folders.ours, epoch: register.epoch)
    var store = KeyStore(files, register, wrapping: try files.wrappingKey(register.epoch))
    store.notices = folders.foreign.map { .foreign(path: place.directory + "/" + $0) }
    try store.load()
    try store.loadCopies()
    store.eraseOtherEpochs(folders.ours)
    return store
  }

  /// Without a register there may be the beginnings of a first epoch, and no key.
  private static func requireNoKeys(
    _ folders: [EpochFolder], _ disk: Disk, _ place: KeyPlace
  ) throws(KeyStoreError) {
    for folder in folders {
      let names = try disk.names(in: place.path(of: folder)) ?? []
      guard !names.contains(where: { $0.hasSuffix(KeyFiles<Disk>.keySuffix) }) else {
        throw .registerLost(path: place.register)
      }
    }
  }

  private static func begin(
    _ files: KeyFiles<Disk>, _ leftovers: [EpochFolder]
  ) throws(KeyStoreError) -> KeyStore {
    try files.disk.makeDirectory(files.place.directory)
    try files.disk.sync(files.place.state)
    for folder in leftovers { try files.erase(folder) }
    let register = KeyRegister()
    let wrapping = try files.make(register.epoch, [])
    try files.write(register)
    try files.finish(register.epoch)
    var store = KeyStore(files, register, wrapping: wrapping)
    store.notices = [.began]
    try store.loadCopies()
    return store
  }

  /// Reads the keys of the epoch in force.
  private mutating func load() throws(KeyStoreError) {
    let folder = files.place.path(of: EpochFolder(epoch))
    var unnamed: [KnownKey] = []
    for name in try files.disk.names(in: folder) ?? [] where name != EpochFolder.secret {
      let isUnfinished = name.hasSuffix(KeyFiles<Disk>.keySuffix + EpochFolder.unfinished)
      if isUnfinished {
        // A key that was not finished: nobody got it.
        try? files.disk.remove(folder + "/" + name)
      } else if let id = Self.id(of: name), !register.isDestroyed(id) {
        take(id, folder + "/" + name, &unnamed)
      } else {
        notices.append(.foreign(path: folder + "/" + name))
      }
    }
    for id in register.living.keys where keys[id] == nil && faults[id] == nil { faults[id] = .missing(id) }
    notices += faults.sorted { $0.key.hex < $1.key.hex }.map { .fault($0.key, $0.value) }
    try adopt(unnamed)
  }

  private static func id(of name: String) -> KeyID? {
    guard name.hasSuffix(KeyFiles<Disk>.keySuffix) else { return nil }
    return KeyID(hex: String(name.dropLast(KeyFiles<Disk>.keySuffix.utf8.count)))
  }

  private mutating func take(_ id: KeyID, _ path: String, _ unnamed: inout [KnownKey]) {
    do throws(KeyStoreError) {
      let (known, key) = try files.key(id, epoch: epoch, under: wrapping)
      if let registered = register.living[id] {
        guard registered == known else { throw .damaged(path: path, reason: "the register says otherwise") }
      } else {
        unnamed.append(known)
      }
      keys[id] = key
    } catch {
      if register.living[id] != nil { faults[id] = error } else { notices.append(.foreign(path: path)) }
    }
  }

  /// Keys that open and that the register does not name. To forget one could lose data, since an older register may have
  /// come back; to keep one that nobody got costs nothing.
  private mutating func adopt(_ found: [KnownKey]) throws(KeyStoreError) {
    guard !found.isEmpty else { return }
    for key in found.sorted(by: { $0.serial < $1.serial }) {
      register.add(key)
      notices.append(.adopted(key.id))
    }
    try files.write(register)
  }

  /// The epoch in force is whole; others are the rest of something interrupted, or came back.
  private mutating func eraseOtherEpochs(_ folders: [EpochFolder]) {
    leftovers = folders.filter { $0.number != epoch }
    let before = leftovers
    do throws(KeyStoreError) { try eraseLeftovers() } catch {
      notices += leftovers.suffix(1).map { .notErased(epoch: $0.number, error) }
    }
    notices += before.filter { !leftovers.contains($0) }.map { .erased(epoch: $0.number) }
  }
}

extension KeyFiles {
  /// Makes sure that the epoch in force, and none later, has its folder.
  func settle(_ folders: [EpochFolder], epoch: UInt64) throws(KeyStoreError) {
    let final = folders.filter(\.isFinal).map(\.number)
    if let later = final.max(), later > epoch { throw .registerRestored(epoch: epoch, found: later) }
    let isNew = folders.contains(EpochFolder(epoch, isFinal: false))
    switch (final.contains(epoch), isNew) {
    case (true, false): return
    case (false, true): try finish(epoch)
    case (true, true):
      throw .damaged(path: place.path(of: EpochFolder(epoch)), reason: "there are two directories of this epoch")
    case (false, false):
      guard let older = final.max() else { throw .keysLost(epoch: epoch) }
      throw .restored(epoch: older, known: epoch)
    }
  }
}
