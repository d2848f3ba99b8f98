internal import Glibc
internal import Platform

/// A file beside the sockets that says: the state file lacks changes that were answered.
///
/// It stands while changes cannot be written, and while the daemon runs without its file. The next daemon that finds it
/// takes the state for lost, but for the time: a clock that was once that late is no earlier now. It lies apart from
/// the state, since a full or read-only disk must not keep it from being made; the sockets lie in a file system in
/// memory, which like the clips ends with the boot.
package struct DoubtMark: Sendable, Hashable {
  package let path: String

  package init(path: String) { self.path = path }

  package var isSet: Bool { FileStatus(entry: path) != nil }

  /// False when it cannot be made, and is not there either.
  @discardableResult
  package func set() -> Bool {
    guard (try? OpenFile.keeping(path)) != nil else { return isSet }
    // Where it lies on a disk after all, a power cut must not take it; it stands for the kernel either way.
    try? Directory.sync(directory)
    return true
  }

  private var directory: String { path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "." }

  /// Throws when the file cannot be removed: then the next start loses the state for nothing, and an administrator
  /// should know.
  func clear() throws(SystemError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path) }
  }
}
