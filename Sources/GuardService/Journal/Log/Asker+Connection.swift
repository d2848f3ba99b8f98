internal import DecisionLog
internal import PolicyEngine

extension Asker {
  /// The user at the other end: the name was looked up when the connection was made, beside the loop.
  init(_ connection: Connection) {
    self.init(
      peer: LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid), user: connection.userName)
  }
}
