internal import GuardProtocol

/// The socket that a connection came through: its interfaces, and its app.
package struct ServedSocket: Sendable, Hashable {
  let served: InterfaceSet
  /// The name of an app's own socket; nil for the guard and the admin socket.
  let socket: String?

  private init(_ served: InterfaceSet, socket: String?) {
    self.served = served
    self.socket = socket
  }

  /// For all apps; who is which, says the policy.
  static let guardSocket = ServedSocket(.guardSocket, socket: nil)
  static let adminSocket = ServedSocket(.adminSocket, socket: nil)

  /// A peer that comes through it is the app whose `peers` name it.
  static func app(_ name: String) -> ServedSocket { ServedSocket(.guardSocket, socket: name) }
}
