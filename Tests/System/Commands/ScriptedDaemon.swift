import Glibc

/// A daemon that answers the calls of one connection with what a test wrote down, whatever they are.
final class ScriptedDaemon {
  private let listener: Int32
  /// The calls that came, as JSON.
  private(set) var calls: [String] = []

  init(socket path: String) throws {
    listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 1) == 0 else { throw ScriptError(description: "cannot listen at `\(path)`") }
  }

  deinit { close(listener) }

  /// Serves one connection to its end. Each call takes the next element of `replies`; without one it is not answered.
  func serve(_ replies: [[String]]) throws {
    guard Self.waits(listener) else { throw ScriptError(description: "nobody connects") }
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { throw ScriptError(description: "cannot accept") }
    defer { close(connection) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while Self.waits(connection) {
      let count = buffer.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return }
      received += buffer[..<count]
      while let end = received.firstIndex(of: 0) {
        calls.append(String(decoding: received[..<end], as: UTF8.self))
        received.removeSubrange(...end)
        let answers = calls.count <= replies.count ? replies[calls.count - 1] : []
        for answer in answers { Self.send(answer, to: connection) }
      }
    }
  }

  /// Byte by byte, so that no reader gets away with taking a piece for a message.
  private static func send(_ reply: String, to connection: Int32) {
    for byte in Array(reply.utf8) + [0] {
      _ = withUnsafeBytes(of: byte) { Glibc.send(connection, $0.baseAddress, 1, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// Whether something comes within ten seconds.
  private static func waits(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 10_000) == 1
  }
}
