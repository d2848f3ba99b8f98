/// One connection, as handled by the client's thread: messages out, messages in.
final class Connection {
  let socket: GuardSocket
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  /// The length of the part of `received` without an end of message, so a dribbling daemon costs no more than a quick
  /// one.
  private var searched = 0

  /// The maximum length of a message. A longer one is not the daemon's and ends the connection.
  static let maximumMessage = 4 << 20

  init(_ socket: GuardSocket) { self.socket = socket }

  /// The connection waits for room to send.
  var hasUnsent: Bool { !unsent.isEmpty }

  func send(_ bytes: [UInt8]) throws(GuardProblem) {
    unsent += bytes
    var sent = 0
    while sent < unsent.count {
      let count = try socket.send(unsent[sent...])
      if count == 0 { break }
      sent += count
    }
    unsent.removeFirst(sent)
  }

  /// The complete messages that arrived. One turn reads one piece, so a flood cannot hold up a deadline.
  func receive() throws(GuardProblem) -> [Message] {
    guard try socket.receive(into: &received) > 0 else { return [] }
    var messages: [Message] = []
    var start = 0
    while let end = received[max(start, searched)...].firstIndex(of: 0) {
      guard let message = Message(reading: received[start..<end]) else { throw .unreadable }
      messages.append(message)
      start = end + 1
    }
    received.removeFirst(start)
    searched = received.count
    guard received.count <= Self.maximumMessage else { throw .unreadable }
    return messages
  }
}
