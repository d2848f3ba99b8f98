internal import Glibc

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
