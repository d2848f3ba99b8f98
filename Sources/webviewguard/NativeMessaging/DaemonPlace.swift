internal import Glibc
internal import GuardModel

/// Where the daemon's socket and contract lie, and who may be it.
struct DaemonPlace: Equatable {
  let guardSocket: String
  let contractFile: String
  /// Where the machine has a daemon of its own, nobody's own is believed: the user could answer in its place.
  let believed: BelievedListeners

  /// The directory that is given, else the machine's when it has a daemon, else that of the user's own service.
  init(directory: String?) {
    let chosen = directory ?? Self.standardDirectory
    let base = chosen.hasSuffix("/") ? String(chosen.dropLast()) : chosen
    guardSocket = base + "/guard.sock"
    contractFile = base + "/contract.json"
    believed = Self.hasSystemDaemon ? .systemOnly : .orSelf
  }

  /// Whether the machine has a daemon of its own, running or not.
  static var hasSystemDaemon: Bool {
    SystemDaemon.isInstalled { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return status.st_mode & S_IFMT == S_IFREG ? .file : status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
    }
  }

  private static var standardDirectory: String {
    guard !hasSystemDaemon, let runtime = Environment["XDG_RUNTIME_DIR"] else { return SystemDaemon.directory }
    return runtime + "/webviewguard"
  }
}

/// The variables that the program was started with.
enum Environment {
  /// The value; nil when there is none, or an empty one.
  static subscript(name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// The same for what only an administrator may say: on a machine with a daemon of its own, the user's variables do not
  /// count. Else a user of the browser could name another daemon, another policy or another app.
  static subscript(trusted name: String) -> String? { DaemonPlace.hasSystemDaemon ? nil : self[name] }
}
