internal import Glibc
internal import Platform

/// One file of the decision log, opened for appending.
final class LogFile: Sendable {
  private let file: OpenFile

  private init(_ file: consuming OpenFile) throws(SystemError) {
    guard file.status?.kind == .regular else { throw SystemError("write to", file.path, EINVAL) }
    self.file = file
  }

  /// Opens a file for appending, made if need be; readable by its owner and group only.
  static func open(_ path: String, emptied: Bool = false) throws(SystemError) -> LogFile {
    try LogFile(OpenFile.appending(path, emptied: emptied, mode: 0o640))
  }

  /// Opens a file that is only read.
  static func openForReading(_ path: String) throws(SystemError) -> LogFile {
    try LogFile(OpenFile.reading(path, followsLink: false))
  }

  var path: String { file.path }

  var size: Int { file.status?.size ?? 0 }

  /// Whether the file's path still leads to it; false when it was removed, or another file put in its place.
  var isInPlace: Bool { isSame(as: path) }

  /// Whether a path leads to this very file.
  func isSame(as path: String) -> Bool { file.isSame(as: path) }

  /// The last bytes of the file, at most `maximum`.
  func tail(_ maximum: Int) throws(SystemError) -> [UInt8] {
    let size = size
    return try file.bytes(in: max(0, size - maximum)..<size)
  }

  /// The next bytes from a place on, not very many; nil at the end.
  func piece(from start: Int) throws(SystemError) -> [UInt8]? {
    let size = size
    guard start < size else { return nil }
    return try file.bytes(in: start..<min(size, start + Self.piece))
  }

  private static let piece = 1 << 20

  /// Appends as much as the system takes of the bytes in the range; returns where it stopped.
  func append(_ bytes: [UInt8], in range: Range<Int>) throws(SystemError) -> Int { try file.write(bytes, in: range) }

  /// Appends all of `bytes`.
  func append(_ bytes: [UInt8]) throws(SystemError) { try file.write(bytes.span) }

  /// Waits until what was appended is on the disk.
  func sync() throws(SystemError) { try file.syncData() }
}
