internal import Glibc
internal import Platform

/// Tells a service manager how the daemon is. Source: sd_notify(3).
///
/// Written by ourselves, as `AdoptedSockets` is: one datagram is not worth a library.
package struct ServiceNotifier: Sendable {
  private let address: UnixAddress
  private let socket: DatagramSocket

  /// The notifier for `$NOTIFY_SOCKET`; nil when it is not set, and nobody wants to know.
  ///
  /// `/run/systemd/notify` is a path, `@notify` an abstract name.
  package init?(address text: String?) {
    guard let address = text.flatMap({ UnixAddress($0) }), let socket = DatagramSocket() else { return nil }
    self.address = address
    self.socket = socket
  }

  /// Sends assignments, one a line; false when nobody took them. Whoever does not read cannot hold the daemon up for
  /// longer than a moment.
  @discardableResult
  package func send(_ assignments: String) -> Bool { address.send(Array(assignments.utf8), from: socket.descriptor) }
}

/// A socket for datagrams that waits a moment at most, and is closed with its owner.
private final class DatagramSocket: Sendable {
  let descriptor: Int32

  init?() {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    var moment = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &moment, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }
}
