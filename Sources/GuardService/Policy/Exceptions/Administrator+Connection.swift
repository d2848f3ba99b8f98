internal import PolicyEngine

extension Administrator {
  /// The administrator at the other end, by the kernel's word and the system's list of users.
  init(_ connection: Connection) { self.init(uid: connection.peer.uid, user: connection.userName) }
}
