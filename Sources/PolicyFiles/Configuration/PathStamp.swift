internal import Glibc

/// What the file system says of one path, such that whatever happens to the file, to a directory or to a link on the way
/// shows.
///
///     let before = PathStamp(path)
///     …                              // somebody renames another file to this name
///     PathStamp(path) == before      // false
struct PathStamp: Sendable, Hashable {
  /// The path itself, even where it is a link; nil when nothing is there.
  private let link: Inode?
  /// What it leads to.
  private let target: Inode?

  /// What is there now.
  init(_ path: String) {
    var status = stat()
    link = lstat(path, &status) == 0 ? Inode(status) : nil
    target = stat(path, &status) == 0 ? Inode(status) : nil
  }

  /// When anything of it changed last, in nanoseconds since 1970; 0 when nothing is there.
  ///
  /// The time of the change of the inode, which no program can set: a file that is renamed to an old name has a new one.
  var changed: Int64 { max(link?.changed ?? 0, target?.changed ?? 0) }

  private struct Inode: Sendable, Hashable {
    var device: UInt64
    var number: UInt64
    var mode: UInt32
    var size: Int64
    var modified: Int64
    var changed: Int64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      number = UInt64(status.st_ino)
      mode = status.st_mode
      size = Int64(status.st_size)
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
  }
}
