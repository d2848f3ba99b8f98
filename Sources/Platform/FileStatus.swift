internal import Glibc

/// Metadata of a file, a directory or another entry.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case regular
    case directory
    case link
    case socket
    case other
  }

  package let kind: Kind
  /// The permissions, with the sticky and the set-id bits: `0o1777` of `/tmp`.
  package let mode: UInt32
  /// The uid and the gid that it belongs to.
  package let owner: UInt32
  package let group: UInt32
  /// In bytes.
  package let size: Int
  /// The number of its names.
  package let names: Int
  /// Time of the last change to its content, in nanoseconds since 1970, and in seconds; programs can set this.
  package let modified: Int64
  package let modifiedSeconds: Int64
  /// Time of the last change to anything of it, in nanoseconds since 1970; no program can set this.
  package let changed: Int64
  package let identity: FileIdentity

  /// The file that a path leads to, after all links. Nil with an `errno` when nothing is there, or access is denied.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The entry of that path itself, even if it is a link.
  package init?(entry path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The entry of a directory that is open, itself even if it is a link.
  init?(in directory: Int32, entry name: String) {
    var status = stat()
    guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.init(status)
  }

  /// An open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFSOCK: .socket
      default: .other
      }
    mode = status.st_mode & 0o7777
    (owner, group) = (status.st_uid, status.st_gid)
    size = Int(status.st_size)
    names = Int(status.st_nlink)
    modified = Self.nanoseconds(status.st_mtim)
    modifiedSeconds = Int64(status.st_mtim.tv_sec)
    changed = Self.nanoseconds(status.st_ctim)
    identity = FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Neither its group nor others may write it.
  package var onlyOwnerWrites: Bool { mode & 0o022 == 0 }

  /// It belongs to the user that the program runs as.
  package var isOwn: Bool { owner == geteuid() }

  /// Only root and that user can have written it, or put it there.
  package func isOnly(of user: UInt32) -> Bool { (owner == 0 || owner == user) && onlyOwnerWrites }
}

/// The identity of the file that a path leads to: tells when another one was put in its place.
package struct FileIdentity: Sendable, Hashable {
  package let device: UInt64
  /// The number of its inode.
  package let number: UInt64

  init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }

  /// The identity of the entry itself, even of a link. Nil when there is nothing.
  package init?(path: String) {
    guard let status = FileStatus(entry: path) else { return nil }
    self = status.identity
  }
}

/// A name in a directory, whatever it names.
package enum DirectoryEntry {
  /// Gives it another name in the same file system, in place of the entry that has it. `Directory.sync` brings both names
  /// to the disk.
  package static func move(_ path: String, to other: String) throws(SystemError) {
    guard rename(path, other) == 0 else { throw SystemError("rename", path) }
  }

  /// Removes a file, a link or an empty directory; never what a link leads to.
  package static func remove(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 || errno == EISDIR && rmdir(path) == 0 else { throw SystemError("remove", path) }
  }
}

/// Directories of the machine.
package enum Directory {
  /// The names in a directory, hidden ones included, in no order.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let stream = opendir(path) else { throw SystemError("list", path) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a directory for this user alone, and its missing parents. It may exist already.
  package static func make(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError("make directory", path)
    }
    try make(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("make directory", path) }
  }

  /// Waits until the names in a directory are on the disk.
  package static func sync(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError("sync", path) }
  }

  /// The directory that the process works in; the root where it is gone.
  package static var working: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}

/// The lock of a file, held by one process at a time as long as this lives; the kernel releases it at any end of the
/// process. The file stays.
package final class FileLock: Sendable {
  private let file: OpenFile

  /// Makes the file if need be. Throws `EWOULDBLOCK` when another process has the lock.
  package init(_ path: String) throws(SystemError) {
    file = try OpenFile.keeping(path)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("lock", path) }
  }

  /// Unlocks even when a program that was just forked still has a copy of the descriptor.
  deinit { _ = flock(file.descriptor, LOCK_UN) }

  /// Whether the file that is locked is still the one that another process would find.
  package var isInPlace: Bool { file.isSame(as: file.path) }
}
