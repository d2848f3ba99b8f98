internal import Glibc
internal import Platform
internal import PolicyFiles

/// A directory that is written as a whole, and brought to the disk before anybody relies on it.
struct FileTree {
  private let root: String

  init(_ root: String) { self.root = root }

  /// Makes the directory that all the others lie in.
  func makeRoot() throws(KeepError) {
    do throws(SystemError) { try Directory.make(root) } catch { throw .system(error) }
  }

  /// Writes a file below the root, with the directories on its way; `fill` hands its bytes over.
  func write(_ name: String, modified: Int64? = nil, fill: ((Span<UInt8>) -> Bool) throws(KeepError) -> Void)
    throws(KeepError)
  {
    let path = root + "/" + name
    let file = try Self.create(path)
    var failure: SystemError?
    try fill { piece in
      do throws(SystemError) {
        try file.write(piece)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let modified { Self.setModified(file.descriptor, modified) }
    if failure == nil, fsync(file.descriptor) != 0 { failure = SystemError("write", path) }
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

  private static func create(_ path: String) throws(KeepError) -> OpenFile {
    do throws(SystemError) {
      if let slash = path.lastIndex(of: "/") { try Directory.make(String(path[..<slash])) }
      return try OpenFile.creating(path)
    } catch {
      throw .system(error)
    }
  }

  private static func setModified(_ descriptor: Int32, _ seconds: Int64) {
    let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
    futimens(descriptor, [time, time])
  }

  private static func synchronizeAll(_ path: String) throws(SystemError) {
    for name in (try? Directory.names(in: path)) ?? []
    where FileStatus(entry: path + "/" + name)?.kind == .directory { try synchronizeAll(path + "/" + name) }
    try Directory.sync(path)
  }

  /// Removes a file, or a directory with everything below it. Links are removed, and never followed.
  static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in (try? Directory.names(in: path)) ?? [] { remove(path + "/" + name) }
    rmdir(path)
  }
}
