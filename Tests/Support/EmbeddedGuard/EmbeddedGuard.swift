package import GuardService
package import Logging
internal import NIOCore
internal import NIOEmbedded
internal import PolicyEngine
package import PolicyFiles

/// The daemon's core on a loop in memory: nothing happens but what the caller brings about, and nothing waits.
///
/// All users are known, and everybody who connects is in the group of the same number.
package final class EmbeddedGuard {
  private var loop = EmbeddedEventLoop()
  private var core: DrivenGuard
  private let logger: Logger
  private let persons: PersonLookUp
  private var loaded: LoadResult?
  private var lines: [EmbeddedLine] = []
  /// What a state file would have.
  private var kept = StateRecords()
  /// How often the daemon was started again.
  package private(set) var starts = 0

  /// The users of a machine that knows every number.
  package static let everybody = PersonLookUp(isUser: { _ in true }, owners: { _ in [] })

  /// A core under the loaded configuration, without a state file. Throws when the configuration has errors.
  ///
  /// - Parameter logDirectory: where the decision log lies; nil for none.
  package init(
    _ loaded: LoadResult, logger: Logger, persons: PersonLookUp = everybody, logDirectory: String? = nil
  ) throws {
    (self.loaded, self.logger, self.persons) = (loaded, logger, persons)
    core = try DrivenGuard(
      on: loop, loaded.settings ?? DaemonSettings(), persons, logger: logger, logDirectory: logDirectory)
    try core.adopt(loaded)
  }

  /// A core without a policy.
  package init(_ settings: DaemonSettings, logger: Logger, logDirectory: String? = nil) throws {
    (self.logger, persons) = (logger, Self.everybody)
    core = try DrivenGuard(on: loop, settings, persons, logger: logger, logDirectory: logDirectory)
  }

  /// A reload.
  package func adopt(_ loaded: LoadResult) throws {
    try core.adopt(loaded)
    self.loaded = loaded
  }

  /// Loads again what is loaded.
  package func reload() throws { if let loaded { try core.adopt(loaded) } }

  /// The daemon is killed: all connections end, and the next one has what a state file would have. It keeps no log.
  package func restart() throws {
    core.keep(in: &kept)
    for line in lines { line.close() }
    let (time, uptime) = (core.time, core.uptime)
    end()
    lines = []
    loop = EmbeddedEventLoop()
    core = try DrivenGuard(on: loop, loaded?.settings ?? DaemonSettings(), persons, logger: logger, after: time)
    core.uptime = uptime
    try reload()
    core.takeUp(kept)
    starts += 1
  }

  package func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  /// Time passes, for what is due later and for the daemon's clock. What is due every second is so for a while only: a
  /// machine that sleeps.
  package func advance(milliseconds: Int64) {
    core.time += UInt64(max(0, milliseconds))
    loop.advanceTime(by: .milliseconds(min(milliseconds, Self.longestWatch)))
  }

  /// A machine whose clock is right runs for so many hours, and wipes count them; the time of everything else stays.
  ///
  /// Before the first call wipes have the clocks of this machine.
  package func run(hours: UInt64) {
    core.uptime = (core.uptime ?? Self.bootedBefore) + hours * 3_600_000
    loop.advanceTime(by: .seconds(1))
  }

  /// Two days: long enough for wipes.
  private static let bootedBefore: UInt64 = 48 * 3_600_000

  private static let longestWatch: Int64 = 15_000

  /// Does what was put off to the loop's next turns.
  package func run() { loop.advanceTime(by: .microseconds(10)) }

  /// Writes the log, and does what waits for it, until nothing is left to do.
  package func settle() {
    run()
    while core.settle() { run() }
    run()
  }

  /// The daemon is no more: what was put off holds it, and would for ever.
  package func end() { _ = try? EmbeddedChannel(loop: loop).finish(acceptAlreadyClosed: true) }

  /// The daemon's last step; returns how many bytes of the log could not be written.
  package func stop() -> Int { core.end() }

  /// Milliseconds since 1970, as the daemon takes it.
  package var time: UInt64 { core.time }
  package var connections: Int { core.connections }
  package var instances: Int { core.instances }
  /// How often the facts about the machine were read since the last start.
  package var factReadings: Int { core.factReadings }

  /// Somebody connects; nil when the daemon closes at once.
  ///
  /// - Parameter socket: an app's own socket; nil for that of all.
  package func connect(uid: UInt32, asAdministrator: Bool, socket: String? = nil) throws -> EmbeddedLine? {
    var peer = Peer(uid: uid, pid: 7, groups: [uid])
    peer.socket = socket
    let channel = EmbeddedChannel(loop: loop)
    let tap = ReadTap()
    try channel.pipeline.syncOperations.addHandlers([
      tap, core.handler(for: peer, isAdministrator: asAdministrator),
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
