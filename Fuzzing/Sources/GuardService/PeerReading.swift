internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// Stands in for what the kernel says of the other end: channels in memory have none, so the fuzzer invents it.
enum PeerReading {
  /// Whom the next connection is from; one thread sets and reads it.
  nonisolated(unsafe) static var next: Peer?

  static func caller(of channel: any Channel, through servedSocket: ServedSocket) -> AcceptedPeer? {
    next.map { AcceptedPeer(peer: $0, process: nil, served: servedSocket.served) }
  }
}

struct AcceptedPeer: Sendable {
  let peer: Peer
  let process: PeerProcess?
  let served: InterfaceSet
}

/// Stands in for the threads that look names up: everybody is known, at once.
final class LookUps: Sendable {
  struct Arrival: Sendable {
    var peer: Peer
    var person: Person
    var userName: String?
  }

  func arrival(of caller: AcceptedPeer, on loop: any EventLoop) -> EventLoopFuture<Arrival> {
    var arrival = Arrival(peer: caller.peer, person: .known(caller.peer.uid))
    arrival.peer.person = caller.peer.uid
    return loop.makeSucceededFuture(arrival)
  }

  func names(ofGroups groups: [UInt32], on loop: any EventLoop) -> EventLoopFuture<[String]> {
    loop.makeSucceededFuture(groups.map { String($0) })
  }

  func end() {}
}
