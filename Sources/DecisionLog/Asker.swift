/// The administrator behind an action: the peer by the kernel's word, and the system's name for the user.
package struct Asker: Sendable, Hashable {
  package var peer: LoggedPeer
  /// Nil when the system has no name for the uid.
  package var user: String?

  package init(peer: LoggedPeer, user: String?) {
    self.peer = peer
    self.user = user
  }

  /// `alice (uid 1000)`, for people.
  package var words: String { user.map { "\($0) (uid \(peer.uid))" } ?? "uid \(peer.uid)" }
}

extension LogEncoder {
  /// Writes `uid`, `pid` and `user` of the first asker, and all others in words behind them.
  func writeAskers(_ askers: [Asker], _ record: inout RecordWriter) {
    guard let first = askers.first else { return }
    writePeer(first.peer, &record)
    record.text("user", first.user)
    let others = askers.dropFirst().prefix(Self.maximumAskers).map(\.words)
    if !others.isEmpty { record.texts("alsoAsked", others) }
  }

  /// As many as may be connected at once on the admin socket.
  private static let maximumAskers = 64
}
