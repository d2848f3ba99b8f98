internal import Glibc
internal import Platform

/// One connection of a `TrialServer`: bytes that came, and bytes that are to leave.
final class TrialConnection {
  /// What it came through.
  enum Door: Hashable {
    /// A Unix socket.
    case guardSocket
    /// The last number of an address of the loopback network.
    case web(UInt8)
    /// The server made it.
    case made
  }

  let door: Door
  fileprivate let descriptor: Int32
  /// What came and was not taken yet.
  var input: [UInt8] = []
  var output: [UInt8] = []
  /// It is closed as soon as everything has left.
  var isEnding = false
  fileprivate(set) var isClosed = false
  /// The other end of what is passed on.
  var partner: TrialConnection?

  fileprivate init(_ descriptor: Int32, _ door: Door) {
    (self.descriptor, self.door) = (descriptor, door)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// The next frame of varlink, without its NUL.
  func takeFrame() -> [UInt8]? {
    guard let end = input.firstIndex(of: 0) else { return nil }
    defer { input.removeSubrange(...end) }
    return Array(input[..<end])
  }
}

/// Sockets for the trials of a program: a thread that waits for all of them at once. It serves one developer's program, so
/// that a few connections and a few bytes are all that it has to bear.
///
///     let server = TrialServer { connection in connection.output += connection.input }
///     try server.listen(at: "/tmp/x/guard.sock")
///     while true { server.turn(milliseconds: 100) }
final class TrialServer {
  /// Something came, and lies in `input`.
  private let received: (TrialConnection) -> Void
  private var doors: [(descriptor: Int32, door: TrialConnection.Door)] = []
  private var connections: [TrialConnection] = []

  /// More bytes that wait on one connection are a program that has gone wild.
  private static let mostBytes = 8 << 20

  init(received: @escaping (TrialConnection) -> Void) { self.received = received }

  deinit {
    for door in doors { close(door.descriptor) }
    for connection in connections where !connection.isClosed { close(connection.descriptor) }
  }

  func listen(at path: String) throws(CommandProblem) {
    unlink(path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard let address = UnixAddress(path: path), address.bind(descriptor), Glibc.listen(descriptor, 64) == 0 else {
      throw CommandProblem("cannot listen at `\(path)`: \(SystemWords.last)")
    }
    doors.append((descriptor, .guardSocket))
  }

  /// Listens at 127.0.0.`host`; returns the port. Port 0 is one that is free.
  func listen(onLoopback host: UInt8, port: UInt16) throws(CommandProblem) -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (UInt32(127) << 24 | UInt32(host)).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { raw in
      let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(descriptor, pointer, length) == 0 && Glibc.listen(descriptor, 64) == 0
        && getsockname(descriptor, pointer, &length) == 0
    }
    guard isBound else {
      close(descriptor)
      throw CommandProblem("cannot listen at 127.0.0.\(host): \(SystemWords.last)")
    }
    doors.append((descriptor, .web(host)))
    return UInt16(bigEndian: address.sin_port)
  }

  /// A connection to somebody else's socket; nil when nobody listens there.
  func connect(to path: String) -> TrialConnection? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard let address = UnixAddress(path: path), address.connect(descriptor) else {
      close(descriptor)
      return nil
    }
    let made = TrialConnection(descriptor, .made)
    connections.append(made)
    return made
  }

  /// Waits once for something to happen, and lets it.
  func turn(milliseconds: Int32) {
    var waits = doors.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let waiting = connections
    for connection in waiting {
      let events = POLLIN | (connection.output.isEmpty ? 0 : POLLOUT)
      waits.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
    }
    guard poll(&waits, nfds_t(waits.count), milliseconds) > 0 else { return }
    for (door, wait) in zip(doors, waits) where wait.revents != 0 { accept(door) }
    for (connection, wait) in zip(waiting, waits.dropFirst(doors.count)) where wait.revents != 0 {
      if wait.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { read(connection) }
      write(connection)
    }
    for connection in connections { write(connection) }
    connections.removeAll(where: \.isClosed)
  }

  private func accept(_ door: (descriptor: Int32, door: TrialConnection.Door)) {
    let descriptor = Glibc.accept(door.descriptor, nil, nil)
    guard descriptor >= 0 else { return }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    connections.append(TrialConnection(descriptor, door.door))
  }

  private func read(_ connection: TrialConnection) {
    guard !connection.isClosed else { return }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(connection.descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0, connection.input.count < Self.mostBytes else { return end(connection) }
    connection.input += chunk[..<count]
    received(connection)
  }

  private func write(_ connection: TrialConnection) {
    guard !connection.isClosed else { return }
    if !connection.output.isEmpty {
      let count = send(connection.descriptor, connection.output, connection.output.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno != EAGAIN, errno != EINTR { return end(connection) }
      connection.output.removeFirst(max(0, count))
    }
    if connection.isEnding, connection.output.isEmpty { end(connection) }
  }

  private func end(_ connection: TrialConnection) {
    guard !connection.isClosed else { return }
    connection.isClosed = true
    close(connection.descriptor)
    connection.partner?.isEnding = true
    connection.partner?.partner = nil
    connection.partner = nil
  }
}

/// Why a trial cannot begin.
struct CommandProblem: Error, Hashable {
  let message: String

  init(_ message: String) { self.message = message }
}
