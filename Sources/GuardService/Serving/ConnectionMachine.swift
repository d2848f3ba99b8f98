internal import GuardProtocol

/// The next step of a connection: a machine that is told events and is asked what to do. It calls nothing, reads no clock and
/// holds no bytes, so each of its answers can be tested as a line of a table.
///
///     var machine = ConnectionMachine(maximumLength: 1024, pipelinedReplies: 64)
///     machine.enter()
///     machine.receive(count: 5)                             // buffer: `{}\0{"`
///     machine.next(in: buffer.span, under: pressure)         // .frame(0..<2)
///     machine.next(in: buffer.span, under: pressure)         // .none
///     machine.discard()                                      // 3: remove that many bytes from the front of the buffer
///     machine.settle(under: pressure)                        // .startTimer: half a message waits
///
/// The attacks: a peer does not read its answers, sends halves of messages, asks faster than it gets its turn, or goes on
/// after it was refused. The machine then stops reading, or throws the bytes away, and loses no answer.
package struct ConnectionMachine: ~Copyable {
  /// The reasons to wait that others know: the core, the log and the line of users.
  package struct Pressure: Sendable, Hashable {
    /// A call is under way, and its answer must come before the next call is read.
    package var isBusy = false
    /// A call of many questions is answered in part.
    package var isCut = false
    /// The connection has a place in the line of users.
    package var isInLine = false
    /// The log, or the memory of this user, takes no more for now.
    package var isSaturated = false
    /// Replies that wait for the log.
    package var heldReplies = 0

    package init() {}
  }

  /// A piece of work that the connection can do now.
  package enum Piece: Sendable, Hashable {
    case none
    /// The rest of the call that is answered in part.
    case rest
    /// A whole frame, and its place in the buffer.
    case frame(Range<Int>)
    /// A frame is too long, and the place of the next one unknown: refuse it. The machine leaves.
    case tooLong
  }

  /// Steps for the caller, in this order.
  package struct Orders: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stopTimer = Orders(rawValue: 1)
    package static let startTimer = Orders(rawValue: 2)
    /// Every answer has left: close the output, and take the bytes that still come.
    package static let linger = Orders(rawValue: 4)
    package static let read = Orders(rawValue: 8)
  }

  private enum Stage {
    case open
    /// The peer sends nothing more; its calls are still answered.
    case inputEnded
    /// Nothing more is answered; answers that wait for the log still leave.
    case leaving
    /// Every answer has left; further bytes of the peer are thrown away.
    case lingering
  }

  /// Bytes that may wait for their turn before reading stops. A longer message is read to its end.
  package static let waitingBytes = 1 << 16
  /// Bytes that a peer may send while it reads the answer that ends its connection.
  package static let lingeringBytes = 1 << 20

  private var stage = Stage.open
  private var splitter: FrameSplitter
  private let pipelinedReplies: Int
  /// The peer's user is known; nothing is answered before.
  private var hasEntered = false
  /// The peer takes its answers.
  private var isWritable = true
  /// The loop asked whether to read, and has to wait.
  private var wantsRead = false
  /// The received bytes may hold further whole frames.
  package private(set) var hasUnseenBytes = false
  private var receivedBytes = 0
  private var thrownAway = 0
  private var isTimed = false
  /// A whole frame came since the last `settle`.
  private var hasEndedFrame = false

  /// - Parameters:
  ///   - maximumLength: of a frame, in bytes without its NUL.
  ///   - pipelinedReplies: replies that may wait for the log before no further frame is answered.
  package init(maximumLength: Int, pipelinedReplies: Int) {
    splitter = FrameSplitter(maximumLength: maximumLength)
    self.pipelinedReplies = pipelinedReplies
  }

  // MARK: Events

  /// The peer's user is known, and may ask.
  package mutating func enter() { hasEntered = true }

  /// So many bytes came. False when the caller must throw them away.
  package mutating func receive(count: Int) -> Bool {
    guard stage == .open else {
      thrownAway += count
      return false
    }
    receivedBytes += count
    hasUnseenBytes = true
    return true
  }

  /// Whether the loop may read now; if not, `settle` orders it later.
  package mutating func mayRead(under pressure: Pressure) -> Bool {
    guard stage == .open, isPaused(pressure) || isFull else { return true }
    wantsRead = true
    return false
  }

  package mutating func setWritable(_ isWritable: Bool) { self.isWritable = isWritable }

  /// The peer sends nothing more.
  package mutating func endInput() {
    if stage == .open { stage = .inputEnded }
  }

  /// The peer is gone. Its calls are still answered, since they may change state, and no answer waits for a reader. The next
  /// order to linger is the end, also for a connection that lingers already.
  package mutating func hangUp() {
    isWritable = true
    endInput()
    if stage == .lingering { stage = .leaving }
  }

  /// Framing is lost, or the peer went too far.
  package mutating func leave() {
    if stage != .lingering { stage = .leaving }
  }

  /// The time of half a message is over. False when the daemon does not read on, because its answers wait for the log or
  /// for the peer; the time begins anew when it does.
  package mutating func endTime(under pressure: Pressure) -> Bool {
    isTimed = false
    guard !isPaused(pressure), !hasWork(pressure) else { return false }
    stage = .leaving
    return true
  }

  // MARK: Work

  /// Whole frames may wait that can be answered now, or the rest of a call.
  package func hasMore(under pressure: Pressure) -> Bool { hasWork(pressure) && !isPaused(pressure) }

  /// The next piece of work in the buffer, which holds all bytes that were received and not discarded.
  package mutating func next(in buffer: Span<UInt8>, under pressure: Pressure) -> Piece {
    guard hasMore(under: pressure) else { return .none }
    guard !pressure.isCut else { return .rest }
    switch splitter.next(in: buffer) {
    case .frame(let range):
      hasEndedFrame = true
      if range.upperBound + 1 >= buffer.count { hasUnseenBytes = false }
      return .frame(range)
    case .incomplete:
      hasUnseenBytes = false
      return .none
    case .tooLong:
      hasUnseenBytes = false
      stage = .leaving
      return .tooLong
    }
  }

  /// Ends a turn: the number of bytes that the caller must remove from the front of the buffer.
  package mutating func discard() -> Int {
    let count = splitter.discard()
    receivedBytes -= count
    if receivedBytes == 0 { hasUnseenBytes = false }
    return count
  }

  // MARK: Orders

  /// The steps after a turn, and after any change of the pressure.
  package mutating func settle(under pressure: Pressure) -> Orders {
    var orders = timerOrders(under: pressure)
    if hasEntered, pressure.heldReplies == 0, !pressure.isBusy, isDone(pressure) {
      stage = .lingering
      orders.insert(.linger)
    }
    if wantsRead, stage == .open, !isPaused(pressure), !isFull {
      wantsRead = false
      orders.insert(.read)
    }
    return orders
  }

  /// Bytes wait to be read, calls wait to be answered, or the connection is about to end: `settle` is due when the
  /// pressure changes.
  package func isHeldUp(under pressure: Pressure) -> Bool {
    stage != .open || wantsRead || (isPaused(pressure) && (pressure.isCut || receivedBytes > 0))
  }

  /// The peer had its time to read the last answer, and sends and sends: close at once.
  package var sendsWithoutEnd: Bool { thrownAway > Self.lingeringBytes }

  /// Half a message may not stay longer than its time, which begins anew after each whole frame.
  private mutating func timerOrders(under pressure: Pressure) -> Orders {
    var orders = Orders()
    if hasEndedFrame, isTimed { orders.insert(.stopTimer) }
    if hasEndedFrame { isTimed = false }
    hasEndedFrame = false
    guard !hasWork(pressure) else { return orders }
    let mustBeTimed = splitter.isInsideFrame && !isPaused(pressure)
    if mustBeTimed, !isTimed { orders.insert(.startTimer) }
    if !mustBeTimed, isTimed { orders.insert(.stopTimer) }
    isTimed = mustBeTimed
    return orders
  }

  /// No further call will be answered.
  private func isDone(_ pressure: Pressure) -> Bool {
    switch stage {
    case .open, .lingering: false
    case .inputEnded: !isPaused(pressure) && !pressure.isInLine && !hasWork(pressure)
    case .leaving: true
    }
  }

  private func hasWork(_ pressure: Pressure) -> Bool { hasUnseenBytes || pressure.isCut }

  private var isFull: Bool { hasUnseenBytes && receivedBytes >= Self.waitingBytes }

  /// No further frame may be answered now.
  private func isPaused(_ pressure: Pressure) -> Bool {
    guard hasEntered, stage == .open || stage == .inputEnded else { return true }
    return pressure.isBusy || !isWritable || pressure.isSaturated || pressure.heldReplies >= pipelinedReplies
  }
}
