internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// One connection as the service sees it. Lives on the event loop.
final class Connection {
  let peer: Peer
  let channel: any NIOCore.Channel
  /// Where its answers leave: from its handler on, which has nothing to do with them. Nil once it is closed.
  @exclusivity(unchecked) var outlet: ChannelHandlerContext?
  /// On the admin socket: what the log calls the administrator; nil where the machine has no such user.
  var userName: String?
  /// Where the log keeps the share of its user.
  var logPlace = 0
  /// Tells connections apart for as long as the daemon runs.
  let number: UInt64
  /// What its socket serves.
  let served: InterfaceSet
  /// The instance it is attached to.
  @exclusivity(unchecked) var session: Session?
  @exclusivity(unchecked) var held = HeldReplies()
  /// It is among those with replies that wait.
  @exclusivity(unchecked) var isWaiting = false
  var isOpen = true
  /// What leaves next; kept, so that a write allocates nothing.
  @exclusivity(unchecked) var outgoing: ByteBuffer
  /// A call is under way whose answer must come before the next call is read.
  @exclusivity(unchecked) var isBusy = false
  /// A call of many questions, of which some are answered; its next call is read when all are.
  @exclusivity(unchecked) var underWay: CallUnderWay?
  /// Calls of it wait to be read, or it is about to end.
  @exclusivity(unchecked) var isHeldUp = false
  var isResumeScheduled = false
  /// How many of its calls were refused.
  var refusals = 0
  /// What news it gets; nil when it did not subscribe.
  var subscription: Subscription?
  /// How many decisions a slow watcher missed; nil when it does not watch.
  var skipped: Int?

  /// The account of its user.
  let memory: UserMemory
  /// Bytes that were received and not read yet.
  @exclusivity(unchecked) var receivedBytes = 0
  /// Bytes of long writes that the peer has not taken yet.
  @exclusivity(unchecked) var leavingBytes = 0
  /// What of all that is counted.
  @exclusivity(unchecked) var movingBytes = 0
  /// It asked something since the last tick.
  @exclusivity(unchecked) var hasAsked = false
  /// Seconds without an instance.
  var unattachedSeconds = 0

  init(number: UInt64, peer: Peer, channel: any NIOCore.Channel, served: InterfaceSet, memory: UserMemory) {
    self.memory = memory
    self.number = number
    self.peer = peer
    self.channel = channel
    self.served = served
    outgoing = channel.allocator.buffer(capacity: 0)
  }

  /// Lets further calls be read, when some wait.
  var resume: () -> Void = {}

  /// So many refused calls of one connection are told one by one.
  static let refusalsTold = 8
}

/// What the bytes' owner does after a frame.
enum Disposition {
  case goOn
  /// Framing is lost, or the peer went too far.
  case close
}
