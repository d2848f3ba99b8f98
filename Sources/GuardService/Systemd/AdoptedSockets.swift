internal import Glibc

/// The sockets that a service manager handed over, by purpose.
///
/// Read by ourselves: the protocol is three variables and a promise of stability, while libsystemd would bring liblzma
/// and libgcrypt into the address space of the guard.
package struct AdoptedSockets: Sendable, Hashable {
  /// Called `guard`: serve apps.
  package private(set) var guardSockets: [AdoptedSocket] = []
  /// Called `admin`: serve administrators.
  package private(set) var adminSockets: [AdoptedSocket] = []
  /// All others: each serves the one app whose peers come through it.
  package private(set) var appSockets: [AdoptedSocket] = []

  /// The first descriptor that is handed over. Source: sd_listen_fds(3), `SD_LISTEN_FDS_START`.
  package static let firstDescriptor: Int32 = 3
  /// More than any set-up needs.
  package static let maximum = 256

  package init(_ sockets: [AdoptedSocket]) {
    for socket in sockets {
      switch socket.name {
      case "guard": guardSockets.append(socket)
      case "admin": adminSockets.append(socket)
      default: appSockets.append(socket)
      }
    }
  }

  /// The sockets of this process; empty without a service manager, or when the variables are for another process.
  static func inherited() throws(StartError) -> Self {
    let sockets = try listed(in: { getenv($0).map { String(cString: $0) } }, for: getpid())
    for socket in sockets { try socket.check() }
    return AdoptedSockets(sockets)
  }

  /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
  ///
  /// `LISTEN_FDS=2`, `LISTEN_FDNAMES=guard:admin` are descriptor 3, called `guard`, and 4, called `admin`. A descriptor
  /// without a name is an error: its purpose would be unknown.
  package static func listed(
    in environment: (String) -> String?, for process: Int32
  ) throws(StartError) -> [AdoptedSocket] {
    guard let stated = environment("LISTEN_PID"), Int32(stated) == process else { return [] }
    guard let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (0...Int32(maximum)).contains(count) else {
      throw .adoption("LISTEN_FDS is no number of sockets up to \(maximum)")
    }
    let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    guard count == 0 || (names.count == Int(count) && !names.contains("")) else {
      throw .adoption("LISTEN_FDNAMES does not name each of the \(count) sockets; give their units FileDescriptorName=")
    }
    return zip(names, firstDescriptor..<firstDescriptor + count).map {
      AdoptedSocket(name: String($0), descriptor: $1)
    }
  }
}
