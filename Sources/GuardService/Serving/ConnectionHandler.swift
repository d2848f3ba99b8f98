internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Carries the bytes of one connection between its channel, its machine and the core: the machine decides what to do next,
/// the core answers.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let core: GuardCore
  private let servedSocket: ServedSocket
  /// The other end, where no kernel says it; see ``DrivenGuard``.
  private let caller: AcceptedPeer?
  @exclusivity(unchecked) private var machine: ConnectionMachine
  @exclusivity(unchecked) private var received = ByteBuffer()
  @exclusivity(unchecked) private var connection: Connection?
  @exclusivity(unchecked) private var context: ChannelHandlerContext?
  @exclusivity(unchecked) private var partialMessage: Scheduled<Void>?
  /// It waits in line for its frames to be answered.
  @exclusivity(unchecked) var isInLine = false

  init(core: GuardCore, servedSocket: ServedSocket, caller: AcceptedPeer? = nil) {
    self.core = core
    self.caller = caller
    self.servedSocket = servedSocket
    let limits = core.policy.settings.limits
    machine = ConnectionMachine(maximumLength: limits.messageBytes, pipelinedReplies: limits.pipelinedRequests)
  }

  /// The reasons for the connection to wait, at this moment.
  private var pressure: ConnectionMachine.Pressure {
    var pressure = ConnectionMachine.Pressure()
    guard let connection else { return pressure }
    pressure.isBusy = connection.isBusy
    pressure.isCut = connection.isCut
    pressure.isInLine = isInLine
    pressure.heldReplies = connection.held.count
    pressure.isSaturated = core.journal.isSaturated || core.serving.mustWait(connection)
    return pressure
  }

  // MARK: Begin and end

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    guard let caller = caller ?? PeerReading.caller(of: channel, through: servedSocket),
      core.admit(caller, then: { arrival in self.enter(arrival, through: channel) })
    else {
      context.close(promise: nil)
      return
    }
    context.fireChannelActive()
  }

  /// The connection's user is known; until then nothing of it is read. Nil for a peer that is not let in. The peer may be
  /// gone already: what it sent is answered.
  private func enter(_ arrival: LookUps.Arrival?, through channel: any NIOCore.Channel) {
    guard let arrival, let connection = core.open(channel, arrival, served: servedSocket.served) else {
      context?.close(promise: nil)
      return
    }
    self.connection = connection
    machine.enter()
    connection.outlet = context.map(Outlet.init)
    // The connection keeps its handler, which answers what a peer that is gone has sent; `leave` lets go of both.
    connection.resume = { self.resume() }
    resume()
  }

  /// The peer is gone, or the daemon closed the connection. What a peer sent before it went counts: a program may tell of a
  /// copy, and end. Its frames are answered in its user's turns, as if it still listened, and then the connection ends.
  func channelInactive(context: ChannelHandlerContext) {
    partialMessage?.cancel()
    connection?.outlet = nil
    self.context = nil
    machine.hangUp()
    resume()
    context.fireChannelInactive()
  }

  /// Nothing of the connection is left to do.
  private func leave() {
    guard let connection else { return }
    core.close(connection)
    connection.resume = {}
    self.connection = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    core.logger.debug("connection failed", metadata: connection?.metadata(["error": "\(error)"]))
    context.close(promise: nil)
  }

  // MARK: Events

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var chunk = unwrapInboundIn(data)
    guard machine.receive(count: chunk.readableBytes) else {
      if machine.sendsWithoutEnd { context.close(promise: nil) }
      return
    }
    received.writeBuffer(&chunk)
    stand(isReading: true)
  }

  /// The channel reads on when it may. NIO would ask the same along the whole pipeline, if the answer were not here before.
  func channelReadComplete(context: ChannelHandlerContext) { read(context: context) }

  /// A client that does not read its answers, waits for the log, or asks faster than it gets its turn, is not read from.
  func read(context: ChannelHandlerContext) {
    let pressure = pressure
    let mayRead = machine.mayRead(under: pressure)
    noteWhetherHeldUp(under: pressure)
    if mayRead { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    machine.setWritable(context.channel.isWritable)
    resume()
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed {
      machine.endInput()
      resume()
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Called when the pressure may have changed.
  private func resume() {
    stand(isReading: false)
    settle()
  }

  // MARK: Turns

  /// Most often the last frame was answered, and then there is no need to ask who has to wait.
  var hasMoreFrames: Bool { (machine.hasUnseenBytes || isCut) && hasMoreFrames(under: pressure) }

  private func hasMoreFrames(under pressure: ConnectionMachine.Pressure) -> Bool {
    connection?.isOpen == true && machine.hasMore(under: pressure)
  }

  /// A call is answered in part: its user's turn ended in the middle of it.
  var isCut: Bool { connection?.isCut ?? false }

  /// Takes a place in the line, when there is something to answer.
  private func stand(isReading: Bool) {
    let pressure = pressure
    guard hasMoreFrames(under: pressure), let connection else { return noteWhetherHeldUp(under: pressure) }
    core.turns.add(self, of: connection.peer.person, isReading: isReading)
  }

  /// Answers frames in its turn, until so much work is done; returns how much it was.
  func answerFrames(atMost maximum: Int) -> Int {
    let begin = core.serving.work
    answerFrames(of: received, atMost: maximum)
    received.moveReaderIndex(forwardBy: machine.discard())
    if received.readableBytes == 0 {
      received.clear()
    } else if received.readerIndex >= ConnectionMachine.waitingBytes {
      received.discardReadBytes()
    }
    if let connection {
      connection.receivedBytes = received.readableBytes
      core.serving.account(connection)
    }
    settle()
    return core.serving.work - begin
  }

  /// Borrows the buffer once for all of them.
  private func answerFrames(of received: borrowing ByteBuffer, atMost maximum: Int) {
    let bytes = received.readableBytesUInt8Span
    let begin = core.serving.work
    var watch = WorkWatch(after: begin)
    while core.serving.work - begin < maximum, answerNext(in: bytes, atMost: maximum - (core.serving.work - begin)) {
      watch.chargeTime(&core.serving)
    }
  }

  /// Answers one frame, or more of a call of many questions. False when there is nothing to answer now.
  @inline(__always)
  private func answerNext(in bytes: Span<UInt8>, atMost maximum: Int) -> Bool {
    guard let connection, connection.isOpen, machine.hasUnseenBytes || connection.isCut else { return false }
    switch machine.next(in: bytes, under: pressure) {
    case .none: return false
    case .rest: core.proceed(on: connection, atMost: maximum)
    case .tooLong: refuseOverlong(connection)
    case .frame(let range):
      let end = core.answer(bytes.extracting(range), on: connection)
      if end == .close { machine.leave() }
    }
    return true
  }

  private func refuseOverlong(_ connection: Connection) {
    let maximum = core.policy.settings.limits.messageBytes
    core.serving.tell(.overlongMessage, of: connection.peer.person, connection.metadata(["maximum": "\(maximum)"]))
    core.reply(Refusal.limitReached(.messageBytes, maximum: maximum), to: connection)
  }

  // MARK: Orders

  /// Does what the machine orders: after a turn, and after anything that held this connection up may have changed.
  private func settle() {
    let pressure = pressure
    let orders = machine.settle(under: pressure)
    noteWhetherHeldUp(under: pressure)
    guard let context else {
      // News have no end of their own; and the daemon may have ended what a peer that is gone had left.
      if orders.contains(.linger) || connection?.subscription != nil || connection?.isOpen == false { leave() }
      return
    }
    if !orders.isEmpty { obey(orders, context) }
  }

  private func obey(_ orders: ConnectionMachine.Orders, _ context: ChannelHandlerContext) {
    if orders.contains(.stopTimer) { partialMessage?.cancel() }
    if orders.contains(.startTimer) { startTimer(context) }
    if orders.contains(.linger) { linger(context) }
    if orders.contains(.read) { context.read() }
  }

  private func noteWhetherHeldUp(under pressure: ConnectionMachine.Pressure) {
    connection?.isHeldUp = machine.isHeldUp(under: pressure)
  }

  private func startTimer(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let seconds = core.policy.settings.limits.partialMessageSeconds
    partialMessage = context.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { bound.value.endPartialMessage() }
  }

  private func endPartialMessage() {
    guard machine.endTime(under: pressure) else { return }
    if let connection { core.serving.tell(.halfMessage, of: connection.peer.person, connection.metadata()) }
    settle()
  }

  /// Closes behind the answers. Further bytes of the peer are thrown away for a moment: closing over unread bytes would take
  /// the last answer with it.
  private func linger(_ context: ChannelHandlerContext) {
    context.read()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    // The empty write comes behind all answers: once it is through, so are they.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
      bound.value.eventLoop.scheduleTask(in: Self.lingering) { bound.value.close(promise: nil) }
    }
  }

  /// Time for a peer to read the answer that ends its connection.
  private static let lingering = TimeAmount.seconds(1)
}

/// Charges a piece of work that took long for its time, if that is more than the charge for its content.
///
/// The attack: a user finds a call that takes long, such as a move of a viewer within a tree of thousands. It counts as
/// many questions then, and its user waits as long as others do. Work of less than a millisecond is no such call: its
/// time says more of the machine. For the same reason no time counts for more than one message may ask.
struct WorkWatch {
  private var time = SystemClock.monotonicMicroseconds
  private var charged: Int

  init(after charged: Int) { self.charged = charged }

  /// Charges for the work done since the last time.
  mutating func chargeTime(_ serving: inout Serving) {
    let now = SystemClock.monotonicMicroseconds
    let questions = Self.questions(in: now - time)
    serving.charge(time: max(0, questions - (serving.work - charged)))
    (time, charged) = (now, serving.work)
  }

  private static func questions(in microseconds: UInt64) -> Int {
    microseconds < 1000 ? 0 : min(64, Int(microseconds / 100))
  }
}
