internal import Glibc
internal import Platform

/// A listening Unix socket that a service manager opened before it started the daemon, by the name it gave it.
///
/// A unit `contoso-kiosk.socket` with `FileDescriptorName=contoso-kiosk` arrives as
/// `AdoptedSocket(name: "contoso-kiosk", descriptor: 5)`. The file belongs to the service manager: the daemon neither
/// removes it nor changes its mode. Source: sd_listen_fds(3).
package struct AdoptedSocket: Sendable, Hashable {
  /// The value of `FileDescriptorName=`; systemd's default is the name of the socket unit.
  package let name: String
  package let descriptor: Int32

  package init(name: String, descriptor: Int32) {
    self.name = name
    self.descriptor = descriptor
  }

  /// Where clients find it; `@` stands for the NUL of an abstract name. Nil when it has no name that the kernel tells.
  package var path: String? { UnixAddress.text(ofSocket: descriptor) }

  /// Makes sure that it is a socket the daemon serves, and that no program started later inherits it. A TCP socket
  /// would let peers in that the kernel does not identify.
  func check() throws(StartError) {
    guard
      option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1
    else {
      throw .adoption("descriptor \(descriptor), called `\(name)`, is no listening Unix stream socket")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  private func option(_ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
