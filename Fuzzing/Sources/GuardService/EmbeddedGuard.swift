package import Logging
internal import NIOCore
internal import NIOEmbedded
internal import PolicyEngine
package import PolicyFiles

/// The daemon's core on a loop in memory: nothing happens but what the caller brings about, and nothing waits.
package final class EmbeddedGuard {
  private let loop = EmbeddedEventLoop()
  private let core: GuardCore

  /// A core under the loaded configuration, without log and state file.
  package init(_ loaded: LoadResult, logger: Logger) throws {
    let settings = loaded.settings ?? DaemonSettings()
    core = GuardCore(
      loop: loop, logger: logger, version: "0", settings: settings,
      snapshot: Snapshot(policyRequired: settings.policyRequired), recorder: nil,
      loads: PolicyLoads(roots: [], contractFile: "/dev/null/contract.json"))
    _ = try core.adopt(loaded)
    core.startTicking(NIOLoopBound(core, eventLoop: loop))
  }

  /// A reload.
  package func adopt(_ loaded: LoadResult) throws { _ = try core.adopt(loaded) }

  package func advance(seconds: Int64) { loop.advanceTime(by: .seconds(seconds)) }

  /// Does what was put off to the loop's next turns.
  package func run() { loop.advanceTime(by: .microseconds(10)) }

  /// The daemon is no more: what was put off holds it, and would for ever.
  package func end() { _ = try? EmbeddedChannel(loop: loop).finish(acceptAlreadyClosed: true) }

  package var connections: Int { core.connections.count }
  package var instances: Int { core.sessions.count }

  /// Somebody connects; nil when the daemon closes at once.
  package func connect(uid: UInt32, asAdministrator: Bool) throws -> EmbeddedLine? {
    PeerReading.next = Peer(uid: uid, pid: 7, groups: [uid])
    let channel = EmbeddedChannel(loop: loop)
    let tap = ReadTap()
    try channel.pipeline.syncOperations.addHandlers([
      tap, ConnectionHandler(core: core, entrance: asAdministrator ? .adminSocket : .guardSocket),
    ])
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "/fuzz"), promise: nil)
    loop.run()
    return channel.isActive ? EmbeddedLine(channel, tap, uid: uid) : nil
  }
}

/// One connection, from the side of the client.
package final class EmbeddedLine {
  private let channel: EmbeddedChannel
  private let tap: ReadTap
  package let uid: UInt32
  private var unread: [[UInt8]] = []

  fileprivate init(_ channel: EmbeddedChannel, _ tap: ReadTap, uid: UInt32) {
    (self.channel, self.tap, self.uid) = (channel, tap, uid)
  }

  package var isOpen: Bool { channel.isActive }

  /// Bytes that the daemon does not want yet.
  package var unreadBytes: Int { unread.reduce(0) { $0 + $1.count } }

  package func send(_ bytes: [UInt8]) {
    unread.append(bytes)
    deliver()
  }

  /// Hands over what was sent, as long as the daemon reads; true when some was.
  @discardableResult package func deliver() -> Bool {
    var hasDelivered = false
    while channel.isActive, !unread.isEmpty {
      // As a real channel does after each turn of reading.
      if !tap.wantsRead { channel.read() }
      guard tap.wantsRead else { break }
      tap.wantsRead = false
      _ = try? channel.writeInbound(ByteBuffer(bytes: unread.removeFirst()))
      hasDelivered = true
    }
    channel.embeddedEventLoop.run()
    return hasDelivered
  }

  /// The client reads its answers again, or no longer.
  package func setReads(_ reads: Bool) {
    guard channel.isWritable != reads else { return }
    channel.isWritable = reads
    channel.pipeline.fireChannelWritabilityChanged()
    channel.embeddedEventLoop.run()
  }

  /// What the daemon has sent since the last time.
  package func received() -> [UInt8] {
    var bytes: [UInt8] = []
    while let buffer = try? channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
    return bytes
  }

  /// The client sends no more.
  package func endInput() {
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    channel.embeddedEventLoop.run()
  }

  package func close() {
    channel.close(promise: nil)
    channel.embeddedEventLoop.run()
  }
}

/// Notes that the daemon wants to read: a channel in memory would hand bytes over anyway.
private final class ReadTap: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  var wantsRead = false

  func read(context: ChannelHandlerContext) {
    wantsRead = true
    context.read()
  }
}
