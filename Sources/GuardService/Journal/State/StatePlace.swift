internal import Glibc
internal import GuardModel
internal import Platform

/// Where the state file lies.
package struct StatePlace: Sendable, Hashable {
  /// An absolute path, or one from the working directory.
  package var directory: String
  private var name = "state.db"

  package init(directory: String) { self.directory = directory }

  package var file: String { directory + "/" + name }

  /// The second file, which has the locks alone: see ``LockCopy``.
  package var locks: StatePlace {
    var place = self
    place.name = "locks.db"
    return place
  }

  /// `$STATE_DIRECTORY`, which systemd sets by `StateDirectory=`; else `/var/lib/webviewguard` for root and
  /// `webviewguard` in `$XDG_STATE_HOME` for a user. Nil for a user without a home.
  package static var standardDirectory: String? {
    // Several are separated by colons; ours is the first.
    if let stated = variable("STATE_DIRECTORY")?.split(separator: ":").first { return String(stated) }
    if getuid() == 0 { return "/var/lib/webviewguard" }
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/webviewguard" }
    return variable("HOME").map { $0 + "/.local/state/webviewguard" }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// Makes the directory and takes it for this daemon. Throws `EWOULDBLOCK` when another one has it.
  ///
  /// SQLite locks its file too, but only while that is open: without this lock a second daemon could move a file aside that
  /// the first one is writing. Another user who may write into the directory could put an
  /// older file in place of ours.
  func claim() throws(SystemError) -> FileLock {
    try Directory.make(directory)
    guard let status = FileStatus(directory), status.kind == .directory, status.isOnly(of: geteuid()) else {
      throw SystemError("keep state in", directory, EPERM)
    }
    return try FileLock(directory + "/state.lock")
  }

  /// Makes sure that only this user can have written the file, and SQLite's files beside it. Returns why the file there
  /// cannot be used; nil when it can, or when there was none.
  func prepare() throws(SystemError) -> String? {
    let damage = ([""] + Self.companions).lazy.compactMap { Self.doubt(file + $0) }.first
    if damage != nil { try moveAside() }
    _ = try OpenFile.keeping(file)
    return damage
  }

  /// Files that SQLite may keep beside the file.
  static let companions = ["-wal", "-shm", "-journal"]

  private static func doubt(_ path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return nil }
    if status.kind != .regular { return "it is not a regular file" }
    if status.owner != geteuid() { return "it belongs to another user" }
    if !status.onlyOwnerWrites { return "others may write it" }
    return status.names == 1 ? nil : "it has a second name"
  }
}

/// State files that could not be used, kept for later inspection.
extension StatePlace {
  /// Moves the file and its companions aside, so that a new one can begin: `state.db` becomes
  /// `state.db.unusable-20261121T220000.000Z`. The oldest kept so give way.
  ///
  /// The file itself goes last: a new one must never meet the write-ahead log of an old one, which SQLite would play
  /// into it.
  func moveAside() throws(SystemError) {
    let time = RFC3339.text(SystemClock.milliseconds).filter { $0 != "-" && $0 != ":" }
    let aside = file + Self.mark + time
    for suffix in Self.companions + [""] {
      remove(aside + suffix)
      guard rename(file + suffix, aside + suffix) == 0 || errno == ENOENT else {
        throw SystemError("move", file + suffix)
      }
    }
    for old in setAside.dropLast(Self.keptAside) {
      for suffix in Self.companions + [""] { remove(old + suffix) }
    }
    try Directory.sync(directory)
  }

  /// The paths of the files that were moved away, the oldest first.
  package var setAside: [String] {
    let name = file.dropFirst(directory.utf8.count + 1) + Self.mark
    let found = (try? Directory.names(in: directory)) ?? []
    return found.filter { $0.hasPrefix(name) && !Self.companions.contains(where: $0.hasSuffix) }
      .map { directory + "/" + $0 }.sorted()
  }

  private static let mark = ".unusable-"
  private static let keptAside = 4

  /// Takes away a file, or an empty directory.
  private func remove(_ path: String) {
    unlink(path)
    rmdir(path)
  }
}
