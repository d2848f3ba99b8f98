internal import AccountKeys
internal import CEncryption
internal import Glibc
internal import Platform
internal import Secrets

/// A directory that `gocryptfs` encrypts, as root: the person's programs reach neither the program's memory nor the encrypted
/// files, and so never learn the key. Its password is the directory's key.
struct GocryptfsVault: Vault {
  let programs: VaultPrograms

  private static func encrypted(_ place: DirectoryPlace) -> String { place.sealed + "/cipher" }

  func isOpen(_ place: DirectoryPlace) throws(DirectoryFault) -> Bool { try MountPoint(place.files).isServed }

  func open(_ place: DirectoryPlace, _ key: SecretBytes) throws(DirectoryFault) {
    let password = key.hex
    if FileStatus(entry: Self.encrypted(place)) == nil { try make(place, password) }
    // Closed, nobody can write there: a file would lie in the clear below the mount.
    let point = MountPoint(place.files)
    if try point.isServed { return }
    try point.clear()
    try RootDirectory.make(place.files, mode: 0o555)
    guard try system({ () throws(SystemError) in try Directory.names(in: place.files) }).isEmpty else {
      throw .damaged(path: place.files, reason: "root put files there that nothing encrypts: move them away")
    }
    try programs.mount(Self.encrypted(place), at: point, password: password)
  }

  func close(_ place: DirectoryPlace) throws(DirectoryFault) -> DirectoryStore.Closing {
    guard FileStatus(entry: place.area) != nil else { return .closed }
    try MountPoint(place.files).clear()
    return .closed
  }

  /// Under another name first: one named `cipher` is whole, and its user's.
  private func make(_ place: DirectoryPlace, _ password: String) throws(DirectoryFault) {
    try RootDirectory.make(place.sealed, mode: 0o700)
    let new = Self.encrypted(place) + ".new"
    let status = programs.run(["rm", "-rf", "--", new])
    guard status == 0 else { throw .program("rm", status: status) }
    try system { () throws(SystemError) in try Directory.make(new) }
    try programs.create(new, password: password)
    guard chmod(new, 0o700) == 0, lchown(new, place.owner.uid, RootDirectory.group(of: place.owner.uid)) == 0 else {
      throw .system(SystemError("change", new))
    }
    try system { () throws(SystemError) in
      try DirectoryEntry.move(new, to: Self.encrypted(place))
      try Directory.sync(place.sealed)
    }
  }
}

/// A directory over which a program's file system may lie.
struct MountPoint {
  let path: String

  init(_ path: String) { self.path = path }

  /// A program answers for it.
  var isServed: Bool {
    get throws(DirectoryFault) {
      var found = file_place()
      if look_at_place(path, &found) == 0 { return found.is_mount_point }
      // The program of a mount has ended.
      if [ENOENT, ENOTCONN, ECONNABORTED].contains(errno) { return false }
      throw .system(SystemError("look at", path))
    }
  }

  /// Takes away every mount that lies there. Their files that are open fail from now on.
  func clear() throws(DirectoryFault) {
    // A mount whose program has ended may lie over another one.
    for _ in 0..<16 where end_mount(path) != 0 {
      if [EINVAL, ENOENT].contains(errno) { return }
      throw .system(SystemError("unmount", path))
    }
  }
}
