internal import Glibc

/// Tells a service manager how the daemon is. Source: sd_notify(3).
///
/// Written by ourselves, as `AdoptedSockets` is: one datagram is not worth a library.
package struct ServiceNotifier: Sendable {
  private let address: [UInt8]
  private let socket: DatagramSocket

  /// The notifier for `$NOTIFY_SOCKET`; nil when it is not set, and nobody wants to know.
  ///
  /// `/run/systemd/notify` is a path, `@notify` an abstract name.
  package init?(address text: String?) {
    guard let text, let first = text.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else {
      return nil
    }
    var bytes = Array(text.utf8)
    if first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count < MemoryLayout<sockaddr_un>.size - Self.pathStart, let socket = DatagramSocket() else {
      return nil
    }
    address = bytes
    self.socket = socket
  }

  /// Sends assignments, one a line; false when nobody took them. Whoever does not read cannot hold the daemon up for
  /// longer than a moment.
  @discardableResult
  package func send(_ assignments: String) -> Bool {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name) { raw in
      for (index, byte) in address.enumerated() { raw[Self.pathStart + index] = byte }
    }
    let length = socklen_t(Self.pathStart + address.count)
    let message = Array(assignments.utf8)
    let sent = withUnsafeBytes(of: &name) { raw in
      sendto(
        socket.descriptor, message, message.count, Int32(MSG_NOSIGNAL),
        raw.assumingMemoryBound(to: sockaddr.self).baseAddress, length)
    }
    return sent == message.count
  }

  private static let pathStart = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
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
