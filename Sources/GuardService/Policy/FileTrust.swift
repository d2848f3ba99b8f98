internal import Platform

/// Whether files can only have been written by this user or by root.
enum FileTrust {
  /// Why a directory is not to be trusted; nil when it is.
  static func doubt(ofDirectory path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return "`\(path)` cannot be looked at" }
    guard status.kind == .directory else { return "`\(path)` is not a directory" }
    return doubt(status, path)
  }

  /// The same of a file, or of a directory with everything below it. Links are never trusted.
  static func doubt(ofTree path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return "`\(path)` cannot be looked at" }
    if let doubt = doubt(status, path) { return doubt }
    switch status.kind {
    case .regular: return status.names == 1 ? nil : "`\(path)` has a second name"
    case .directory:
      guard let names = try? Directory.names(in: path) else { return "`\(path)` cannot be read" }
      return names.lazy.compactMap { doubt(ofTree: path + "/" + $0) }.first
    default: return "`\(path)` is neither a file nor a directory"
    }
  }

  private static func doubt(_ status: FileStatus, _ path: String) -> String? {
    PlaceCheck().finding(at: path, status).map { "`\($0.path)` \($0.problem)" }
  }
}
