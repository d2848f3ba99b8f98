internal import Glibc
internal import Platform
internal import WebViewGuardClient

/// One connection to a Unix stream socket, blocking, closed when it goes out of scope.
struct UnixSocket: ~Copyable {
  let path: String
  private let descriptor: Int32

  /// With `patience`, in milliseconds, neither the connection nor any one step of sending takes longer.
  init(connectingTo path: String, patience: Int? = nil) throws(ClientError) {
    let descriptor = try Self.open(path, patience)
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends everything, or throws.
  func send(_ bytes: borrowing Span<UInt8>) throws(ClientError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.extracting(sent...).withUnsafeBufferPointer {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failureToSend(path) }
      sent += count
    }
  }

  /// Appends the next bytes to the buffer; false at the end of the stream.
  func receive(into buffer: inout [UInt8]) throws(ClientError) -> Bool {
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: 65_536))
    while true {
      let count = buffer[old...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count < 0, errno == EINTR { continue }
      buffer.removeLast(buffer.count - old - max(count, 0))
      guard count >= 0 else { throw errno == ECONNRESET ? .closed(path) : Self.failure("receive from", path) }
      return count > 0
    }
  }

  /// Returns when bytes can be received; throws when the deadline comes first.
  func wait(until deadline: Deadline) throws(ClientError) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&request, 1, deadline.remainingMilliseconds)
      if ready < 0, errno == EINTR { continue }
      guard ready >= 0 else { throw Self.failure("wait for", path) }
      guard ready > 0 else { throw .tooLate(path) }
      return
    }
  }

  /// Tells the other side that nothing more comes, and waits until it has read everything and closed.
  func finish() throws(ClientError) {
    shutdown(descriptor, Int32(SHUT_WR))
    var rest: [UInt8] = []
    while try receive(into: &rest) { rest.removeAll(keepingCapacity: true) }
  }

  private static func open(_ path: String, _ patience: Int?) throws(ClientError) -> Int32 {
    guard let address = UnixAddress(path: path) else { throw path.isEmpty ? .refused(path) : .pathTooLong(path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("make a socket for", path) }
    if let patience { limit(descriptor, patience) }
    do throws(ClientError) {
      try connect(descriptor, to: address, path)
      try checkListener(descriptor, path)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The limit holds for `connect` as well, which waits while the listener's queue is full (socket(7), `SO_SNDTIMEO`).
  private static func limit(_ descriptor: Int32, _ milliseconds: Int) {
    var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func connect(
    _ descriptor: Int32, to address: UnixAddress, _ path: String
  ) throws(ClientError) {
    if address.connect(descriptor) { return }
    switch errno {
    case ENOENT, ENOTDIR: throw .missing(path)
    case ECONNREFUSED: throw .refused(path)
    case EACCES, EPERM: throw .notPermitted(path)
    case EAGAIN: throw .tooLate(path)
    default: throw failure("connect to", path)
    }
  }

  /// In a directory that others can write, any user could have planted a socket (architecture, section 9). The caller's
  /// own user is trusted on every machine: a user who calls by hand may run a daemon of his own.
  private static func checkListener(_ descriptor: Int32, _ path: String) throws(ClientError) {
    guard let uid = UnixAddress.peerUser(of: descriptor) else { throw failure("look who listens at", path) }
    guard Trust(uids: nil, ownUserMayServe: true).covers(uid) else { throw .strangerListens(path, uid: uid) }
  }

  private static func failureToSend(_ path: String) -> ClientError {
    switch errno {
    case EPIPE, ECONNRESET: .closed(path)
    case EAGAIN: .tooLate(path)
    default: failure("send to", path)
    }
  }

  private static func failure(_ call: String, _ path: String) -> ClientError {
    .system(call, path: path, words: SystemWords.last)
  }
}
