internal import Glibc

/// Which file a path leads to: tells when another one was put in its place.
struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let node: UInt64

  /// Nil when there is nothing.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    node = UInt64(status.st_ino)
  }
}
