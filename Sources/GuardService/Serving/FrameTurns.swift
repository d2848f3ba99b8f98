internal import Glibc
internal import NIOCore
internal import NIOPosix

/// Decides which frames are answered next: users take turns, and the connections of one user share its turn.
///
/// The attack: one user pipelines thousands of questions over as many connections as it may have, or puts hundreds of
/// them into each message. Answered as they come, they would all go before the one question of another user. Here a
/// turn is measured in work and not in frames, a call of many questions is cut where the turn ends, and between two
/// rounds the sockets are looked at again. Nor may the others' records stand in line before its own: while the log is
/// behind, there is no round. A question thus waits for one round and a few records of the others, however much they
/// sent.
///
/// Long rounds answer more a second: while one user asks alone, no other waits for their end. A second user's first
/// question makes them short, and they stay so as long as it asks again within about a second.
final class FrameTurns {
  private unowned let core: GuardCore
  @exclusivity(unchecked) private var line = TurnLine<ConnectionHandler>()
  @exclusivity(unchecked) private var isScheduled = false
  /// A round waits for the log.
  @exclusivity(unchecked) private var isParked = false
  private var run: @Sendable () -> Void = {}
  /// A byte written here comes back as an event; -1 before the loop listens for it.
  private var bell: Int32 = -1

  /// Maximum work of one user before the next one's.
  private struct Lengths {
    /// Work before the sockets are looked at again, and before the answers are sent.
    var round: Int
    /// Work for one user, and for one of its connections, before the next one's.
    var turn: Int
    /// Records that may wait to be written when a round begins.
    var recordsAhead: UInt64

    static let ofOneUser = Lengths(round: 32, turn: 16, recordsAhead: 96)
    static let ofSeveral = Lengths(round: 8, turn: 4, recordsAhead: 24)
  }

  /// The user who took a place in the line last, and the remaining short rounds since it was not always the same.
  @exclusivity(unchecked) private var latest: UInt32?
  @exclusivity(unchecked) private var shortRounds = 0
  private var lengths: Lengths { shortRounds > 0 ? .ofSeveral : .ofOneUser }
  /// At full load more than a second.
  private static let shortRoundsAfterChange = 1 << 14

  init(_ core: GuardCore) {
    self.core = core
    let bound = NIOLoopBound(self, eventLoop: core.loop)
    run = { bound.value.answerRound() }
    addWaker(bound)
  }

  /// Puts a connection in line; its frames are answered once the sockets have been read. `isReading` when this is
  /// called for bytes just read: else the sockets are looked at before the next round.
  func add(_ handler: ConnectionHandler, of uid: UInt32, isReading: Bool) {
    guard !handler.isInLine else { return }
    handler.isInLine = true
    noteUser(uid)
    line.add(handler, of: uid)
    guard !isScheduled, !isParked else { return }
    if isReading {
      isScheduled = true
      core.loop.execute(run)
    } else {
      scheduleNextRound()
    }
  }

  private func noteUser(_ uid: UInt32) {
    if uid != latest, latest != nil { shortRounds = Self.shortRoundsAfterChange }
    latest = uid
  }

  /// The log is further than it was.
  func resume() {
    guard isParked, !core.journal.isBehind(by: lengths.recordsAhead) else { return }
    isParked = false
    scheduleNextRound()
  }

  /// Answers one round, and leaves the rest to the next.
  private func answerRound() {
    isScheduled = false
    let lengths = lengths
    shortRounds = max(0, shortRounds - 1)
    var left = lengths.round
    let (work, ofTime) = (core.serving.work, core.serving.workOfTime)
    while left > 0, let turn = line.next(min(left, lengths.turn)) {
      let used = answer(turn)
      line.end(turn, used: used)
      left -= used
    }
    let done = core.serving.work - work - (core.serving.workOfTime - ofTime)
    core.vitals.metrics.note(roundOf: done, isShort: lengths.round == Lengths.ofSeveral.round)
    core.submit()
    guard !line.isEmpty else { return }
    if core.journal.isBehind(by: lengths.recordsAhead) { isParked = true } else { scheduleNextRound() }
  }

  /// Does a user's turn; returns how much work that was.
  private func answer(_ turn: TurnLine<ConnectionHandler>.Turn) -> Int {
    var used = 0
    while used < turn.length, let handler = turn.user.take() {
      handler.isInLine = false
      // A connection without a whole frame takes its place in the line, too: so the round ends.
      used += max(1, handler.answerFrames(atMost: turn.length - used))
      guard handler.hasMoreFrames, !handler.isInLine else { continue }
      handler.isInLine = true
      if handler.isCut { turn.user.putFirst(handler) } else { turn.user.putLast(handler) }
    }
    return used
  }

  /// Called once a minute.
  func forgetIdle() { line.forgetIdle() }

  /// By an event, and not by `execute`: the loop runs all that is executed, the log's news among it, before it looks at
  /// its sockets again.
  private func scheduleNextRound() {
    isScheduled = true
    var byte: UInt8 = 1
    if bell < 0 || write(bell, &byte, 1) != 1 { core.loop.execute(run) }
  }

  private func addWaker(_ turns: NIOLoopBound<FrameTurns>) {
    // A loop in memory has no sockets to look at.
    guard let bootstrap = ClientBootstrap(validatingGroup: core.loop) else { return }
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return }
    let (near, far) = (ends[0], ends[1])
    bootstrap.channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(TurnWaker(turns.value)) }
    }.withConnectedSocket(far).whenSuccess { _ in turns.value.bell = near }
  }

  private final class TurnWaker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let turns: FrameTurns

    init(_ turns: FrameTurns) { self.turns = turns }

    func channelReadComplete(context: ChannelHandlerContext) {
      turns.answerRound()
      context.fireChannelReadComplete()
    }
  }
}

/// A line in which users take turns. A user who took more than a turn pays for it in later ones.
///
///     var line = TurnLine<String>()
///     line.add("a batch", of: 1000)
///     line.add("a question", of: 1001)
///     let turn = line.next(4)          // 1000 may have 4 units of work done
///     line.end(turn, used: 20)         // 16 too many: 1000 is left out four times, while 1001 waits
///
/// Work is counted in questions; see `Serving.charge`. A piece of work that cannot be cut may take longer than its
/// turn. Its excess is a debt, which the user pays while others wait. While no other user waits none is wronged, and
/// the debt is forgiven.
package struct TurnLine<Waiting> {
  /// A user in the line, or one that has a debt.
  package final class User {
    package let person: UInt32
    @exclusivity(unchecked) fileprivate var waiting = CircularBuffer<Waiting>(initialCapacity: 8)
    @exclusivity(unchecked) fileprivate var isInLine = false
    @exclusivity(unchecked) package fileprivate(set) var debt = 0

    fileprivate init(_ person: UInt32) { self.person = person }

    /// Removes the work that waits longest from the line.
    package func take() -> Waiting? { waiting.popFirst() }

    /// Has something wait before all else of this user.
    package func putFirst(_ first: Waiting) { waiting.prepend(first) }

    /// Has something wait behind all else of this user.
    package func putLast(_ last: Waiting) { waiting.append(last) }
  }

  /// A user whose turn it is.
  package struct Turn {
    package let user: User
    /// Maximum work that may be done for it.
    package let length: Int
  }

  private var users: [UInt32: User] = [:]
  /// One of them: who asked last asks again, most often.
  private var latest: User?
  private var line = CircularBuffer<User>(initialCapacity: 16)

  package init() {}

  package var isEmpty: Bool { line.isEmpty }

  /// Puts something behind all else of its user, and the user behind all others.
  package mutating func add(_ waiting: Waiting, of person: UInt32) {
    let user = user(person)
    user.putLast(waiting)
    enter(user)
  }

  private mutating func user(_ person: UInt32) -> User {
    if let latest, latest.person == person { return latest }
    let user = users[person] ?? User(person)
    users[person] = user
    latest = user
    return user
  }

  /// The user whose turn it is, with that much work; nil when none waits.
  package mutating func next(_ length: Int) -> Turn? {
    while let user = line.popFirst() {
      user.isInLine = false
      if line.isEmpty { user.debt = 0 }
      guard user.debt >= length else {
        defer { user.debt = 0 }
        return Turn(user: user, length: length - user.debt)
      }
      user.debt -= length
      enter(user)
    }
    return nil
  }

  /// Ends a turn in which so much work was done; the user goes to the end of the line when more of it waits.
  package mutating func end(_ turn: Turn, used: Int) {
    turn.user.debt = max(0, used - turn.length)
    if !turn.user.waiting.isEmpty { enter(turn.user) }
  }

  /// Forgets the users for whom nothing waits and who owe nothing.
  package mutating func forgetIdle() {
    users = users.filter { $1.isInLine || $1.debt > 0 || !$1.waiting.isEmpty }
    latest = nil
  }

  private mutating func enter(_ user: User) {
    guard !user.isInLine else { return }
    user.isInLine = true
    line.append(user)
  }
}
