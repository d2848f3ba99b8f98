internal import Platform

/// What the file system says of one path, such that whatever happens to the file, to a directory or to a link on the way
/// shows.
///
///     let before = PathStamp(path)
///     …                              // somebody renames another file to this name
///     PathStamp(path) == before      // false
struct PathStamp: Sendable, Hashable {
  /// The path itself, even where it is a link; nil when nothing is there.
  private let link: FileStatus?
  /// What it leads to.
  private let target: FileStatus?

  /// What is there now.
  init(_ path: String) {
    link = FileStatus(entry: path)
    target = FileStatus(path)
  }

  /// When anything of it changed last, in nanoseconds since 1970; 0 when nothing is there.
  ///
  /// The time of the change of the inode, which no program can set: a file that is renamed to an old name has a new one.
  var changed: Int64 { max(link?.changed ?? 0, target?.changed ?? 0) }
}
