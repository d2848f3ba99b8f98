internal import DecisionLog
internal import GuardModel

/// A decision log taken up again: where its chain ends, and what a crash left behind it.
struct OpenedLog: Sendable {
  let file: LogFile
  let tail: LogTail

  /// Opens the log in `directory` and finds its end. A large file without a record at its end is refused: to go on behind
  /// it would hide what happened to it.
  init(directory: String) throws(StartError) {
    file = try LogFile.open(in: directory)
    let size = file.size
    let bytes = try file.tail(LogLimits.recordBytes + 1)
    guard let tail = LogTail(of: bytes.span, isWholeFile: size == Int64(bytes.count), continuing: .start) else {
      throw .log("`\(file.path)` does not end in a record; move it away to start a new log")
    }
    self.tail = tail
    if tail.needsNewline { try endLine() }
  }

  private func endLine() throws(StartError) {
    do throws(SystemError) { _ = try file.append([UInt8(ascii: "\n")], from: 0) } catch { throw .system(error) }
  }
}
