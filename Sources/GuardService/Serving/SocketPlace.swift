internal import Glibc
package import Platform
package import PolicyFiles

/// The directory of the sockets, and the lock that keeps a second daemon away from them.
package struct SocketPlace: Sendable, Hashable {
  /// For apps, mode 0666: quotas hold per uid.
  package var guardSocket: String
  /// For administrators, mode 0660. It goes to its group when the system has it and the daemon runs as root.
  package var adminSocket: String
  /// The failure contract, so that it holds before the first contact.
  package var contractFile: String
  /// Stands while the state file says less than was answered.
  package var doubtFile: String
  let directory: String
  /// A service manager made it: where it lies and who may connect is not ours to change.
  private(set) var isGuardAdopted = false
  private(set) var isAdminAdopted = false
  /// Sockets of single apps, without those that a service manager made.
  private(set) var apps: [DaemonSettings.AppSocket] = []
  private(set) var adminGroup = "webviewguard-admin"

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

  /// `$RUNTIME_DIRECTORY`, which systemd sets by `RuntimeDirectory=`; else `/run/webviewguard` for root and `webviewguard`
  /// in the runtime directory of a user.
  package static var standardDirectory: String {
    // Several are separated by colons; ours is the first.
    if let stated = getenv("RUNTIME_DIRECTORY").map({ String(cString: $0) })?.split(separator: ":").first {
      return String(stated)
    }
    if getuid() == 0 { return systemDirectory }
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !runtime.isEmpty {
      return runtime + "/webviewguard"
    }
    return "/tmp/webviewguard-\(getuid())"
  }

  /// The default place to ask: the system's daemon when there is one, as every client holds it, else the user's own.
  package static var askedDirectory: String {
    access(systemDirectory, F_OK) == 0 ? systemDirectory : standardDirectory
  }

  /// The directory of the system's daemon.
  package static let systemDirectory = "/run/webviewguard"

  /// Takes over the configured sockets beside the paths of the first two.
  package mutating func serve(_ sockets: DaemonSettings.Sockets) {
    apps = sockets.apps
    adminGroup = sockets.adminGroup ?? adminGroup
  }

  /// Leaves the sockets that a service manager made to it.
  mutating func adopt(_ adopted: AdoptedSockets) {
    if let first = adopted.guardSockets.first {
      (guardSocket, isGuardAdopted) = (first.path ?? guardSocket, true)
    }
    if let first = adopted.adminSockets.first {
      (adminSocket, isAdminAdopted) = (first.path ?? adminSocket, true)
    }
    apps.removeAll { app in adopted.appSockets.contains { $0.name == app.name } }
  }

  var lockFile: String { directory + "/lock" }

  /// Makes the directory, takes the lock and clears away the sockets of a daemon that is gone. Only the holder of the lock
  /// may touch a socket, so a living daemon's is never removed.
  package func claim() throws(StartError) -> FileLock {
    for socket in ownSockets where socket.utf8.count > Self.maximumPathBytes { throw .socketPathTooLong(socket) }
    let lock = try lock()
    for socket in ownSockets {
      let parent = socket.lastIndex(of: "/").map { String(socket[..<$0]) } ?? "."
      guard parent == directory || Self.isOurs(parent) else { throw .directoryNotOurs(parent) }
      unlink(socket)
    }
    return lock
  }

  /// Makes the directory and takes the lock in it.
  func lock() throws(StartError) -> FileLock {
    if mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system(SystemError("make directory", directory)) }
    guard Self.isOurs(directory) else { throw .directoryNotOurs(directory) }
    let findings = PlaceCheck().parentFindings(of: directory)
    guard findings.isEmpty else { throw .notTrusted(findings) }
    do throws(SystemError) { return try FileLock(lockFile) } catch {
      throw error.number == EWOULDBLOCK ? .alreadyRunning(guardSocket) : .system(error)
    }
  }

  /// A user who may write into the directory may put a socket of his own there for apps to find.
  private static func isOurs(_ directory: String) -> Bool {
    guard let status = FileStatus(entry: directory) else { return false }
    return status.kind == .directory && status.isOnly(of: geteuid())
  }

  /// Takes the sockets away and lets go of the lock.
  package func clear(_ lock: consuming FileLock) {
    // The directory is another one by now: its new owner may have started another daemon in it.
    guard lock.isInPlace else { return }
    for socket in ownSockets { unlink(socket) }
  }
}

/// Why the daemon does not start.
package enum StartError: Error, Sendable, Hashable, CustomStringConvertible {
  case alreadyRunning(String)
  case socketPathTooLong(String)
  case directoryNotOurs(String)
  case system(SystemError)
  case log(String)
  case stateInUse(String)
  case adoption(String)
  case unknownGroup(String, socket: String)
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
    case .unknownGroup(let group, let socket):
      "the system has no group `\(group)`, which `sockets.apps.\(socket).group` names; make it, or name another"
    case .adoption(let problem): "the sockets handed over cannot be served: \(problem)"
    case .stateInUse(let file): "another daemon keeps its state in `\(file)`; give this one another --state-dir"
    case .notTrusted(let findings): findings.map(\.description).joined(separator: "; ")
    }
  }
}

/// The sockets that the daemon makes itself.
extension SocketPlace {
  /// Their directory.
  package var ownSockets: [String] {
    (isGuardAdopted ? [] : [guardSocket]) + (isAdminAdopted ? [] : [adminSocket]) + apps.map(path)
  }

  /// Each with the socket that it serves.
  package func files() throws(StartError) -> [(ServedSocket, SocketFile)] {
    var files: [(ServedSocket, SocketFile)] = []
    for app in apps { files.append((.app(app.name), try file(of: app))) }
    if !isAdminAdopted {
      let group = getuid() == 0 ? Users.gid(ofGroup: adminGroup) : nil
      files.append((.adminSocket, SocketFile(path: adminSocket, mode: 0o660, group: group)))
    }
    // The last: who finds it finds the others.
    if !isGuardAdopted { files.append((.guardSocket, SocketFile(path: guardSocket, mode: 0o666))) }
    return files
  }

  private func path(of app: DaemonSettings.AppSocket) -> String { app.path ?? directory + "/\(app.name).sock" }

  /// A peer that gets to an app's socket is that app: only users named in the configuration get there.
  private func file(of app: DaemonSettings.AppSocket) throws(StartError) -> SocketFile {
    if app.open { return SocketFile(path: path(of: app), mode: 0o666) }
    guard let name = app.group else { return SocketFile(path: path(of: app), mode: 0o600) }
    guard let group = Users.gid(ofGroup: name) else { throw .unknownGroup(name, socket: app.name) }
    return SocketFile(path: path(of: app), mode: 0o660, group: group)
  }
}
