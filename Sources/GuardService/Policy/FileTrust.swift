internal import Glibc

/// Whether files can only have been written by this user or by root.
enum FileTrust {
  /// Why a directory is not to be trusted; nil when it is.
  static func doubt(ofDirectory path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return "`\(path)` cannot be looked at" }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "`\(path)` is not a directory" }
    return doubt(status, path)
  }

  /// The same of a file, or of a directory with everything below it. Links are never trusted.
  static func doubt(ofTree path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return "`\(path)` cannot be looked at" }
    if let doubt = doubt(status, path) { return doubt }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return status.st_nlink == 1 ? nil : "`\(path)` has a second name"
    case S_IFDIR:
      guard let names = FileTree.names(in: path) else { return "`\(path)` cannot be read" }
      return names.lazy.compactMap { doubt(ofTree: path + "/" + $0) }.first
    default: return "`\(path)` is neither a file nor a directory"
    }
  }

  private static func doubt(_ status: stat, _ path: String) -> String? {
    PlaceCheck().finding(at: path, status).map { "`\($0.path)` \($0.problem)" }
  }
}
