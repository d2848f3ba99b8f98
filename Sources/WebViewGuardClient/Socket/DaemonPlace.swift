internal import Glibc

/// Where the daemon is looked for.
struct DaemonPlace: Sendable, Hashable {
  var socket: String
  /// The daemon of a user may run as that user; the machine's may not.
  var ownUserMayServe: Bool

  /// The failure contract, beside the socket.
  var contract: String {
    guard let slash = socket.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "contract.json" }
    return socket[...slash] + "contract.json"
  }

  static let system = "/run/webviewguard"

  /// The place that was given; else the machine's, if its directory is there; else the user's.
  static func find(_ given: String?) -> DaemonPlace {
    if let given { return DaemonPlace(socket: given, ownUserMayServe: true) }
    let systemPlace = DaemonPlace(socket: system + "/guard.sock", ownUserMayServe: false)
    guard access(system, F_OK) != 0, let directory = getenv("XDG_RUNTIME_DIR") else { return systemPlace }
    return DaemonPlace(socket: String(cString: directory) + "/webviewguard/guard.sock", ownUserMayServe: true)
  }
}

/// Whose sockets and files are believed.
struct Trust: Sendable, Hashable {
  /// Instead of all below, when given.
  var uids: Set<UInt32>?
  var ownUserMayServe: Bool

  /// Root, the user `webviewguard`, and where it may be so oneself.
  func covers(_ uid: UInt32) -> Bool {
    if let uids { return uids.contains(uid) }
    return uid == 0 || (ownUserMayServe && uid == geteuid()) || uid == Self.daemonUser
  }

  /// The uid of the user `webviewguard`, looked up once, and only when somebody else serves; nil when there is none.
  private static let daemonUser: UInt32? = {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getpwnam_r("webviewguard", &entry, &buffer, buffer.count, &found) == 0 else { return nil }
    return found?.pointee.pw_uid
  }()
}
