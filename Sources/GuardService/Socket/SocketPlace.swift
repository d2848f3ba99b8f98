internal import CLinux
internal import Glibc

/// Where the sockets lie, and the lock that keeps a second daemon away from them.
package struct SocketPlace: Sendable, Hashable {
  /// For apps, mode 0666: quotas hold per uid.
  package var guardSocket: String
  /// For administrators, mode 0660.
  package var adminSocket: String
  /// The failure contract, so that it holds before the first contact.
  package var contractFile: String
  /// Stands while the state file says less than was answered.
  package var doubtFile: String
  private let directory: String

  /// A Unix socket's path holds this many bytes.
  package static let maximumPathBytes = 103

  /// The sockets in a directory: `guard.sock`, `admin.sock`.
  package init(directory: String) {
    let base = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    guardSocket = base + "/guard.sock"
    adminSocket = base + "/admin.sock"
    contractFile = base + "/contract.json"
    doubtFile = base + "/state.doubt"
    self.directory = base
  }

  /// `/run/webviewguard` for root, else `webviewguard` in the user's own runtime directory.
  package static var standardDirectory: String {
    if getuid() == 0 { return "/run/webviewguard" }
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !runtime.isEmpty {
      return runtime + "/webviewguard"
    }
    return "/tmp/webviewguard-\(getuid())"
  }

  /// Makes the directory, takes the lock and clears away the sockets of a daemon that is gone. Only the holder of the lock
  /// may touch a socket, so a living daemon's is never removed.
  func claim() throws(StartError) -> SocketLock {
    guard guardSocket.utf8.count <= Self.maximumPathBytes, adminSocket.utf8.count <= Self.maximumPathBytes else {
      throw .socketPathTooLong(adminSocket)
    }
    let lockFile = directory + "/lock"
    if mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system(SystemError("make directory", directory)) }
    guard Self.isOurs(directory) else { throw .directoryNotOurs(directory) }
    let descriptor = open(lockFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(SystemError("open", lockFile)) }
    let failure = lock_exclusively(descriptor)
    guard failure == 0 else {
      close(descriptor)
      throw failure == EWOULDBLOCK ? .alreadyRunning(guardSocket) : .system(SystemError("lock", lockFile, failure))
    }
    unlink(guardSocket)
    unlink(adminSocket)
    return SocketLock(descriptor: descriptor)
  }

  /// Whoever may write into the directory may put a socket of his own there for apps to find.
  private static func isOurs(_ directory: String) -> Bool {
    var status = stat()
    guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return (status.st_uid == geteuid() || status.st_uid == 0) && status.st_mode & 0o022 == 0
  }

  /// Takes the sockets away and lets go of the lock.
  func clear(_ lock: consuming SocketLock) {
    unlink(guardSocket)
    unlink(adminSocket)
  }

  /// Sets who may connect. The admin socket goes to its group when the system has it.
  func setModes(adminGroup: String) throws(StartError) {
    guard chmod(guardSocket, 0o666) == 0 else { throw .system(SystemError("change mode of", guardSocket)) }
    guard chmod(adminSocket, 0o660) == 0 else { throw .system(SystemError("change mode of", adminSocket)) }
    if getuid() == 0, let group = UserNames.gid(ofGroup: adminGroup) { _ = chown(adminSocket, 0, group) }
  }
}

/// Held as long as the daemon lives; the kernel lets go of it however the daemon ends.
final class SocketLock: Sendable {
  private let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

/// Why the daemon does not start.
package enum StartError: Error, Sendable, Hashable, CustomStringConvertible {
  case alreadyRunning(String)
  case socketPathTooLong(String)
  case directoryNotOurs(String)
  case system(SystemError)
  case log(String)
  case stateInUse(String)
  case notTrusted([PlaceFinding])

  package var description: String {
    switch self {
    case .alreadyRunning(let socket):
      "another daemon serves `\(socket)`; stop it, or give this one another directory with --socket-dir"
    case .socketPathTooLong(let path):
      "the path `\(path)` is longer than the \(SocketPlace.maximumPathBytes) bytes a socket may have; give a shorter --socket-dir"
    case .directoryNotOurs(let directory):
      "others may write into `\(directory)`, or own it; sockets there could be replaced, so give another --socket-dir"
    case .system(let error): error.description
    case .log(let problem): problem
    case .stateInUse(let file): "another daemon keeps its state in `\(file)`; give this one another --state-dir"
    case .notTrusted(let findings): findings.map(\.description).joined(separator: "; ")
    }
  }
}
