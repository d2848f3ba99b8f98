internal import NIOCore

/// Takes no connections for a moment when one could not be taken, as when no more files may be opened.
///
/// The connection that waits keeps the socket readable: to try again at once would take the processor from those who are
/// connected. NIO's `AcceptBackoffHandler` only holds `read` back, while the channel stays registered for reading after an
/// error (2.101), so that it goes on trying; here the registration goes.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private var isPausing = false

  static let length = TimeAmount.milliseconds(250)

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is IOError, !isPausing, let options = context.channel.syncOptions else { return }
    isPausing = true
    try? options.setOption(.autoRead, value: false)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.length) {
      let (pause, context) = bound.value
      pause.isPausing = false
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}
