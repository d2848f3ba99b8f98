package import Platform

/// Why there is no key. Each is a refusal, and none ever leads to a new key in the place of an old one.
package enum KeyStoreError: Error, Sendable, Hashable, CustomStringConvertible {
  case system(SystemError)
  /// Others than the daemon may read or write it, or could have put it there.
  case exposed(path: String, reason: String)
  /// A file is not as it was written.
  case damaged(path: String, reason: String)
  /// The directory of the keys came back out of a backup: its epoch was destroyed.
  case restored(epoch: UInt64, known: UInt64)
  /// The register came back out of a backup: there are keys of a later epoch than it knows.
  case registerRestored(epoch: UInt64, found: UInt64)
  /// There are keys, and no register that says which of them were destroyed.
  case registerLost(path: String)
  /// There is a register, and the directory of the epoch in force is gone.
  case keysLost(epoch: UInt64)
  /// The register does not open with this secret: it was changed, or the secret is another one.
  case registerDamaged(path: String)
  /// The register was written on another machine.
  case otherMachine
  /// This machine has no id, to which keys could be bound.
  case noMachine
  /// The secret that the keys lie under cannot be used.
  case secret(path: String, reason: String)
  /// The register names the key, and its file is gone.
  case missing(KeyID)
  /// The key was destroyed, with the account's data.
  case destroyed(KeyID)
  /// This person's account has no such key.
  case unknownKey(KeyID)
  /// A destruction would lose these keys of others, which cannot be read.
  case wouldLose([KeyID])
  /// A copy of a key that shall come back cannot be used.
  case copyUnusable(KeyID, reason: String)
  /// Everybody could open copies that are sealed to this public escrow key.
  case escrowKeyUnsafe
  /// There are as many keys as there may be.
  case full
  /// An earlier change may have reached the disk or not: the keys have to be opened again.
  case inDoubt

  /// For people; the end of a sentence, without key bytes.
  package var description: String {
    switch self {
    case .system(let error): error.description
    case .exposed(let path, let reason), .damaged(let path, let reason), .secret(let path, let reason):
      "`\(path)` cannot be used: \(reason)"
    case .restored(let epoch, let known):
      "the keys came back out of a backup: they are of epoch \(epoch), which was destroyed; \(known) is in force"
    case .registerRestored(let epoch, let found):
      "the register came back out of a backup: it knows epoch \(epoch), and there are keys of epoch \(found)"
    case .registerLost(let path): "there are keys, and no `\(path)` that says which of them were destroyed"
    case .keysLost(let epoch): "the directory of epoch \(epoch), which is in force, is gone"
    case .registerDamaged(let path): "`\(path)` was changed, or the secret of the keys is another one"
    case .otherMachine: "the keys were made on another machine"
    case .noMachine: "the machine has no id"
    case .missing(let id): "the file of key \(id.hex) is gone"
    case .destroyed(let id): "key \(id.hex) was destroyed"
    case .unknownKey(let id): "the account has no key \(id.hex)"
    case .wouldLose(let ids):
      "a destruction would lose other keys that cannot be read: \(ids.map(\.hex).joined(separator: ", "))"
    case .copyUnusable(let id, let reason): "the copy of key \(id.hex) cannot be used: \(reason)"
    case .escrowKeyUnsafe: "the public key in `escrow` is none: everybody could open what is sealed to it"
    case .full: "there are \(KeyRegister.maximumKeys) keys already"
    case .inDoubt: "an earlier change may be on the disk or not"
    }
  }
}

/// Something that whoever runs the daemon should hear of, found while keys were opened.
package enum KeyNotice: Sendable, Hashable, CustomStringConvertible {
  /// There were no keys yet: the first epoch began.
  case began
  /// A key cannot be used.
  case fault(KeyID, KeyStoreError)
  /// A key that the register does not name opens under the epoch in force: the daemon ended between the two files, or the
  /// register is an older one.
  case adopted(KeyID)
  /// What was left of an epoch that is not in force is erased: a destruction was interrupted, or a backup came back.
  case erased(epoch: UInt64)
  /// It could not be erased.
  case notErased(epoch: UInt64, KeyStoreError)
  /// An entry that is none of ours; it is left alone.
  case foreign(path: String)

  package var description: String {
    switch self {
    case .began: "the first keys are made"
    case .fault(let id, let error): "key \(id.hex): \(error)"
    case .adopted(let id): "key \(id.hex) was not in the register, and is now"
    case .erased(let epoch): "what was left of epoch \(epoch) is erased"
    case .notErased(let epoch, let error): "what is left of epoch \(epoch) cannot be erased: \(error)"
    case .foreign(let path): "`\(path)` is none of ours"
    }
  }
}
