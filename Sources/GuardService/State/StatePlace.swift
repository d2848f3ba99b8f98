internal import Glibc

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
  func claim() throws(SystemError) -> StateLock {
    try makeDirectory(directory)
    guard Self.isOurs(directory) else { throw SystemError("keep state in", directory, EPERM) }
    return try StateLock(file: directory + "/state.lock")
  }

  /// Makes sure that the file, and what SQLite keeps beside it, are such that only this user can have written them. Returns
  /// why what was there cannot be used; nil when it can, or when nothing was there.
  func prepare() throws(SystemError) -> String? {
    let damage = ([""] + Self.companions).lazy.compactMap { Self.doubt(file + $0) }.first
    if damage != nil { try moveAside() }
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open", file) }
    close(descriptor)
    return damage
  }

  /// What SQLite may keep beside the file.
  static let companions = ["-wal", "-shm", "-journal"]

  private func makeDirectory(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    guard errno == ENOENT, !parent.isEmpty else { throw SystemError("make directory", path) }
    try makeDirectory(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("make directory", path) }
  }

  /// Whoever may write into the directory may put an older file in place of ours.
  private static func isOurs(_ directory: String) -> Bool {
    var status = stat()
    guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return (status.st_uid == geteuid() || status.st_uid == 0) && status.st_mode & 0o022 == 0
  }

  private static func doubt(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT != S_IFREG { return "it is not a regular file" }
    if status.st_uid != geteuid() { return "it belongs to another user" }
    if status.st_mode & 0o022 != 0 { return "others may write it" }
    return status.st_nlink == 1 ? nil : "it has a second name"
  }
}
