/// A client's way to find out that a machine has a daemon of its own, so that it believes no other.
///
/// A user can set variables, and listen on a socket: the user's own daemon could answer everything with `allow`. On a
/// machine with a daemon of its own, clients believe only root and the daemon's user, whatever a variable or a path
/// says. On a machine without one, as for a developer or a user's own service, the caller's own user may be the daemon.
package enum SystemDaemon {
  /// The directory of its sockets and its failure contract.
  package static let directory = "/run/webviewguard"

  /// The daemon's account, which clients believe besides root.
  package static let user = "webviewguard"

  /// systemd's search path for units: the first place that has it counts.
  package static let unitDirectories = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map { "\($0)/systemd/system" }

  /// The kind of file at a path, links followed.
  package enum Found: Sendable { case file, directory, other }

  /// Whether the machine has one, running or not: its directory is there, or one of its units that is not masked (a link to
  /// `/dev/null`). Only root can make those, or mask them.
  package static func isInstalled(_ look: (String) -> Found?) -> Bool {
    if look(directory) != nil { return true }
    return ["service", "socket"].contains { hasUnit("webviewguard.\($0)", look) }
  }

  private static func hasUnit(_ name: String, _ look: (String) -> Found?) -> Bool {
    for directory in unitDirectories {
      if let found = look("\(directory)/\(name)") { return found == .file }
    }
    return false
  }
}
