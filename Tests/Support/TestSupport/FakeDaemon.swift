import Foundation
import Platform
import Synchronization

/// Stands where the daemon would, and does what a test says: one thread for each connection.
package final class FakeDaemon: Sendable {
  /// A call as it arrived.
  package struct Heard: Sendable, Hashable {
    /// The first connection is 1.
    package var connection: Int
    /// The first call of its connection is 1.
    package var number: Int
    /// JSON text, without its NUL.
    package var frame: [UInt8]
  }

  package enum Answer: Sendable {
    /// JSON text, which gets its NUL here.
    case text(String)
    /// Bytes as they are.
    case bytes([UInt8])
    /// The text byte by byte, with a pause before each, in milliseconds.
    case dribble(String, every: UInt32)
    /// The text once the flag is set.
    case late(String, after: Flag)
    /// Bytes as they are, and then the connection is closed.
    case parting([UInt8])
    /// Closes the connection in the middle of the text.
    case half(String)
    case close
    case silence
  }

  private let path: String
  private let state = Mutex((heard: [Heard](), connections: [Int32](), count: 0, listener: Int32(-1)))
  private let answer: @Sendable (Heard) -> Answer

  package init(at path: String, answer: @escaping @Sendable (Heard) -> Answer) throws {
    (self.path, self.answer) = (path, answer)
    unlink(path)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard UnixAddress(path: path)?.bind(listener) == true, listen(listener, 16) == 0 else {
      throw TestFailure("cannot listen at `\(path)`: \(errno)")
    }
    state.withLock { $0.listener = listener }
    Thread.detachNewThread { [self] in accept(on: listener) }
  }

  /// Hangs up on everybody and listens no more.
  package func stop() {
    state.withLock { state in
      for descriptor in state.connections + [state.listener] where descriptor >= 0 {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
    unlink(path)
  }

  /// Hangs up, and goes on listening.
  package func hangUp() {
    // Under the lock, as is closing: a number that was closed may be another test's by now.
    state.withLock { for descriptor in $0.connections { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  package var heard: [Heard] { state.withLock { $0.heard } }
  package var connectionCount: Int { state.withLock { $0.count } }

  package var openConnections: Int { state.withLock { $0.connections.count } }

  /// Returns when somebody connected and all connections are over.
  package func waitUntilLeft() throws {
    let end = Date(timeIntervalSinceNow: hangSeconds)
    while state.withLock({ $0.count == 0 || !$0.connections.isEmpty }) {
      guard Date() < end else { throw TestFailure("nobody connected, or somebody stays") }
      usleep(1_000)
    }
  }

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
    var calls = 0
    var chunk = [UInt8](repeating: 0, count: 65_536)
    reading: while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      received += chunk[..<count]
      while let end = received.firstIndex(of: 0) {
        calls += 1
        let call = Heard(connection: number, number: calls, frame: Array(received[..<end]))
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

  private func perform(_ answer: Answer, _ descriptor: Int32) -> Bool {
    switch answer {
    case .text(let text): return send(Array(text.utf8) + [0], descriptor)
    case .bytes(let bytes): return send(bytes, descriptor)
    case .parting(let bytes):
      _ = send(bytes, descriptor)
      return false
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
