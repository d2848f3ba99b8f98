internal import DecisionLog
internal import Glibc
internal import Platform
internal import PolicyFiles

/// Directories of logs: whoever names one means the files in it, in the order of their records.
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
