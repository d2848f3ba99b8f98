internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Connections that never come to belong to an app.
extension GuardCore {
  /// Ends connections on the guard socket that stay without an instance for too long: each holds one of its user's
  /// places, and one of all users' together. Called every second.
  ///
  /// As long as no policy ever loaded no client can attach, and only a connection that says nothing is idle.
  func endUnattached() {
    for connection in connections.values where connection.session == nil && connection.served == .guardSocket {
      let isIdle = snapshot.hasPolicy || !connection.hasAsked
      connection.hasAsked = false
      connection.unattachedSeconds = isIdle ? connection.unattachedSeconds + 1 : 0
      let isOver = connection.unattachedSeconds > policy.settings.limits.attachSeconds
      guard isOver, connection.held.count == 0 else { continue }
      tell(.noApp, of: connection.peer.person, connection.metadata(), at: .notice)
      connection.channel.close(promise: nil)
    }
  }
}
