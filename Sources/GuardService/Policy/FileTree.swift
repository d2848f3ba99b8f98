internal import Glibc
internal import PolicyFiles

/// A directory that is written as a whole, and brought to the disk before anybody relies on it.
struct FileTree {
  private let root: String

  init(_ root: String) { self.root = root }

  /// Makes the directory that all the others lie in.
  func makeRoot() throws(KeepError) {
    do throws(SystemError) { try Self.makeDirectory(root) } catch { throw .system(error) }
  }

  /// Writes a file below the root, with the directories on its way; `fill` hands its bytes over.
  func write(_ name: String, modified: Int64? = nil, fill: ((Span<UInt8>) -> Bool) throws(KeepError) -> Void)
    throws(KeepError)
  {
    let path = root + "/" + name
    let descriptor = try Self.create(path)
    defer { close(descriptor) }
    var failure: SystemError?
    try fill { piece in
      do throws(SystemError) {
        try SmallFile.write(piece.withUnsafeBufferPointer { Array($0) }, to: descriptor, path: path)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let modified { Self.setModified(descriptor, modified) }
    if failure == nil, fsync(descriptor) != 0 { failure = SystemError("write", path) }
    if let failure { throw .system(failure) }
  }

  /// Copies a list, with the time at which it was last changed.
  func write(_ list: ListFile) throws(KeepError) {
    try write(list.nameBelowRoot, modified: list.modified) { take throws(KeepError) in
      do throws(FileProblem) {
        // A full disk ends the copy early; `write` says so.
        var isFull = false
        try list.stream { piece in
          if !isFull { isFull = !take(piece) }
          return true
        }
      } catch {
        throw .changed(list.path)
      }
    }
  }

  /// Brings the names to the disk, those of the deepest directories first.
  func synchronize() throws(KeepError) {
    do throws(SystemError) { try Self.synchronizeAll(root) } catch { throw .system(error) }
  }

  private static func create(_ path: String) throws(KeepError) -> Int32 {
    do throws(SystemError) {
      if let slash = path.lastIndex(of: "/") { try makeDirectory(String(path[..<slash])) }
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw SystemError("open", path) }
      return descriptor
    } catch {
      throw .system(error)
    }
  }

  private static func setModified(_ descriptor: Int32, _ seconds: Int64) {
    let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
    futimens(descriptor, [time, time])
  }

  /// Makes a directory for this user alone, and those on its way.
  static func makeDirectory(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError("make directory", path)
    }
    try makeDirectory(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("make directory", path) }
  }

  private static func synchronizeAll(_ path: String) throws(SystemError) {
    for name in names(in: path) ?? [] where isDirectory(path + "/" + name) { try synchronizeAll(path + "/" + name) }
    try SmallFile.syncDirectory(path)
  }

  /// Removes a file, or a directory with everything below it. Links are removed, and never followed.
  static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in names(in: path) ?? [] { remove(path + "/" + name) }
    rmdir(path)
  }

  /// What stands in a directory, hidden names included; nil when it cannot be read.
  static func names(in path: String) -> [String]? {
    (try? SystemFiles().entries(of: path))?.map(\.name)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
