internal import GuardProtocol
internal import NIOCore
internal import NIOPosix

/// The two listening sockets.
struct GuardServer {
  private let channels: [any Channel]

  /// Binds both sockets on the core's event loop.
  static func bind(_ place: SocketPlace, _ core: NIOLoopBound<GuardCore>, on loop: any EventLoop) async throws -> Self {
    let guardChannel = try await bootstrap(core, .guardSocket, on: loop).bind(unixDomainSocketPath: place.guardSocket)
      .get()
    let adminChannel = try await bootstrap(core, .adminSocket, on: loop).bind(unixDomainSocketPath: place.adminSocket)
      .get()
    return GuardServer(channels: [guardChannel, adminChannel])
  }

  private static func bootstrap(
    _ core: NIOLoopBound<GuardCore>, _ served: InterfaceSet, on loop: any EventLoop
  ) -> ServerBootstrap {
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 4)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionHandler(core: core.value, served: served))
        }
      }
  }

  /// Takes no more connections.
  func close() async {
    for channel in channels { try? await channel.close() }
  }
}
