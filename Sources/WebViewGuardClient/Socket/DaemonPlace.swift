internal import Glibc
package import GuardModel
internal import Platform

/// Where the daemon is looked for.
package struct DaemonPlace: Sendable, Hashable {
  package var socket: String
  /// The daemon of a user may run as that user; the machine's may not.
  package var ownUserMayServe: Bool

  /// The failure contract, beside the socket.
  var contract: String {
    guard let slash = socket.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "contract.json" }
    return socket[...slash] + "contract.json"
  }

  /// The place that was given; else the machine's, if it has a daemon; else the user's. Where the machine has one, nobody's
  /// own is believed, and none is looked for.
  ///
  /// - Parameter look: what lies at a path.
  package static func find(
    _ given: String?, _ look: (String) -> SystemDaemon.Found? = DaemonPlace.found
  ) -> DaemonPlace {
    let hasSystem = SystemDaemon.isInstalled(look)
    if let given { return DaemonPlace(socket: given, ownUserMayServe: !hasSystem) }
    let systemPlace = DaemonPlace(socket: SystemDaemon.directory + "/guard.sock", ownUserMayServe: false)
    guard !hasSystem, let directory = Environment["XDG_RUNTIME_DIR"] else { return systemPlace }
    return DaemonPlace(socket: directory + "/webviewguard/guard.sock", ownUserMayServe: true)
  }

  /// Whether the machine has a daemon of its own, running or not.
  package static var hasSystemDaemon: Bool { SystemDaemon.isInstalled(found) }

  /// Whose sockets and files are believed there, unless an app names others.
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

/// The variables that the program was started with.
package enum Environment {
  /// The value; nil when there is none, or an empty one.
  package static subscript(name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}

/// Whose sockets and files are believed.
package struct Trust: Sendable, Hashable {
  /// Instead of all below, when given.
  var uids: Set<UInt32>?
  var ownUserMayServe: Bool

  package init(uids: Set<UInt32>?, ownUserMayServe: Bool) {
    (self.uids, self.ownUserMayServe) = (uids, ownUserMayServe)
  }

  /// Root, the user `webviewguard`, and where it may be so oneself.
  package func covers(_ uid: UInt32) -> Bool {
    if let uids { return uids.contains(uid) }
    return uid == 0 || (ownUserMayServe && uid == geteuid()) || uid == Self.daemonUser
  }

  /// The uid of the user `webviewguard`, looked up once, and only when somebody else serves; nil when there is none.
  private static let daemonUser: UInt32? = Users.uid(ofUser: SystemDaemon.user)
}
