internal import NIOCore
internal import PolicyEngine

/// Stands in for what the kernel says of the other end: channels in memory have none, so the fuzzer invents it.
enum PeerReading {
  /// Whom the next connection is from; one thread sets and reads it.
  nonisolated(unsafe) static var next: Peer?

  static func peer(of channel: any Channel, through socket: String?) -> Peer? { next }
}
