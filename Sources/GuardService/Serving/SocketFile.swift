internal import Glibc
package import Platform

/// A socket that the daemon makes: where it lies, and who may connect.
package struct SocketFile: Sendable, Hashable {
  package let path: String
  let mode: UInt32
  /// The group that it goes to; nil leaves it to the daemon's own.
  let group: UInt32?

  package init(path: String, mode: UInt32, group: UInt32? = nil) {
    self.path = path
    self.mode = mode
    self.group = group
  }

  /// Makes the socket and listens. A file in its place goes.
  ///
  /// Until it listens no peer can connect, so none meets it before it has its mode and we know which file it is.
  package func listen() throws(StartError) -> MadeSocket {
    unlink(path)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw .system(SystemError("open a socket for", path)) }
    let identity: FileIdentity?
    do throws(SystemError) {
      try bind(descriptor)
      // The group first: a mode for it must never hold for another.
      if let group, chown(path, .max, group) != 0 { throw SystemError("change group of", path) }
      guard chmod(path, mode) == 0 else { throw SystemError("change mode of", path) }
      identity = FileIdentity(path: path)
      guard Glibc.listen(descriptor, Self.backlog) == 0 else { throw SystemError("listen at", path) }
    } catch {
      close(descriptor)
      throw .system(error)
    }
    return MadeSocket(descriptor: descriptor, identity: identity)
  }

  /// Connections that may wait to be taken.
  private static let backlog: Int32 = 1024

  private func bind(_ descriptor: Int32) throws(SystemError) {
    guard let address = UnixAddress(path: path) else { throw SystemError("bind", path, ENAMETOOLONG) }
    guard address.bind(descriptor) else { throw SystemError("bind", path) }
  }
}

/// A socket that listens, and which file it was before any peer could connect.
///
/// The fault: a peer that connects first and clears the directory leaves nothing to compare with afterwards.
package struct MadeSocket: Sendable {
  package let descriptor: Int32
  /// Nil when somebody took it away at once.
  package let identity: FileIdentity?
}
