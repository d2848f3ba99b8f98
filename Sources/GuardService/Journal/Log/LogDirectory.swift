internal import DecisionLog
internal import Glibc
internal import Platform

/// The directory of the decision log, locked against a second writer.
final class LogDirectory: Sendable {
  let path: String
  private let lock: FileLock

  private init(path: String, lock: FileLock) {
    self.path = path
    self.lock = lock
  }

  /// Takes a directory, made if need be, for this daemon.
  static func claim(_ path: String) throws(StartError) -> LogDirectory {
    do throws(SystemError) {
      try make(path)
      return LogDirectory(path: path, lock: try FileLock(path + "/" + LogNames.lock))
    } catch {
      if error.number == EWOULDBLOCK { throw .log("another daemon writes the decision log in `\(path)`") }
      throw .system(error)
    }
  }

  /// Its name is on the disk before anything in it is.
  private static func make(_ path: String) throws(SystemError) {
    if mkdir(path, 0o750) == 0 {
      try Directory.sync(path + "/..")
    } else if errno != EEXIST {
      throw SystemError("make directory", path)
    }
  }

  /// The file that grows.
  var active: String { place(of: LogNames.active) }

  func place(of name: String) -> String { path + "/" + name }

  /// The names of the closed files, in the order of their records.
  func closedNames() throws(SystemError) -> [String] {
    let names = try Directory.names(in: path).filter { FileStatus(place(of: $0))?.kind == .regular }
    return LogNames.inOrder(names).filter { $0 != LogNames.active }
  }

  /// Gives the active file its name as a closed one. Never in the place of another file: that would lose its records.
  func close(_ file: LogFile, firstSeq: UInt64) throws(SystemError) -> String {
    let name = LogNames.closed(firstSeq: firstSeq)
    guard FileStatus(entry: place(of: name)) == nil else {
      throw SystemError("close the log as", place(of: name), EEXIST)
    }
    guard rename(file.path, place(of: name)) == 0 else { throw SystemError("rename", file.path) }
    return name
  }

  /// Waits until the names in the directory are on the disk.
  func sync() throws(SystemError) { try Directory.sync(path) }

  /// Writes everything that a file holds to the active path again, since the file has no name any more, or the disk may
  /// not have what the kernel has. A file in the path's place is kept beside it.
  func restore(_ file: LogFile) throws(SystemError) -> LogFile {
    try Self.make(path)
    let temporary = active + ".new"
    let copy = try LogFile.open(temporary, emptied: true)
    var place = 0
    while let piece = try file.piece(from: place) {
      try copy.append(piece)
      place += piece.count
    }
    try copy.sync()
    if !file.isSame(as: active), rename(active, active + ".replaced") != 0, errno != ENOENT {
      throw SystemError("move", active)
    }
    guard rename(temporary, active) == 0 else { throw SystemError("rename", temporary) }
    try sync()
    return try LogFile.open(active)
  }
}
