internal import Glibc

/// Reading and writing files that fit in memory.
enum SmallFile {
  static func text(at path: String, maximum: Int) -> String? {
    bytes(at: path, maximum: maximum).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first `maximum` bytes of a file; nil when it cannot be read.
  static func bytes(at path: String, maximum: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while result.count < maximum {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      result += chunk[..<count]
    }
    return Array(result.prefix(maximum))
  }

  /// Waits until the names in a directory are on the disk.
  static func syncDirectory(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError("sync", path) }
  }

  /// Replaces a file as a whole: readers see the old or the new, never half of one. Synced, so do power cuts.
  static func replace(
    _ path: String, with bytes: [UInt8], mode: mode_t, synced: Bool = false
  ) throws(SystemError) {
    let temporary = path + ".new"
    // What lies there is of a crash, or a trap: it is neither followed nor written into.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw SystemError("open", temporary) }
    defer { close(descriptor) }
    try write(bytes, to: descriptor, path: temporary)
    if synced, fsync(descriptor) != 0 { throw SystemError("sync", temporary) }
    guard fchmod(descriptor, mode) == 0, rename(temporary, path) == 0 else { throw SystemError("rename", path) }
    if synced, let slash = path.lastIndex(of: "/") { try syncDirectory(String(path[..<slash])) }
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError("write", path) }
      written += count
    }
  }
}

/// A system call that failed, with what it was about.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  package var call: String
  package var path: String
  package var number: Int32

  init(_ call: String, _ path: String, _ number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  package var description: String { "cannot \(call) `\(path)`: \(String(cString: strerror(number)))" }
}
