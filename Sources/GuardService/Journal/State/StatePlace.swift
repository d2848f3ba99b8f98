internal import Glibc
internal import Platform

/// Where the state file lies.
package struct StatePlace: Sendable, Hashable {
  /// An absolute path, or one from the working directory.
  package var directory: String

  package init(directory: String) { self.directory = directory }

  package var file: String { directory + "/state.db" }

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

  /// Makes sure that the file, and what SQLite keeps beside it, are such that only this user can have written them. Returns
  /// why what was there cannot be used; nil when it can, or when nothing was there.
  func prepare() throws(SystemError) -> String? {
    let damage = ([""] + Self.companions).lazy.compactMap { Self.doubt(file + $0) }.first
    if damage != nil { try moveAside() }
    _ = try OpenFile.keeping(file)
    return damage
  }

  /// What SQLite may keep beside the file.
  static let companions = ["-wal", "-shm", "-journal"]

  private static func doubt(_ path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return nil }
    if status.kind != .regular { return "it is not a regular file" }
    if status.owner != geteuid() { return "it belongs to another user" }
    if !status.onlyOwnerWrites { return "others may write it" }
    return status.names == 1 ? nil : "it has a second name"
  }
}
