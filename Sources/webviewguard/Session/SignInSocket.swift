internal import Glibc
internal import JSONText
internal import Platform

/// The socket of a session's agent: `webviewguard-session.sock` in the person's runtime directory, which nobody else
/// enters. One call a connection, one connection at a time, on a thread of its own: a sign-in service that hangs keeps
/// nothing else waiting.
struct SignInSocket: ~Copyable {
  private let descriptor: Int32

  static let fileName = "webviewguard-session.sock"
  /// An app that connects and says nothing holds up the others for so long.
  private static let patienceSeconds = 2

  /// Nil where the person has no runtime directory, or one that others may write.
  static var path: String? {
    guard let directory = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }),
      directory.utf8.first == UInt8(ascii: "/")
    else { return nil }
    var status = stat()
    guard stat(directory, &status) == 0, status.st_uid == getuid(), status.st_mode & 0o022 == 0 else { return nil }
    return directory + "/" + fileName
  }

  /// Nil with an `errno`.
  init?(at path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    unlink(path)
    let former = umask(0o177)
    let isBound = UnixAddress(path: path)?.bind(descriptor) ?? false
    umask(former)
    guard isBound, listen(descriptor, 16) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Serves for good.
  func serve(_ agent: SignInAgent) {
    while true {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else {
        // Out of descriptors, or out of memory: others end.
        usleep(100_000)
        continue
      }
      if UnixAddress.peerUser(of: connection) == getuid() { Self.answer(connection, agent) }
      close(connection)
    }
  }

  private static func answer(_ connection: Int32, _ agent: SignInAgent) {
    var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    guard let frame = frame(from: connection) else { return }
    var reply = Array(agent.reply(to: frame).text().utf8) + [0]
    while !reply.isEmpty {
      let count = send(connection, reply, reply.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      reply.removeFirst(count)
    }
  }

  private static func frame(from connection: Int32) -> [UInt8]? {
    var frame: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    let deadline = Deadline(after: 1000 * patienceSeconds)
    while frame.count < SignInAgent.mostBytes, !deadline.isOver {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      frame += chunk[..<count]
      if let end = frame.firstIndex(of: 0) { return Array(frame[..<end]) }
    }
    return nil
  }
}

extension SignInSocket {
  /// Opens the socket and serves it from a thread of its own; returns why when it does not.
  static func start() -> String? {
    guard let path else { return "no `XDG_RUNTIME_DIR` of this person alone: apps get no sign-in" }
    guard let socket = SignInSocket(at: path) else { return "cannot listen at `\(path)`: \(SystemWords.last)" }
    let box = Unmanaged.passRetained(Served(socket))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Served>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard error == 0 else {
      box.release()
      return "no thread for sign-in: \(SystemWords.text(error))"
    }
    pthread_detach(thread)
    return nil
  }

  private final class Served {
    private let socket: SignInSocket

    init(_ socket: consuming SignInSocket) { self.socket = socket }

    func run() { socket.serve(SignInAgent { SignInBroker.credential(for: $0, of: $1) }) }
  }
}
