internal import Glibc

/// Where the daemon's socket and contract lie.
struct DaemonPlace: Equatable {
  let guardSocket: String
  let contractFile: String

  /// The directory that is given, else `/run/webviewguard` when there is one, else the user service's.
  init(directory: String?) {
    let chosen = directory ?? Self.standardDirectory
    let base = chosen.hasSuffix("/") ? String(chosen.dropLast()) : chosen
    guardSocket = base + "/guard.sock"
    contractFile = base + "/contract.json"
  }

  private static var standardDirectory: String {
    let system = "/run/webviewguard"
    if access(system, F_OK) == 0 { return system }
    guard let runtime = Environment["XDG_RUNTIME_DIR"] else { return system }
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
}
