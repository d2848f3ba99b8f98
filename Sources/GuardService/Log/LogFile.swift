internal import Glibc

/// One file of the decision log, opened for appending.
final class LogFile: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a file for appending, made if need be; readable by its owner and group only.
  static func open(_ path: String, emptied: Bool = false) throws(SystemError) -> LogFile {
    try open(path, flags: O_RDWR | O_APPEND | O_CREAT | (emptied ? O_TRUNC : 0))
  }

  /// Opens a file that is only read.
  static func openForReading(_ path: String) throws(SystemError) -> LogFile { try open(path, flags: O_RDONLY) }

  private static func open(_ path: String, flags: Int32) throws(SystemError) -> LogFile {
    let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o640)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    let file = LogFile(path: path, descriptor: descriptor)
    guard file.status.st_mode & S_IFMT == S_IFREG else { throw SystemError("write to", path, EINVAL) }
    return file
  }

  private var status: stat {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : stat()
  }

  var size: Int { Int(status.st_size) }

  /// Whether the file's path still leads to it; false when it was removed, or another file put in its place.
  var isInPlace: Bool { isSame(as: path) }

  /// Whether a path leads to this very file.
  func isSame(as path: String) -> Bool {
    var found = stat()
    let own = status
    return lstat(path, &found) == 0 && found.st_ino == own.st_ino && found.st_dev == own.st_dev
  }

  /// The last bytes of the file, at most `maximum`.
  func tail(_ maximum: Int) throws(SystemError) -> [UInt8] {
    let size = size
    return try bytes(in: max(0, size - maximum)..<size)
  }

  /// The next bytes from a place on, not very many; nil at the end.
  func piece(from start: Int) throws(SystemError) -> [UInt8]? {
    let size = size
    guard start < size else { return nil }
    return try bytes(in: start..<min(size, start + Self.piece))
  }

  private static let piece = 1 << 20

  private func bytes(in range: Range<Int>) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var filled = 0
    while filled < bytes.count {
      let place = off_t(range.lowerBound + filled)
      let count = bytes[filled...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError("read", path) }
      filled += count
    }
    return bytes
  }

  /// Appends as much as the system takes of `bytes` from `start` on; returns where it stopped.
  func append(_ bytes: [UInt8], from start: Int) throws(SystemError) -> Int {
    while true {
      let count = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { return start + count }
      if errno != EINTR { throw SystemError("write", path) }
    }
  }

  /// Appends all of `bytes`.
  func append(_ bytes: [UInt8]) throws(SystemError) {
    var start = 0
    while start < bytes.count { start = try append(bytes, from: start) }
  }

  /// Waits until what was appended is on the disk.
  func sync() throws(SystemError) {
    while fdatasync(descriptor) != 0 {
      if errno != EINTR { throw SystemError("sync", path) }
    }
  }
}
