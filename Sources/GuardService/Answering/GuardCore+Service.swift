internal import GuardProtocol
internal import NIOCore

/// `org.varlink.service`, on both sockets.
extension GuardCore {
  func answer(_ call: ServiceCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .getInfo:
      reply(
        GetInfoReply(
          vendor: "webviewguard", product: "webviewguard", version: vitals.version,
          url: "https://webviewguard.example/", interfaces: connection.served),
        to: connection, request)
    case .getInterfaceDescription(let call):
      reply(try GetInterfaceDescriptionReply(call, in: connection.served), to: connection, request)
    }
  }
}
