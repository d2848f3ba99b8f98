internal import Glibc
internal import GuardProtocol
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

/// The error of a call that could not be made, or of a reply that could not be read.
enum ClientError: Error, Sendable, Hashable {
  case pathTooLong(String)
  case missing(String)
  case refused(String)
  case notPermitted(String)
  /// The listener is neither root, nor the caller, nor the daemon's own user.
  case strangerListens(String, uid: UInt32)
  /// A system call failed: its name, and the system's words.
  case system(String, path: String, words: String)
  /// The daemon closed the connection before it answered.
  case closed(String)
  /// The daemon did not answer before the deadline.
  case tooLate(String)
  case unreadable(FrameFault)
  /// The daemon does not answer such a call, or not as expected.
  case unexpected(String)
  case replyTooLong
}

extension ClientError: CustomStringConvertible {
  /// One line: the error, and a possible remedy.
  var description: String {
    switch self {
    case .pathTooLong(let path):
      "the path `\(path)` is longer than a socket's may be; give a shorter --socket-dir"
    case .missing(let path):
      "there is no socket at `\(path)`; is the daemon running, and is this its --socket-dir?"
    case .refused(let path):
      "nobody listens at `\(path)`; the daemon that made it has ended, start it again"
    case .notPermitted(let path):
      path.hasSuffix("/admin.sock")
        ? "no permission to connect to `\(path)`; that takes root or the group `webviewguard-admin`"
        : "no permission to connect to `\(path)`; look at the modes of the socket and of its directory"
    case .strangerListens(let path, let uid):
      "user \(uid) listens at `\(path)`, who is neither root, nor you, nor `webviewguard`; not connected"
    case .system(let call, let path, let words): "cannot \(call) `\(path)`: \(words)"
    case .closed(let path): "the daemon at `\(path)` closed the connection without an answer"
    case .tooLate(let path): "the daemon at `\(path)` did not answer in time"
    case .unreadable: "the answer is no varlink message"
    case .unexpected(let words): "the daemon answered otherwise than expected: \(words)"
    case .replyTooLong: "the answer is longer than any of the daemon's"
    }
  }
}

/// A point in time that does not move when the clock is set.
///
///     let deadline = Deadline(after: 500)
///     deadline.remainingMilliseconds    // 500, later less, never below 0
struct Deadline: Sendable, Hashable {
  private let nanoseconds: UInt64

  /// A deadline this many milliseconds from now.
  init(after milliseconds: Int) {
    nanoseconds = Self.now + UInt64(max(0, milliseconds)) * 1_000_000
  }

  /// Rounded up, so a wait of that length reaches the deadline.
  var remainingMilliseconds: Int32 {
    let now = Self.now
    guard nanoseconds > now else { return 0 }
    return Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000)
  }

  var isOver: Bool { Self.now >= nanoseconds }

  private static var now: UInt64 { UInt64(SystemClock.monotonic) }
}
