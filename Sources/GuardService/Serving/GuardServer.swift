internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import NIOPosix

/// The listening sockets: those that a service manager handed over, and our own in place of those it did not.
enum GuardServer {
  /// Listens for apps and administrators on the core's event loop.
  static func listen(
    _ place: SocketPlace, adopting adopted: AdoptedSockets, _ core: NIOLoopBound<GuardCore>
  ) async throws -> [Listener] {
    var listeners: [Listener] = []
    for (servedSocket, socket) in entrances(of: adopted) {
      let channel = try await listen(at: socket.descriptor, servedSocket, core).get()
      listeners.append(Listener(servedSocket, adopted: socket, channel: channel))
    }
    for (servedSocket, file) in try place.files() {
      let made = try file.listen()
      let channel = try await listen(at: made.descriptor, servedSocket, core).get()
      listeners.append(Listener(servedSocket, file, made, channel: channel))
    }
    return listeners
  }

  private static func entrances(of adopted: AdoptedSockets) -> [(ServedSocket, AdoptedSocket)] {
    adopted.guardSockets.map { (.guardSocket, $0) } + adopted.adminSockets.map { (.adminSocket, $0) }
      + adopted.appSockets.map { (.app($0.name), $0) }
  }

  /// Takes connections of a socket that listens already.
  static func listen(
    at descriptor: Int32, _ servedSocket: ServedSocket, _ core: NIOLoopBound<GuardCore>
  ) -> EventLoopFuture<any Channel> {
    bootstrap(core, servedSocket).withBoundSocket(descriptor)
  }

  private static func bootstrap(_ core: NIOLoopBound<GuardCore>, _ servedSocket: ServedSocket) -> ServerBootstrap {
    ServerBootstrap(group: core.eventLoop)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptPause()) }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ConnectionHandler(core: core.value, servedSocket: servedSocket))
        }
      }
  }
}

/// Takes no connections for a moment when one could not be taken, as when no more files may be opened.
///
/// The connection that waits keeps the socket readable: to try again at once would take the processor from those who are
/// connected. NIO's `AcceptBackoffHandler` only holds `read` back, while the channel stays registered for reading after an
/// error (2.101), so that it goes on trying; here the registration goes.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private var isPausing = false

  static let length = TimeAmount.milliseconds(250)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is IOError, !isPausing, let options = context.channel.syncOptions else { return }
    isPausing = true
    try? options.setOption(.autoRead, value: false)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.length) {
      let (pause, context) = bound.value
      pause.isPausing = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
