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

/// Directories of logs: a directory stands for the files in it, in the order of their records.
extension LogFiles {
  /// Opens the file, or each of the files of a directory in turn, and gives its path and descriptor; `-` is standard input.
  ///
  /// A daemon may close its file and begin another meanwhile, so the active one is opened before it is looked which closed
  /// ones there are: nothing is missed, and nothing read twice.
  package static func forEachFile(
    of path: String, _ body: (String, Int32) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    if path == "-" { return try body(path, STDIN_FILENO) }
    guard isDirectory(path) else { return try open(path, body) }
    var seen: Set<String> = []
    while true {
      let active = path + "/" + LogNames.active
      let newest = try openIfThere(active)
      let closed = try closedNames(in: path).filter { !seen.contains($0) }
      guard closed.isEmpty else {
        for name in closed { try open(path + "/" + name, body) }
        seen.formUnion(closed)
        continue
      }
      if let newest { return try body(active, newest.descriptor) }
      if seen.isEmpty { throw CommandFailure("`\(path.escapedForDisplay)` holds no files of a log") }
      return
    }
  }

  /// The file in which the newest record is to be sought first, then the others.
  package static func newestFirst(_ path: String) throws(CommandFailure) -> [String] {
    guard isDirectory(path) else { return [path] }
    let active = path + "/" + LogNames.active
    let closed = try closedNames(in: path).reversed().map { path + "/" + $0 }
    let files = (access(active, F_OK) == 0 ? [active] : []) + closed
    guard !files.isEmpty else { throw CommandFailure("`\(path.escapedForDisplay)` holds no files of a log") }
    return files
  }

  /// The key of the pseudonyms, where it lies beside the files of a log.
  package static func key(beside path: String) -> String? {
    guard path != "-" else { return nil }
    let slash = path.lastIndex(of: "/")
    let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let key = (isDirectory(path) ? path : parent) + "/" + LogNames.key
    return access(key, F_OK) == 0 ? key : nil
  }

  private static func closedNames(in directory: String) throws(CommandFailure) -> [String] {
    do throws(FileProblem) {
      return LogNames.inOrder(try SystemFiles().entries(of: directory).map(\.name)).filter { $0 != LogNames.active }
    } catch {
      throw CommandFailure("cannot read `\(directory.escapedForDisplay)`: \(error.words)")
    }
  }

  private static func open(
    _ path: String, _ body: (String, Int32) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    let file = try FileBytes.open(path)
    try body(path, file.descriptor)
  }

  private static func openIfThere(_ path: String) throws(CommandFailure) -> OpenFile? {
    do throws(SystemError) { return try OpenFile.streaming(path) } catch {
      if error.number == ENOENT { return nil }
      throw CommandFailure("read", path, error.words)
    }
  }

  private static func isDirectory(_ path: String) -> Bool { SystemFiles().kind(of: path) == .directory }
}

extension AccountPseudonyms {
  private static let maximumKey = 4096

  /// The pseudonyms by the key in a file; nil when no file is named.
  package static func read(_ path: String?) throws(CommandFailure) -> AccountPseudonyms? {
    guard let path else { return nil }
    guard let pseudonyms = AccountPseudonyms(key: try FileBytes.read(path, limit: maximumKey)) else {
      throw CommandFailure("`\(path.escapedForDisplay)` is too short for a key")
    }
    return pseudonyms
  }
}
