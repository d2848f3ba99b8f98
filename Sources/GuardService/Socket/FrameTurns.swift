internal import NIOCore

/// Whose frames are answered next: users take turns, and the connections of one user share its turn.
///
/// The attack: one user pipelines thousands of questions over as many connections as it may have. Answered as they come,
/// they would all go before the one question of somebody else. Here a round gives each user a few frames, and between two
/// rounds the sockets are looked at again. Nor may the others' records stand in line before its own: while the log is
/// behind, there is no round. So a question waits for a round and a few records of the others, however much they sent.
final class FrameTurns {
  /// The connections of one user that have frames.
  private final class User {
    var waiting = CircularBuffer<ConnectionHandler>(initialCapacity: 8)
    var isInLine = false
  }

  private unowned let core: GuardCore
  private var users: [UInt32: User] = [:]
  private var line = CircularBuffer<User>(initialCapacity: 16)
  private var isScheduled = false
  /// A round waits for the log.
  private var isParked = false
  private var run: @Sendable () -> Void = {}

  /// Frames answered before the sockets are looked at again, and before what was answered is sent.
  static let framesOfRound = 32
  /// Frames of one user, and of one connection, before the next one's.
  static let framesOfUser = 16
  static let framesOfConnection = 8
  /// Shorter than anything that is waited for, and long enough that the loop looks at its sockets first.
  private static let pause = TimeAmount.microseconds(5)

  init(_ core: GuardCore) {
    self.core = core
    let bound = NIOLoopBound(self, eventLoop: core.loop)
    run = { bound.value.answerRound() }
  }

  /// Puts a connection in line; its frames are answered when what the sockets hold has been read.
  func add(_ handler: ConnectionHandler, of uid: UInt32) {
    guard !handler.isInLine else { return }
    handler.isInLine = true
    let user = users[uid] ?? User()
    users[uid] = user
    user.waiting.append(handler)
    if !user.isInLine {
      user.isInLine = true
      line.append(user)
    }
    guard !isScheduled, !isParked else { return }
    isScheduled = true
    core.loop.execute(run)
  }

  /// The log is further than it was.
  func goOn() {
    guard isParked, !core.isLogBehind else { return }
    isParked = false
    isScheduled = true
    core.loop.execute(run)
  }

  /// One round, and what it leaves to the next.
  private func answerRound() {
    isScheduled = false
    var left = Self.framesOfRound
    while left > 0, let user = line.popFirst() {
      left -= answerTurn(of: user, atMost: min(left, Self.framesOfUser))
      if user.waiting.isEmpty { user.isInLine = false } else { line.append(user) }
    }
    core.submit()
    guard !line.isEmpty else { return }
    if core.isLogBehind { isParked = true } else { scheduleNextRound() }
  }

  private func answerTurn(of user: User, atMost maximum: Int) -> Int {
    var answered = 0
    while answered < maximum, let handler = user.waiting.popFirst() {
      handler.isInLine = false
      // A connection without a whole frame takes its place in the line, too: so the round ends.
      answered += max(1, handler.answerFrames(atMost: min(maximum - answered, Self.framesOfConnection)))
      guard handler.hasMoreFrames, !handler.isInLine else { continue }
      handler.isInLine = true
      user.waiting.append(handler)
    }
    return answered
  }

  /// Not by `execute`: the loop runs what is executed before it looks at its sockets.
  private func scheduleNextRound() {
    isScheduled = true
    let next = NextRound(turns: NIOLoopBound(self, eventLoop: core.loop))
    do { _ = try core.loop.scheduleCallback(in: Self.pause, handler: next) } catch { core.loop.execute(run) }
  }

  private struct NextRound: NIOScheduledCallbackHandler, Sendable {
    let turns: NIOLoopBound<FrameTurns>

    func handleScheduledCallback(eventLoop: some EventLoop) { turns.value.answerRound() }
  }
}
