internal import GuardProtocol
internal import NIOCore
internal import NIOPosix

/// The listening sockets: those that a service manager handed over, and our own in place of those it did not.
struct GuardServer {
  private let channels: [any Channel]

  /// Listens for apps and administrators on the core's event loop.
  static func bind(
    _ place: SocketPlace, adopting adopted: AdoptedSockets, _ core: NIOLoopBound<GuardCore>, on loop: any EventLoop
  ) async throws -> Self {
    let apps = try await listen(adopted.guardSockets, or: place.guardSocket, bootstrap(core, .guardSocket, on: loop))
    let administrators = try await listen(
      adopted.adminSockets, or: place.adminSocket, bootstrap(core, .adminSocket, on: loop))
    return GuardServer(channels: apps + administrators)
  }

  /// Serves the sockets that were handed over; binds `path` when there are none.
  private static func listen(
    _ adopted: [AdoptedSocket], or path: String, _ bootstrap: ServerBootstrap
  ) async throws -> [any Channel] {
    guard !adopted.isEmpty else { return [try await bootstrap.bind(unixDomainSocketPath: path).get()] }
    var channels: [any Channel] = []
    for socket in adopted { channels.append(try await bootstrap.withBoundSocket(socket.descriptor).get()) }
    return channels
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
