internal import Glibc

/// What wakes the client's thread: a pair of sockets, closed with its owner. Glibc's module does not show `eventfd`.
final class Waking: Sendable {
  /// The end that the thread waits at.
  let descriptor: Int32
  private let other: Int32

  init() {
    var ends: (Int32, Int32) = (-1, -1)
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    withUnsafeMutableBytes(of: &ends) { bytes in
      _ = socketpair(AF_UNIX, kind, 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    (descriptor, other) = ends
  }

  deinit {
    close(descriptor)
    close(other)
  }

  /// Whether the system had room for it.
  var isOpen: Bool { descriptor >= 0 }

  /// When there is no room for another call, the thread is awake already.
  func wake() { withUnsafeBytes(of: UInt8(1)) { _ = send(other, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }

  /// Takes all calls that there were.
  func rest() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }
}
