internal import Glibc
package import GuardModel
internal import Platform

/// The place of the daemon: its socket and failure contract.
package struct DaemonPlace: Sendable, Hashable {
  package var socket: String
  /// The daemon of a user may run as that user; the machine's may not.
  package var ownUserMayServe: Bool

  /// The failure contract, beside the socket.
  var contract: String {
    guard let slash = socket.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "contract.json" }
    return socket[...slash] + "contract.json"
  }

  /// The given place; else the machine's, if it has a daemon; else the user's. If the machine has a daemon, the client
  /// neither looks for a user's own one nor believes it.
  ///
  /// - Parameter look: returns the kind of entry at a path.
  package static func find(
    _ given: String?, _ look: (String) -> SystemDaemon.Found? = DaemonPlace.found
  ) -> DaemonPlace {
    let hasSystem = SystemDaemon.isInstalled(look)
    if let given { return DaemonPlace(socket: given, ownUserMayServe: !hasSystem) }
    let systemPlace = DaemonPlace(socket: SystemDaemon.directory + "/guard.sock", ownUserMayServe: false)
    guard !hasSystem, let directory = Environment["XDG_RUNTIME_DIR"] else { return systemPlace }
    return DaemonPlace(socket: directory + "/webviewguard/guard.sock", ownUserMayServe: true)
  }

  /// The machine has a daemon of its own, running or not.
  package static var hasSystemDaemon: Bool { SystemDaemon.isInstalled(found) }

  /// The owners whose sockets and files the client trusts there, unless an app names others.
  package var trust: Trust { Trust(uids: nil, ownUserMayServe: ownUserMayServe) }

  package static func found(_ path: String) -> SystemDaemon.Found? {
    switch FileStatus(path)?.kind {
    case nil: nil
    case .regular: .file
    case .directory: .directory
    default: .other
    }
  }
}

/// The environment variables of the program.
package enum Environment {
  /// The value; nil when it is missing or empty.
  package static subscript(name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}

/// The owners whose sockets and files the client trusts.
package struct Trust: Sendable, Hashable {
  /// Replaces everything below, when given.
  var uids: Set<UInt32>?
  var ownUserMayServe: Bool

  package init(uids: Set<UInt32>?, ownUserMayServe: Bool) {
    (self.uids, self.ownUserMayServe) = (uids, ownUserMayServe)
  }

  /// Root, the user `webviewguard`, and, where allowed, the app's own user.
  package func covers(_ uid: UInt32) -> Bool {
    if let uids { return uids.contains(uid) }
    return uid == 0 || (ownUserMayServe && uid == geteuid()) || uid == Self.daemonUser
  }

  /// The uid of the user `webviewguard`, looked up once, and only when another user serves; nil when there is none.
  private static let daemonUser: UInt32? = Users.uid(ofUser: SystemDaemon.user)
}
