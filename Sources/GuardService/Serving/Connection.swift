package import Bytes
internal import DecisionLog
internal import Glibc
internal import GuardModel
package import GuardProtocol
package import JSONText
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// One connection as the service sees it. Lives on the event loop.
final class Connection {
  let peer: Peer
  let channel: any NIOCore.Channel
  /// Where its answers leave. Nil once it is closed.
  @exclusivity(unchecked) var outlet: Outlet?
  /// On the admin socket: the log's name of the administrator; nil if the machine has no such user.
  var userName: String?
  /// On the admin socket: the user who logged in.
  var loginUser: UInt32?
  /// The person's name when it connected; nil where no policy asked for it.
  var naming: Users.Naming?
  /// Where the log keeps the share of its user.
  @exclusivity(unchecked) var logPlace = 0
  /// Tells connections apart for as long as the daemon runs.
  let number: UInt64
  /// The interfaces that its socket serves.
  let served: InterfaceSet
  /// Whether they are those of the guard's socket: to compare sets of another module is a call through a table.
  let servesApps: Bool
  /// The instance it is attached to.
  @exclusivity(unchecked) var session: Session?
  /// What the program can that it joined, and it did not claim.
  @exclusivity(unchecked) var lacking: ClientFeatures = []
  @exclusivity(unchecked) var held = HeldReplies()
  /// It is among those with replies that wait.
  @exclusivity(unchecked) var isWaiting = false
  @exclusivity(unchecked) var isOpen = true
  /// The next bytes to leave; kept, so that a write allocates nothing.
  @exclusivity(unchecked) var outgoing = GrowingBytes()
  /// A call is under way whose answer must come before the next call is read.
  @exclusivity(unchecked) var isBusy = false
  /// A call of many questions, of which some are answered; its next call is read when all are.
  @exclusivity(unchecked) var underWay: CallUnderWay? { didSet { isCut = underWay != nil } }
  /// There is such a call. To ask the call itself copies it.
  @exclusivity(unchecked) private(set) var isCut = false
  /// Calls of it wait to be read, or it is about to end.
  @exclusivity(unchecked) var isHeldUp = false
  var isResumeScheduled = false
  /// Number of its refused calls.
  var refusals = 0
  /// Its news subscription; nil when it did not subscribe.
  var subscription: Subscription?
  /// Number of decisions a slow watcher missed; nil when it does not watch.
  var skipped: Int?

  /// The account of its user.
  let memory: UserMemory
  /// Bytes that were received and not read yet.
  @exclusivity(unchecked) var receivedBytes = 0
  /// Writes that wait in the channel's queue, since the socket did not take them at once.
  @exclusivity(unchecked) var queuedWrites = 0
  /// Bytes of long writes that the peer has not taken yet.
  @exclusivity(unchecked) var leavingBytes = 0
  /// The counted part of all that.
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
    servesApps = served == .guardSocket
  }

  /// Lets further calls be read, when some wait.
  var resume: () -> Void = {}

  /// Maximum refused calls that are told one by one, per connection.
  static let refusalsTold = 8
  /// Bytes of answers that may wait to leave.
  static let maximumHeld = 1 << 20
  /// A write that the system takes at once, as a rule, and that is not counted.
  static let smallWrite = 1 << 16

  func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
    more.merging(["uid": "\(peer.uid)", "pid": "\(peer.pid)"]) { own, _ in own }
  }
}

/// The two ways by which answers leave: the queue of the channel, and the socket itself.
///
/// The queue knows how fast the peer reads, and what to do when the socket fails, but a write through it costs as much as a
/// tenth of a question. Answers nearly always fit into the socket at once, so they go there first.
struct Outlet {
  /// From its handler on, which has nothing to do with answers.
  let queue: ChannelHandlerContext
  /// Nil for a channel without a socket, such as one in memory.
  private let socket: NIOBSDSocket.Handle?

  init(_ context: ChannelHandlerContext) {
    queue = context
    let operations = context.pipeline.syncOperations
    socket = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
  }

  /// Hands over as much as the socket takes at once; returns the number of those bytes. The queue must be empty, or they
  /// would go before others. A socket that fails takes nothing: the queue then meets the same error, and closes.
  func sendAtOnce(_ bytes: Span<UInt8>) -> Int {
    guard let socket else { return 0 }
    return max(0, bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) })
  }
}

/// The reader's next step after a frame.
enum Disposition {
  case resume
  /// Framing is lost, or the peer went too far.
  case close
}

/// Replies in the order of their calls, each held until the decision log has the record, and the state file the change, it
/// rests on.
package struct HeldReplies {
  private struct Mark {
    /// Where the reply ends in `bytes`.
    var end: Int
    /// The log must be written up to here.
    var record: UInt64
    /// The state must be settled up to here.
    var state: UInt64
    /// The decisions, when one lets something happen: withdrawn when their records cannot be written.
    var allowing: Withdrawable?
    /// When the decision was asked for, in microseconds; 0 when the reply is none.
    var since: UInt64
  }

  private var bytes = GrowingBytes()
  private var marks: [Mark] = []
  private var firstMark = 0

  package init() {}

  /// Bytes of the replies that wait.
  package var byteCount: Int { bytes.count - firstStart }

  package var count: Int { marks.count - firstMark }

  /// Adds the bytes of a reply; `mark` must follow.
  package mutating func append(_ reply: borrowing JSONWriter) { bytes.append(copying: reply.span) }

  /// As `append`, of a reply that is written but for the decision's id.
  mutating func append(_ reply: WrittenReply, _ id: DecimalCounter) { reply.append(id, to: &bytes) }

  /// Says that the reply just added rests on the log up to `record`. A reply behind one that waits must wait as well.
  package mutating func mark(record: UInt64, state: UInt64, allowing decisions: Withdrawable?, since: UInt64) {
    let floor = count > 0 ? marks[marks.count - 1].record : 0
    marks.append(Mark(end: bytes.count, record: max(floor, record), state: state, allowing: decisions, since: since))
  }

  /// Whether the first reply may leave.
  package func isReady(through record: UInt64, state: UInt64) -> Bool {
    firstMark < marks.count && marks[firstMark].record <= record && marks[firstMark].state <= state
  }

  /// Moves out the replies that may leave now that the log is written up to `record` and the state up to `state`.
  package mutating func release(
    through record: UInt64, state: UInt64, into buffer: inout GrowingBytes, observing latency: inout LatencyHistogram
  ) {
    let start = firstStart
    let now = count > 0 ? SystemClock.monotonicMicroseconds : 0
    while firstMark < marks.count, marks[firstMark].record <= record, marks[firstMark].state <= state {
      let since = marks[firstMark].since
      if since > 0 { latency.observe(now - since) }
      firstMark += 1
    }
    move(start..<firstStart, into: &buffer)
    if count == 0 { reset() }
  }

  /// Moves out the replies that the state is settled for although the log failed; those that would let something happen
  /// give way to `refusal`. Returns their decisions.
  package mutating func releaseAll(
    insteadOfAllowing refusal: [UInt8]?, state: UInt64, into buffer: inout GrowingBytes
  ) -> [ClosedRange<DecisionID>] {
    var start = firstStart
    var withdrawn: [ClosedRange<DecisionID>] = []
    while firstMark < marks.count, marks[firstMark].state <= state {
      let mark = marks[firstMark]
      firstMark += 1
      if let decisions = mark.allowing, let refusal {
        buffer.append(copying: refusal.span)
        withdrawn += decisions.ranges
      } else {
        move(start..<mark.end, into: &buffer)
      }
      start = mark.end
    }
    if count == 0 { reset() }
    return withdrawn
  }

  private var firstStart: Int { firstMark > 0 ? marks[firstMark - 1].end : 0 }

  private func move(_ range: Range<Int>, into buffer: inout GrowingBytes) {
    buffer.append(copying: bytes.span.extracting(range))
  }

  private mutating func reset() {
    bytes.removeAll()
    marks.removeAll(keepingCapacity: true)
    firstMark = 0
  }
}

extension Asker {
  /// The user at the other end: the name was looked up when the connection was made, beside the loop.
  init(_ connection: Connection) {
    self.init(
      peer: LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid), user: connection.userName)
  }
}

extension Administrator {
  /// The administrator at the other end, by the kernel's word and the system's list of users.
  init(_ connection: Connection) { self.init(uid: connection.peer.uid, user: connection.userName) }
}
