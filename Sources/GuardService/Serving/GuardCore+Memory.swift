internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine

/// Memory in all: registrations of apps, and data on its way.
extension GuardCore {
  /// Refuses to take up so many bytes more for a user whose programs hold their part already. Existing registrations
  /// hold, and anything not registered is judged as strictly as anything unknown.
  func checkMemory(_ growth: Int, of user: UserMemory) throws(Refusal) {
    guard !memory.hasRoom(for: growth, of: user) else { return }
    tell(
      .noMemory, of: user.uid,
      ["uid": "\(user.uid)", "bytes": "\(user.registered)", "inAll": "\(memory.registered)"])
    throw .limitReached(.memoryBytes, maximum: memory.share)
  }

  /// Counts the memory of an instance anew.
  func settle(_ session: Session) {
    state.hasNewNames = false
    let bytes = state.byteCount(of: session.instance)
    memory.register(bytes - session.registeredBytes, of: session.memory)
    session.registeredBytes = bytes
  }

  /// Counts the memory of a connection anew: bytes that wait to be read, and answers that wait to leave.
  func account(_ connection: Connection) {
    let bytes = connection.receivedBytes + connection.held.byteCount + connection.leavingBytes
    guard bytes != connection.movingBytes else { return }
    memory.move(bytes - connection.movingBytes, of: connection.memory)
    connection.movingBytes = bytes
  }

  /// Nothing of a connection is left.
  func discharge(_ connection: Connection) {
    memory.move(-connection.movingBytes, of: connection.memory)
    connection.movingBytes = 0
  }

  /// Whether a connection's answers must leave before more of its questions are answered. One without any goes on: each
  /// gets its next answer, however much its user holds.
  func mustWait(_ connection: Connection) -> Bool {
    guard connection.held.count > 0 else { return false }
    return connection.held.byteCount > Connection.maximumHeld || memory.mustWait(connection.memory)
  }

  /// Writes answers; many of them count until the peer takes them.
  func send(_ buffer: ByteBuffer, to connection: Connection) {
    guard let outlet = connection.outlet else { return }
    let count = buffer.readableBytes
    guard count > Connection.smallWrite else {
      outlet.writeAndFlush(NIOAny(buffer), promise: nil)
      return
    }
    connection.leavingBytes += count
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    outlet.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenComplete { _ in
      let (core, connection) = bound.value
      connection.leavingBytes -= count
      if core.connections[ObjectIdentifier(connection)] != nil { core.account(connection) }
    }
  }
}

extension Connection {
  /// Bytes of answers that may wait to leave.
  static let maximumHeld = 1 << 20
  /// A write that the system takes at once, as a rule, and that is not counted.
  static let smallWrite = 1 << 16
}
