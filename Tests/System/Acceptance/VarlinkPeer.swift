import Foundation
import JSONText
import Platform

/// A client that speaks varlink byte by byte and believes nothing: what the acceptance tests ask with.
final class VarlinkPeer {
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    // A throwing initialiser whose members are all set runs `deinit`, which closes.
    guard UnixAddress(path: path)?.connect(descriptor) == true else {
      throw DaemonFailure(text: "cannot connect to \(path): errno \(errno)")
    }
    var limit = timeval(tv_sec: 240, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends bytes as they are.
  func send(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Says that nothing more comes.
  func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next reply, whole; nil when the daemon closed the connection.
  func receive() throws -> JSONTree? {
    while true {
      if let end = received.firstIndex(of: 0) {
        let text = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return try JSONTree(parsing: text)
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return nil }
      guard count > 0 else { throw DaemonFailure(text: "no reply: errno \(errno)") }
      received += chunk[..<count]
    }
  }

  /// Sends bytes and reads so many replies, whatever they say; nil when the daemon closed the connection before.
  func count(_ replies: Int, to bytes: [UInt8]) throws -> Int? {
    send(bytes)
    var counted = 0
    var chunk = [UInt8](repeating: 0, count: 262_144)
    while counted < replies {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return nil }
      guard count > 0 else { throw DaemonFailure(text: "no reply: errno \(errno)") }
      for byte in chunk[..<count] where byte == 0 { counted += 1 }
    }
    return counted
  }

  /// Sends one call; does not wait.
  func send(_ method: String, _ parameters: JSONTree = [:], flags: [String] = []) {
    var members = [JSONTree.Member("method", .string(method)), JSONTree.Member("parameters", parameters)]
    members += flags.map { JSONTree.Member($0, true) }
    send(Array(JSONTree.object(members).text().utf8) + [0])
  }

  /// Calls and returns the whole reply, error or not.
  func reply(_ method: String, _ parameters: JSONTree = [:]) throws -> JSONTree {
    send(method, parameters)
    guard let reply = try receive() else { throw DaemonFailure(text: "\(method): the connection was closed") }
    return reply
  }

  /// Calls and returns the reply's parameters; a varlink error throws.
  @discardableResult
  func call(_ method: String, _ parameters: JSONTree = [:]) throws -> JSONTree {
    let reply = try reply(method, parameters)
    if let error = reply["error"]?.string { throw VarlinkError(name: error, parameters: reply["parameters"] ?? [:]) }
    return reply["parameters"] ?? [:]
  }

  /// As `call`, for a method of `org.webviewguard.Guard`.
  @discardableResult
  func ask(_ method: String, _ parameters: JSONTree = [:]) throws -> JSONTree {
    try call("org.webviewguard.Guard." + method, parameters)
  }

  /// Asks an event and returns the decision.
  func decide(_ method: String, _ event: JSONTree) throws -> JSONTree {
    guard let decision = try ask(method, ["event": event])["decision"] else {
      throw DaemonFailure(text: "\(method): no decision in the reply")
    }
    return decision
  }
}

/// An error that the daemon answered.
struct VarlinkError: Error, Equatable, CustomStringConvertible {
  var name: String
  var parameters: JSONTree

  var description: String { "\(name) \(parameters.text())" }
}
