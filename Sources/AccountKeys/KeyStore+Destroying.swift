internal import Secrets

extension KeyStore {
  /// Destroys all keys of these owners, and returns when nothing of them is left in our files. Owners without keys are no
  /// error: call it again after a failure or a restart, until it returns.
  ///
  /// A key of another owner that cannot be read cannot be wrapped anew. The destruction waits then (`wouldLose`): the file
  /// may be repaired and the keys opened again, or an administrator gives that key up.
  ///
  /// 1. A folder for the next epoch is made: a new secret, and the keys that remain, wrapped anew. All of it is synced.
  /// 2. The register is replaced: the epoch is in force, the keys are tombstones. A power cut before leaves everything as it
  ///    was, and one behind it leaves the destruction done, but for the rest of it.
  /// 3. The folder gets its final name.
  /// 4. The old folder is overwritten and removed, its secret first.
  ///
  /// Opening the keys does the rest of what was interrupted.
  package mutating func destroy(
    _ owners: Set<KeyOwner>, givingUp given: Set<KeyID> = []
  ) throws(KeyStoreError) -> KeyDestruction {
    guard !isInDoubt else { throw .inDoubt }
    try eraseLeftovers()
    let all = register.living.values.sorted { $0.serial < $1.serial }
    let doomed = all.filter { owners.contains($0.owner) }
    guard !doomed.isEmpty else { return KeyDestruction(epoch: epoch, destroyed: [], lost: []) }
    let unreadable = all.filter { !owners.contains($0.owner) && keys[$0.id] == nil }
    let wouldLose = unreadable.map(\.id).filter { !given.contains($0) }
    guard wouldLose.isEmpty else { throw .wouldLose(wouldLose) }
    var next = register
    next.bury(doomed + unreadable)
    next.epoch += 1
    try changeEpoch(to: next, kept(by: next))
    return KeyDestruction(epoch: epoch, destroyed: doomed.map(\.id), lost: unreadable.map(\.id))
  }

  private func kept(by next: KeyRegister) -> [(KnownKey, SecretBytes)] {
    next.living.values.compactMap { known in keys[known.id].map { (known, $0) } }
  }

  private mutating func changeEpoch(
    to next: KeyRegister, _ kept: [(KnownKey, SecretBytes)]
  ) throws(KeyStoreError) {
    let old = EpochFolder(epoch)
    let wrapping = try files.make(next.epoch, kept)
    try write(next)
    (register, self.wrapping) = (next, wrapping)
    // The destroyed keys are wiped from memory with their last owner.
    keys = [:]
    for (known, key) in kept { keys[known.id] = key }
    faults = faults.filter { next.living[$0.key] != nil }
    do throws(KeyStoreError) { try files.finish(epoch) } catch {
      // The folder has its old name or its new one.
      isInDoubt = true
      throw error
    }
    leftovers.append(old)
    try eraseLeftovers()
  }

  /// Erases the folders of epochs that are not in force.
  mutating func eraseLeftovers() throws(KeyStoreError) {
    while let folder = leftovers.last {
      try files.erase(folder)
      leftovers.removeLast()
    }
  }
}
