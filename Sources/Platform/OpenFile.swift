internal import Glibc

/// A file that is open; closed with its owner.
///
/// Each way to open says what it trusts. No program that is started later inherits the descriptor.
package struct OpenFile: ~Copyable, Sendable {
  package let path: String
  package let descriptor: Int32

  private init(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) {
    self.path = path
    descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A file to be read, which another user may have made. A pipe in its place does not make the reader wait; its status
  /// says that it is no regular file.
  ///
  /// - Parameter followsLink: false refuses a link as the last name of the path (`ELOOP`).
  package static func reading(_ path: String, followsLink: Bool = true) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW))
  }

  /// Any file that a person names for reading, even a pipe, which may make the reader wait.
  package static func streaming(_ path: String) throws(SystemError) -> OpenFile { try OpenFile(path, O_RDONLY) }

  /// A new file. Throws `EEXIST` where anything is, also a link that leads nowhere.
  package static func creating(_ path: String, mode: UInt32 = 0o600) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  /// A file of this user alone, made if need be, never through a link.
  package static func keeping(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }

  /// A file that is there, whose bytes are written over in their place; never through a link.
  package static func changing(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  }

  /// A file for appending, made if need be, never through a link.
  package static func appending(_ path: String, emptied: Bool, mode: UInt32) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | (emptied ? O_TRUNC : 0), mode: mode)
  }

  /// Any file that a person names for writing, in place of its former contents.
  package static func overwriting(_ path: String, mode: UInt32) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
  }

  package var status: FileStatus? { FileStatus(descriptor: descriptor) }

  /// Whether a path leads to this very file, and not over a link.
  package func isSame(as path: String) -> Bool {
    guard let own = status?.identity else { return false }
    return FileIdentity(path: path) == own
  }

  /// The next bytes, at most as many as the buffer has room for; fewer only at the end. Returns how many there are.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = Stream.read(descriptor, into: &buffer, from: filled)
      guard count >= 0 else { throw SystemError("read", path) }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Everything from here on, but no more than `maximum` bytes. The size is not asked: a file may grow meanwhile, and
  /// kernel files do not know theirs.
  package func bytes(maximum: Int) throws(SystemError) -> [UInt8] {
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(maximum, 65_536))
    while result.count < maximum {
      let count = try read(into: &piece)
      result += piece[..<min(count, maximum - result.count)]
      if count < piece.count { break }
    }
    return result
  }

  /// All bytes of a range; throws when one is missing.
  package func bytes(in range: Range<Int>) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = bytes.withUnsafeMutableBytes { Stream.fill($0, from: descriptor, at: range.lowerBound) }
    guard count == bytes.count else { throw SystemError("read", path) }
    return bytes
  }

  /// Writes everything.
  package func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    guard Stream.write(bytes, to: descriptor) else { throw SystemError("write", path) }
  }

  /// Writes as much as the system takes of the bytes in the range; returns where it stopped.
  package func write(_ bytes: [UInt8], in range: Range<Int>) throws(SystemError) -> Int {
    while true {
      let count = bytes[range].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { return range.lowerBound + count }
      if errno != EINTR { throw SystemError("write", path) }
    }
  }

  /// Waits until the file and its metadata are on the disk.
  package func sync() throws(SystemError) {
    guard fsync(descriptor) == 0 else { throw SystemError("sync", path) }
  }

  /// Waits until the written bytes are on the disk, with the metadata that is needed to read them again.
  package func syncData() throws(SystemError) {
    while fdatasync(descriptor) != 0 {
      if errno != EINTR { throw SystemError("sync", path) }
    }
  }
}

/// A descriptor that other code opened: standard input and output, a socket, a pipe.
package enum Stream {
  /// Writes everything; false when it does not go through, and `errno` says why.
  package static func write(_ bytes: borrowing Span<UInt8>, to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.extracting(written...).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Fills the buffer with the next bytes, or with those at a place of a file; returns their number, fewer than there is room
  /// for only at the end, negative with an `errno`.
  package static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at place: Int? = nil
  ) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count =
        if let place {
          pread(descriptor, rest.baseAddress, rest.count, off_t(place + filled))
        } else {
          Glibc.read(descriptor, rest.baseAddress, rest.count)
        }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return count }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Puts the next bytes into the buffer from `start` on; returns their number, 0 at the end, negative with an `errno`.
  package static func read(_ descriptor: Int32, into buffer: inout [UInt8], from start: Int = 0) -> Int {
    while true {
      let count = buffer[start...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 || errno != EINTR { return count }
    }
  }
}

/// Files that fit in memory.
package enum SmallFile {
  package static func text(at path: String, maximum: Int) -> String? {
    bytes(at: path, maximum: maximum).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The first `maximum` bytes of a file; nil when it cannot be read, and `errno` says why.
  package static func bytes(at path: String, maximum: Int) -> [UInt8]? {
    try? OpenFile.reading(path).bytes(maximum: maximum)
  }

  /// Replaces a file as a whole: readers see the old or the new, never half of one. With `synced`, also after a power
  /// cut.
  ///
  /// - Returns: the identity of the new file, whatever lies in its place by now.
  @discardableResult
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32, synced: Bool = false
  ) throws(SystemError) -> FileIdentity {
    let temporary = path + ".new"
    // A file that lies there is of a crash, or a trap: it is neither followed nor written into.
    unlink(temporary)
    let file = try OpenFile.creating(temporary, mode: mode)
    try file.write(bytes.span)
    if synced { try file.sync() }
    guard let status = file.status, fchmod(file.descriptor, mode) == 0, rename(temporary, path) == 0 else {
      throw SystemError("rename", path)
    }
    if synced, let slash = path.lastIndex(of: "/") { try Directory.sync(String(path[..<slash])) }
    return status.identity
  }
}

/// A system call that failed, with its path.
///
///     SystemError("open", "/etc/shadow").description    // cannot open `/etc/shadow`: Permission denied
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  package var call: String
  package var path: String
  /// An `errno`.
  package var number: Int32

  /// The error that `errno` names, unless another is given.
  package init(_ call: String, _ path: String, _ number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// Nothing has that path.
  package var isAbsence: Bool { number == ENOENT }

  package var description: String { "cannot \(call) `\(path)`: \(words)" }

  package var words: String { SystemWords.text(number) }
}

/// The system's own words for an error.
package enum SystemWords {
  /// Those for `errno`, such as "No such file or directory".
  package static var last: String { text(errno) }

  package static func text(_ number: Int32) -> String {
    guard let words = strerror(number) else { return "error \(number)" }
    return String(cString: words)
  }
}
