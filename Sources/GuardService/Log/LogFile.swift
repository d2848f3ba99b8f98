internal import DecisionLog
internal import Glibc

/// The file that the decision log grows in, opened for appending and locked against a second writer.
final class LogFile: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens the log in a directory, made if need be; readable by its owner and group only.
  static func open(in directory: String) throws(StartError) -> LogFile {
    if mkdir(directory, 0o750) != 0, errno != EEXIST { throw .system(SystemError("make directory", directory)) }
    let path = directory + "/decisions.jsonl"
    let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .system(SystemError("open", path)) }
    let file = LogFile(path: path, descriptor: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .log("`\(path)` is not a regular file")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .log("another daemon writes `\(path)`") }
    return file
  }

  var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// The last bytes of the file, at most `maximum`.
  func tail(_ maximum: Int) throws(StartError) -> [UInt8] {
    let size = size
    let start = max(0, size - Int64(maximum))
    var bytes = [UInt8](repeating: 0, count: Int(size - start))
    var filled = 0
    while filled < bytes.count {
      let place = off_t(start) + off_t(filled)
      let count = bytes[filled...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(SystemError("read", path)) }
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
}
