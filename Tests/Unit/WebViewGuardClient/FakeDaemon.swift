import Foundation
import Synchronization
import WebViewGuardClient

/// Stands where the daemon would, and does what a test says: one thread for each connection.
final class FakeDaemon: Sendable {
  /// A call as it arrived.
  struct Heard: Sendable, Hashable {
    /// The first connection is 1.
    var connection: Int
    /// Without the interface.
    var method: String
    var parameters: GuardValue
    var more: Bool
  }

  enum Answer: Sendable {
    /// JSON text, which gets its NUL here.
    case text(String)
    /// Bytes as they are.
    case bytes([UInt8])
    /// The text byte by byte, with a pause before each, in milliseconds.
    case dribble(String, every: UInt32)
    /// The text once the flag is set.
    case late(String, after: Flag)
    /// Closes the connection in the middle of the text.
    case half(String)
    case close
    case silence
  }

  let path: String
  private let state = Mutex((heard: [Heard](), connections: [Int32](), count: 0, listener: Int32(-1)))
  private let answer: @Sendable (Heard) -> Answer

  init(at path: String, answer: @escaping @Sendable (Heard) -> Answer) throws {
    (self.path, self.answer) = (path, answer)
    unlink(path)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 16) == 0 else { throw TestFailure("cannot listen at `\(path)`: \(errno)") }
    state.withLock { $0.listener = listener }
    Thread.detachNewThread { [self] in accept(on: listener) }
  }

  /// Hangs up on everybody and listens no more.
  func stop() {
    state.withLock { state in
      for descriptor in state.connections + [state.listener] where descriptor >= 0 {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
    unlink(path)
  }

  /// Hangs up, and goes on listening.
  func hangUp() {
    // Under the lock, as is closing: a number that was closed may be another test's by now.
    state.withLock { for descriptor in $0.connections { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  var heard: [Heard] { state.withLock { $0.heard } }
  var connectionCount: Int { state.withLock { $0.count } }

  var openConnections: Int { state.withLock { $0.connections.count } }

  func heard(_ method: String) -> [Heard] { heard.filter { $0.method == method } }

  /// The methods that a connection heard, in order.
  func methods(on connection: Int) -> [String] { heard.filter { $0.connection == connection }.map(\.method) }

  private func accept(on listener: Int32) {
    while true {
      let descriptor = Foundation.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let number = state.withLock { state in
        state.connections.append(descriptor)
        state.count += 1
        return state.count
      }
      Thread.detachNewThread { [self] in serve(descriptor, number) }
    }
    state.withLock { state in
      state.listener = -1
      close(listener)
    }
  }

  private func serve(_ descriptor: Int32, _ number: Int) {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    reading: while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      received += chunk[..<count]
      while let end = received.firstIndex(of: 0) {
        let call = Self.read(received[..<end], number)
        received.removeSubrange(...end)
        state.withLock { $0.heard.append(call) }
        if !perform(answer(call), descriptor) { break reading }
      }
    }
    state.withLock { state in
      state.connections.removeAll { $0 == descriptor }
      close(descriptor)
    }
  }

  private static func read(_ frame: ArraySlice<UInt8>, _ number: Int) -> Heard {
    let value = ValueReader.read(frame) ?? .null
    let method = value["method"]?.string?.split(separator: ".").last.map(String.init) ?? ""
    return Heard(
      connection: number, method: method, parameters: value["parameters"] ?? .null, more: value["more"]?.bool ?? false)
  }

  private func perform(_ answer: Answer, _ descriptor: Int32) -> Bool {
    switch answer {
    case .text(let text): return send(Array(text.utf8) + [0], descriptor)
    case .bytes(let bytes): return send(bytes, descriptor)
    case .dribble(let text, let pause):
      for byte in Array(text.utf8) + [0] {
        usleep(pause * 1_000)
        if !send([byte], descriptor) { return false }
      }
      return true
    case .late(let text, let flag):
      while !flag.isSet { usleep(1_000) }
      return send(Array(text.utf8) + [0], descriptor)
    case .half(let text):
      _ = send(Array(text.utf8.prefix(text.utf8.count / 2)), descriptor)
      return false
    case .close: return false
    case .silence: return true
    }
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }
}

struct TestFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
