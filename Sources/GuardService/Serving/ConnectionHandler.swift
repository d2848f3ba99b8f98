internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Bytes of one connection: cut into frames, answered in order, and read no faster than answers leave.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Connection lifecycle stage.
  private enum Stage {
    case open
    /// The peer sends nothing more; its calls are still answered.
    case inputEnded
    /// Nothing more is answered; answers that wait for the log still leave.
    case leaving
    /// Every reply has left; further bytes from the peer are thrown away.
    case lingering
  }

  private let core: GuardCore
  private let servedSocket: ServedSocket
  private let pipelinedRequests: Int
  @exclusivity(unchecked) private var connection: Connection?
  @exclusivity(unchecked) private var context: ChannelHandlerContext?
  @exclusivity(unchecked) private var stage = Stage.open {
    didSet { noteWhetherHeldUp() }
  }
  @exclusivity(unchecked) private var received = ByteBuffer()
  @exclusivity(unchecked) private var splitter: FrameSplitter
  @exclusivity(unchecked) private var partialMessage: Scheduled<Void>?
  @exclusivity(unchecked) private var wantsRead = false
  /// The peer takes its answers.
  @exclusivity(unchecked) private var isWritable = true
  /// It waits in line for its frames to be answered.
  @exclusivity(unchecked) var isInLine = false
  /// The received bytes may hold further whole frames.
  @exclusivity(unchecked) private var hasUnseenBytes = false
  private var thrownAway = 0

  init(core: GuardCore, servedSocket: ServedSocket) {
    self.core = core
    self.servedSocket = servedSocket
    pipelinedRequests = core.settings.limits.pipelinedRequests
    splitter = FrameSplitter(maximumLength: core.settings.limits.messageBytes)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    guard let caller = PeerReading.caller(of: context.channel, through: servedSocket),
      core.admit(caller, then: { [weak self] arrival in self?.enter(arrival) })
    else {
      context.close(promise: nil)
      return
    }
    context.fireChannelActive()
  }

  /// The connection's user is known; until then nothing of it is read. Nil for a peer that is not let in.
  private func enter(_ arrival: LookUps.Arrival?) {
    guard let context else { return }
    guard let arrival, let connection = core.open(context.channel, arrival, served: servedSocket.served) else {
      context.close(promise: nil)
      return
    }
    self.connection = connection
    connection.outlet = context
    connection.resume = { [weak self] in self?.resume() }
    resume()
  }

  func channelInactive(context: ChannelHandlerContext) {
    partialMessage?.cancel()
    if let connection { core.close(connection) }
    connection?.outlet = nil
    connection?.resume = {}
    connection = nil
    self.context = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var chunk = unwrapInboundIn(data)
    guard stage == .open else {
      throwAway(chunk.readableBytes)
      return
    }
    received.writeBuffer(&chunk)
    hasUnseenBytes = true
    stand(isReading: true)
  }

  /// A client that does not read its answers, waits for the log, or asks faster than it gets its turn, is not read from.
  func read(context: ChannelHandlerContext) {
    if stage == .open, isPaused || isFull { wantsRead = true } else { context.read() }
    noteWhetherHeldUp()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    isWritable = context.channel.isWritable
    resume()
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed, stage == .open {
      stage = .inputEnded
      resume()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    core.logger.debug("connection failed", metadata: connection?.metadata(["error": "\(error)"]))
    context.close(promise: nil)
  }

  // MARK: Frames

  /// Whole frames may wait that can be answered now, or the rest of one.
  var hasMoreFrames: Bool { hasWork && !isPaused }

  /// A call is answered in part: its user's turn ended in the middle of it.
  var isCut: Bool { connection?.underWay != nil }

  private var hasWork: Bool { hasUnseenBytes || isCut }

  /// Reading stops when enough bytes wait for their turn. A longer message is read to its end.
  private var isFull: Bool { hasUnseenBytes && received.readableBytes >= Self.waitingBytes }
  private static let waitingBytes = 1 << 16

  /// Takes a place in the line, when there is something to answer.
  private func stand(isReading: Bool) {
    guard hasMoreFrames, let connection else { return noteWhetherHeldUp() }
    core.turns.add(self, of: connection.peer.person, isReading: isReading)
  }

  /// Answers frames in its turn, until so much work is done; returns how much it was.
  func answerFrames(atMost maximum: Int) -> Int {
    let begin = core.work
    var watch = WorkWatch(core)
    while core.work - begin < maximum, hasMoreFrames, let connection {
      guard !isCut else {
        core.proceed(on: connection, atMost: maximum - (core.work - begin))
        watch.chargeTime(core)
        continue
      }
      switch splitter.next(in: received.readableBytesUInt8Span) {
      case .incomplete: hasUnseenBytes = false
      case .tooLong: refuseOverlong(connection)
      case .frame(let range):
        let frame = received.readableBytesUInt8Span.extracting(range)
        if core.answer(frame, on: connection) == .close { stage = .leaving }
        partialMessage?.cancel()
        partialMessage = nil
      }
      watch.chargeTime(core)
    }
    received.moveReaderIndex(forwardBy: splitter.discard())
    if received.readableBytes == 0 {
      received.clear()
      hasUnseenBytes = false
    } else if received.readerIndex >= Self.waitingBytes {
      received.discardReadBytes()
    }
    noteReceived()
    readOrLeave()
    return core.work - begin
  }

  /// After its turn, and after anything that held this connection up may have changed.
  private func readOrLeave() {
    guard let context else { return }
    watchPartialMessage()
    leaveWhenDone(context)
    if wantsRead, !isPaused, !isFull, stage == .open {
      wantsRead = false
      context.read()
    }
    noteWhetherHeldUp()
  }

  private func noteReceived() {
    guard let connection else { return }
    connection.receivedBytes = received.readableBytes
    core.account(connection)
  }

  private func noteWhetherHeldUp() {
    connection?.isHeldUp = stage != .open || wantsRead || (isPaused && (isCut || received.readableBytes > 0))
  }

  private func refuseOverlong(_ connection: Connection) {
    let maximum = core.settings.limits.messageBytes
    core.tell(.overlongMessage, of: connection.peer.person, connection.metadata(["maximum": "\(maximum)"]))
    core.reply(Refusal.limitReached(.messageBytes, maximum: maximum), to: connection)
    stage = .leaving
  }

  /// Whether no further frame may be answered now.
  private var isPaused: Bool {
    guard let connection, stage == .open || stage == .inputEnded else { return true }
    return connection.isBusy || !isWritable || core.isSaturated || connection.held.count >= pipelinedRequests
      || core.mustWait(connection)
  }

  /// Called when something that held this connection up may have changed.
  private func resume() {
    stand(isReading: false)
    readOrLeave()
  }

  // MARK: The end

  /// Closes once every answer has left. Further bytes from the peer are then thrown away for a moment: closing over
  /// unread bytes would take the last answer with it.
  private func leaveWhenDone(_ context: ChannelHandlerContext) {
    guard let connection, connection.held.count == 0, !connection.isBusy else { return }
    switch stage {
    case .open, .lingering: return
    case .inputEnded: if !isPaused, !isInLine, !hasWork { linger(context) }
    case .leaving: linger(context)
    }
  }

  private func linger(_ context: ChannelHandlerContext) {
    stage = .lingering
    context.read()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    // The empty write comes behind all answers: once it is through, so are they.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
      bound.value.eventLoop.scheduleTask(in: Self.lingering) { bound.value.close(promise: nil) }
    }
  }

  /// Limits in time and bytes for a peer to read the answer that ends its connection.
  private static let lingering = TimeAmount.seconds(1)
  private static let lingeringBytes = 1 << 20

  private func throwAway(_ count: Int) {
    thrownAway += count
    if thrownAway > Self.lingeringBytes { context?.close(promise: nil) }
  }

  // MARK: Half a message

  /// Half a message may not stay longer than its time.
  private func watchPartialMessage() {
    guard !hasWork else { return }
    guard splitter.isInsideFrame, !isPaused, let context else {
      partialMessage?.cancel()
      partialMessage = nil
      return
    }
    guard partialMessage == nil else { return }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let seconds = core.settings.limits.partialMessageSeconds
    partialMessage = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { bound.value.endPartialMessage() }
  }

  private func endPartialMessage() {
    partialMessage = nil
    // It may be the daemon that does not read on: its answers wait for the log, or for the peer. The time begins anew when
    // it does.
    guard !isPaused, !hasWork else { return }
    if let connection { core.tell(.halfMessage, of: connection.peer.person, connection.metadata()) }
    stage = .leaving
    if let context { leaveWhenDone(context) }
  }
}

extension GuardCore {
  /// Too much waits for the disk: nothing more is read.
  var isSaturated: Bool { recorder?.pausesReading ?? false }

  /// More records than `records` wait to be written, and each further one waits for them. Only if writing is quick:
  /// records that wait for the disk are brought there together, the more the better.
  func isLogBehind(by records: UInt64) -> Bool {
    settings.log.durability == .written && recorder?.isBehind(by: records) ?? false
  }
}
