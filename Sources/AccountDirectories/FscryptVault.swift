internal import AccountKeys
internal import CEncryption
internal import Glibc
internal import Platform
internal import Secrets

/// A directory that the file system encrypts. Its key is given to the file system, and taken away again.
struct FscryptVault: Vault {
  func isOpen(_ place: DirectoryPlace) throws(DirectoryFault) -> Bool {
    guard let identifier = try identifier(of: place.files) else { return false }
    return try Descriptor(place.area).has(identifier)
  }

  func open(_ place: DirectoryPlace, _ key: SecretBytes) throws(DirectoryFault) {
    let area = try Descriptor(place.area)
    let identifier = try area.add(key)
    if FileStatus(entry: place.files) == nil { try make(place, identifier, in: area) }
    guard try self.identifier(of: place.files) == identifier else {
      _ = try? area.remove(identifier)
      throw .wrongKey(path: place.files)
    }
  }

  func close(_ place: DirectoryPlace) throws(DirectoryFault) -> DirectoryStore.Closing {
    guard let identifier = try identifier(of: place.files) else { return .closed }
    return try Descriptor(place.area).remove(identifier) ? .filesStillOpen : .closed
  }

  /// The directory itself is not open any more when its key is taken away: it would count as in use.
  private func identifier(of path: String) throws(DirectoryFault) -> [UInt8]? {
    FileStatus(entry: path) == nil ? nil : try Descriptor(path).identifier()
  }

  /// Under another name first: a directory named `files` is encrypted and its user's.
  private func make(_ place: DirectoryPlace, _ identifier: [UInt8], in area: borrowing Descriptor)
    throws(DirectoryFault)
  {
    let new = place.files + ".new"
    if rmdir(new) != 0, errno != ENOENT { throw .system(SystemError("remove", new)) }
    try system { () throws(SystemError) in try Directory.make(new) }
    let directory = try Descriptor(new)
    guard fscrypt_encrypt(directory.number, identifier) == 0 else { throw .system(SystemError("encrypt", new)) }
    try RootDirectory.make(new, mode: 0o700, owner: place.owner.uid)
    try system { () throws(SystemError) in
      try DirectoryEntry.move(new, to: place.files)
      try Directory.sync(place.area)
    }
  }
}

/// A directory that is open for questions about its keys.
struct Descriptor: ~Copyable {
  let number: Int32
  private let path: String

  init(_ path: String) throws(DirectoryFault) {
    self.path = path
    number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else { throw .system(SystemError("open", path)) }
  }

  deinit { if number >= 0 { Glibc.close(number) } }

  /// The key under which it is encrypted; nil where it is not.
  func identifier() throws(DirectoryFault) -> [UInt8]? {
    var identifier = [UInt8](repeating: 0, count: Int(FSCRYPT_IDENTIFIER_BYTES))
    if fscrypt_identifier(number, &identifier) == 0 { return identifier }
    if errno == ENODATA { return nil }
    throw fault("ask how files are encrypted in")
  }

  func add(_ key: SecretBytes) throws(DirectoryFault) -> [UInt8] {
    var identifier = [UInt8](repeating: 0, count: Int(FSCRYPT_IDENTIFIER_BYTES))
    let result = key.withBytes { bytes in
      fscrypt_add_key(number, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count), &identifier)
    }
    guard result == 0 else { throw fault("give a key to the file system of") }
    return identifier
  }

  func has(_ identifier: [UInt8]) throws(DirectoryFault) -> Bool {
    let state = fscrypt_has_key(number, identifier)
    guard state >= 0 else { throw fault("look for a key of the file system of") }
    return state == 1
  }

  /// Whether files are still open.
  func remove(_ identifier: [UInt8]) throws(DirectoryFault) -> Bool {
    var stillOpen = false
    guard fscrypt_remove_key(number, identifier, &stillOpen) != 0 else { return stillOpen }
    // It was never there, or another call was quicker.
    if errno == ENOKEY { return false }
    throw fault("take a key from the file system of")
  }

  private func fault(_ call: String) -> DirectoryFault {
    let error = SystemError(call, path)
    guard [EOPNOTSUPP, ENOTTY].contains(error.number) else { return .system(error) }
    return .unable(.fscrypt, hint: DirectoryWays.fscryptHint(path))
  }
}
