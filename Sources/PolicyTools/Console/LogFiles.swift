package import DecisionLog
internal import Glibc
internal import Platform
internal import PolicyFiles

/// Reading files of the log from beginning to end, or from the end.
package enum LogFiles {
  private static let chunk = 1 << 18

  /// Gives every line without its newline; `-` is standard input, and a directory the files of the log in it.
  package static func forEachLine(
    of path: String, beforeWaiting: () throws(CommandFailure) -> Void,
    _ body: (Span<UInt8>) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    try forEachFile(of: path) { _, descriptor throws(CommandFailure) in
      var input = LineInput(descriptor: descriptor)
      while let line = try input.next(beforeWaiting: beforeWaiting) { try body(input.bytes(line)) }
    }
  }

  /// Gives the bytes of a file in pieces.
  package static func forEachChunk(
    of path: String, _ descriptor: Int32, _ body: (Span<UInt8>) -> Void
  ) throws(CommandFailure) {
    var buffer = [UInt8](repeating: 0, count: chunk)
    while true {
      let count = Stream.read(descriptor, into: &buffer)
      guard count >= 0 else { throw CommandFailure("read", path) }
      if count == 0 { return }
      body(buffer.span.extracting(0..<count))
    }
  }

  /// The end of a file; the whole of it is read only when its last part holds no whole record.
  package static func tail(of path: String) throws(CommandFailure) -> LogTail {
    let file = try FileBytes.open(path)
    let size = Int(lseek(file.descriptor, 0, SEEK_END))
    let partial = LogLimits.recordBytes + 1
    if size > partial {
      let end = try read(file.descriptor, path, from: size - partial)
      if let tail = LogTail(of: end.span, isWholeFile: false, continuing: .start) { return tail }
    }
    let whole = try read(file.descriptor, path, from: 0)
    guard let tail = LogTail(of: whole.span, isWholeFile: true, continuing: .start) else {
      throw CommandFailure("`\(path.escapedForDisplay)` holds no whole record")
    }
    return tail
  }

  private static func read(_ descriptor: Int32, _ path: String, from start: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunk)
    while true {
      let offset = off_t(start + bytes.count)
      let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw CommandFailure("read", path)
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
