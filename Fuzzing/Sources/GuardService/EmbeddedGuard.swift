package import Logging
internal import NIOCore
internal import NIOEmbedded
internal import PolicyEngine
package import PolicyFiles

/// The daemon's core on a loop in memory: nothing happens but what the caller brings about, and nothing waits.
package final class EmbeddedGuard {
  private var loop = EmbeddedEventLoop()
  private var core: GuardCore
  private let logger: Logger
  private var loaded: LoadResult
  private var lines: [EmbeddedLine] = []
  /// What a state file would have.
  private var kept = StateRecords()
  /// How often the daemon was started again.
  package private(set) var starts = 0

  /// A core under the loaded configuration, without log and state file.
  package init(_ loaded: LoadResult, logger: Logger) throws {
    (self.loaded, self.logger) = (loaded, logger)
    core = Self.core(loaded, loop, logger)
    _ = try core.adopt(loaded)
    begin()
  }

  private static func core(_ loaded: LoadResult, _ loop: EmbeddedEventLoop, _ logger: Logger) -> GuardCore {
    let settings = loaded.settings ?? DaemonSettings()
    return GuardCore(
      loop: loop, logger: logger, version: "0", settings: settings,
      snapshot: Snapshot(policyRequired: settings.policyRequired), recorder: nil,
      loads: PolicyLoads(roots: [], contractFile: "/dev/null/contract.json"))
  }

  private func begin() {
    core.state.keepsPages = true
    core.startTicking(NIOLoopBound(core, eventLoop: loop))
  }

  /// A reload.
  package func adopt(_ loaded: LoadResult) throws {
    self.loaded = loaded
    try reload()
  }

  /// Loads again what is loaded.
  package func reload() throws { _ = try core.adopt(loaded) }

  /// The daemon is killed: all connections end, and the next one has what a state file would have.
  package func restart() throws {
    keep()
    for line in lines { line.close() }
    let time = core.clock.now()
    end()
    lines = []
    loop = EmbeddedEventLoop()
    core = Self.core(loaded, loop, logger)
    core.clock.advance(to: time)
    _ = try core.adopt(loaded)
    begin()
    core.takeUp(kept, NIOLoopBound(core, eventLoop: loop))
    starts += 1
  }

  private func keep() {
    var changes = KeptState()
    core.state.takeChanges(into: &changes)
    kept.clips.merge(changes)
    kept.instances = [:]
    for (token, instance) in core.returning { kept.instances.updateValue(instance, forKey: token) }
    for (token, session) in core.sessions { kept.instances.updateValue(core.kept(session), forKey: token) }
  }

  package func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  /// Time passes, for what is due later and for the daemon's clock. What is due every second is so for a while only: a
  /// machine that sleeps.
  package func advance(milliseconds: Int64) {
    core.clock.advance(to: core.clock.now() + UInt64(max(0, milliseconds)))
    loop.advanceTime(by: .milliseconds(min(milliseconds, Self.longestWatch)))
  }

  private static let longestWatch: Int64 = 15_000

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
      tap, ConnectionHandler(core: core, servedSocket: asAdministrator ? .adminSocket : .guardSocket),
    ])
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "/fuzz"), promise: nil)
    loop.run()
    guard channel.isActive else { return nil }
    let line = EmbeddedLine(channel, tap, uid: uid)
    lines.removeAll { !$0.isOpen }
    lines.append(line)
    return line
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
