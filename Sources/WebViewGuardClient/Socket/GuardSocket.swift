internal import Glibc
internal import Platform

/// A stream socket to the daemon that never blocks, closed with its owner.
final class GuardSocket {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Connects, and checks the listening user before it sends any data.
  static func connect(to place: DaemonPlace, _ trust: Trust) throws(GuardProblem) -> GuardSocket {
    let path = place.socket
    guard let address = UnixAddress(path: path) else {
      throw path.isEmpty ? .refused(path: path) : .pathTooLong(path: path)
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
    let made = GuardSocket(descriptor: descriptor)
    guard address.connect(descriptor) else { throw problem(path) }
    guard let uid = UnixAddress.peerUser(of: descriptor) else { throw .system(call: "getsockopt", code: errno) }
    guard trust.covers(uid) else { throw .strangerListens(path: path, uid: uid) }
    return made
  }

  /// Sends the first bytes and returns their number; 0 when there is no room.
  func send(_ bytes: ArraySlice<UInt8>) throws(GuardProblem) -> Int {
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count < 0, Self.isTemporary(errno) { return 0 }
    guard count >= 0 else { throw .closed }
    return count
  }

  /// Appends the bytes that arrived and returns their number; 0 when there are none.
  func receive(into buffer: inout [UInt8]) throws(GuardProblem) -> Int {
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
    let count = buffer[old...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    let code = errno
    buffer.removeLast(buffer.count - old - max(count, 0))
    if count < 0, Self.isTemporary(code) { return 0 }
    guard count > 0 else { throw .closed }
    return count
  }

  private static let chunk = 65_536

  private static func isTemporary(_ code: Int32) -> Bool { code == EAGAIN || code == EINTR }

  private static func problem(_ path: String) -> GuardProblem {
    switch errno {
    case ENOENT, ENOTDIR: .missing(path: path)
    // The listener's queue is full: `EAGAIN`.
    case ECONNREFUSED, EAGAIN: .refused(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    default: .system(call: "connect", code: errno)
    }
  }
}
