/// One connection as the client's thread carries it: messages out, messages in.
final class Connection {
  let socket: GuardSocket
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  /// How much of `received` holds no end of a message, so that a dribbling daemon costs no more than a quick one.
  private var searched = 0

  /// Longer messages than any of the daemon's end the connection.
  static let maximumMessage = 4 << 20

  init(_ socket: GuardSocket) { self.socket = socket }

  /// Whether room to send is waited for.
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

  /// What has arrived in whole. One turn reads a piece, so that a flood cannot hold up a deadline.
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
