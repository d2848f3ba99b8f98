internal import Glibc

/// A stream socket to the daemon that never blocks, closed with its owner.
final class GuardSocket {
  let descriptor: Int32

  /// Most bytes of a path that a socket address holds, without its NUL.
  static let maximumPath = 107

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Connects, and looks who listens before anything is said.
  static func connect(to place: DaemonPlace, _ trust: Trust) throws(GuardProblem) -> GuardSocket {
    let path = place.socket
    guard path.utf8.count <= maximumPath, !path.utf8.contains(0) else { throw .pathTooLong(path: path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
    let made = GuardSocket(descriptor: descriptor)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 { throw problem(path) }
    let uid = try listener(descriptor)
    guard trust.covers(uid) else { throw .strangerListens(path: path, uid: uid) }
    return made
  }

  /// Sends the beginning of the bytes and returns how many of them; 0 when there is no room.
  func send(_ bytes: ArraySlice<UInt8>) throws(GuardProblem) -> Int {
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count < 0, Self.isTemporary(errno) { return 0 }
    guard count >= 0 else { throw .closed }
    return count
  }

  /// Appends what is there and returns how much; 0 when nothing is.
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
    // Too many wait to be let in: `EAGAIN`.
    case ECONNREFUSED, EAGAIN: .refused(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    default: .system(call: "connect", code: errno)
    }
  }

  private static func listener(_ descriptor: Int32) throws(GuardProblem) -> UInt32 {
    // `struct ucred`, which Glibc's module does not show: process, user and group.
    var credentials: (pid: pid_t, uid: uid_t, gid: gid_t) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      throw .system(call: "getsockopt", code: errno)
    }
    return credentials.uid
  }
}
