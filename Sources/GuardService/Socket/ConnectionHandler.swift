internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyFiles

/// Bytes of one connection: cut into frames, answered in order, and read no faster than answers leave.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let core: GuardCore
  private let served: InterfaceSet
  private var connection: Connection?
  private var received = ByteBuffer()
  private var splitter: FrameSplitter
  private var partialMessage: Scheduled<Void>?
  private var wantsRead = false
  /// Nothing more is read or answered.
  private var isClosing = false
  private var context: ChannelHandlerContext?

  init(core: GuardCore, served: InterfaceSet) {
    self.core = core
    self.served = served
    splitter = FrameSplitter(maximumLength: core.settings.limits.messageBytes)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelActive(context: ChannelHandlerContext) {
    guard let peer = PeerReading.peer(of: context.channel),
      let connection = core.open(context.channel, peer: peer, served: served)
    else {
      context.close(promise: nil)
      return
    }
    self.connection = connection
    connection.resume = { [weak self] in self?.resume() }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    partialMessage?.cancel()
    if let connection { core.close(connection) }
    connection?.resume = {}
    connection = nil
    self.context = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    var chunk = unwrapInboundIn(data)
    received.writeBuffer(&chunk)
    answerFrames()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    core.submit()
    watchPartialMessage()
    context.fireChannelReadComplete()
  }

  /// A client that does not read its answers, or waits for the log, is not read from.
  func read(context: ChannelHandlerContext) {
    if isPaused, !isClosing { wantsRead = true } else { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    resume()
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    core.logger.debug("connection failed", metadata: connection?.metadata(["error": "\(error)"]))
    context.close(promise: nil)
  }

  // MARK: Frames

  private func answerFrames() {
    var goesOn = true
    while goesOn, !isPaused, let connection {
      switch splitter.next(in: received.readableBytesUInt8Span) {
      case .incomplete: goesOn = false
      case .tooLong: closeOverlong(connection)
      case .frame(let range):
        let frame = received.readableBytesUInt8Span.extracting(range)
        if core.answer(frame, on: connection) == .close { close() }
      }
    }
    received.moveReaderIndex(forwardBy: splitter.discard())
    if received.readableBytes == 0 { received.clear(minimumCapacity: 0) } else { received.discardReadBytes() }
  }

  private func closeOverlong(_ connection: Connection) {
    core.logger.warning(
      "message longer than \(core.settings.limits.messageBytes) bytes, connection closed",
      metadata: connection.metadata())
    core.reply(GuardError.limitReached(.messageBytes, maximum: core.settings.limits.messageBytes), to: connection)
    close()
  }

  /// Lets what was answered leave, then closes. What the peer is still sending is thrown away for a moment: closing over
  /// unread bytes would take the last answer with it.
  private func close() {
    guard let context, let connection, !isClosing else { return }
    isClosing = true
    core.submit()
    core.close(connection)
    context.close(mode: .output, promise: nil)
    context.read()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.lingering) { bound.value.close(promise: nil) }
  }

  /// How long a peer may take to read the answer that ends its connection.
  private static let lingering = TimeAmount.seconds(1)

  private var isPaused: Bool {
    guard let context, let connection, !isClosing else { return true }
    return connection.isBusy || !context.channel.isWritable || core.isSaturated
      || connection.held.count >= core.settings.limits.pipelinedRequests
  }

  /// Called when something that held this connection up may have changed.
  private func resume() {
    guard !isPaused, let context else { return }
    if received.readableBytes > 0 {
      answerFrames()
      core.recorder?.submit()
      watchPartialMessage()
    }
    if wantsRead, !isPaused {
      wantsRead = false
      context.read()
    }
  }

  // MARK: Half a message

  /// Half a message may not stay longer than its time.
  private func watchPartialMessage() {
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
    core.logger.warning("half a message stayed too long, connection closed", metadata: connection?.metadata())
    close()
  }
}

extension GuardCore {
  /// So much waits for the disk that nothing more is read.
  var isSaturated: Bool { recorder.map { $0.isSaturated && !$0.isFailing } ?? false }
}
