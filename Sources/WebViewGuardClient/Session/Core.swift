internal import GuardModel

/// The state shared by the app's threads and the client's own thread: the session and the subscriptions.
struct Core: Sendable {
  /// The connection: that of the session, or that of a subscription.
  enum LineName: Sendable, Hashable {
    case session
    case news(Int)
  }

  /// The present work of the thread.
  struct Turn: Sendable {
    struct Line: Sendable {
      var name: LineName
      var wish: LineWish
      var output: [UInt8]
    }

    var lines: [Line] = []
    var effects: [Effect] = []
    /// The time to come back, in milliseconds of the monotonic clock; `.max` to wait for an event.
    var nextTime = Int64.max
    var isOver = false
  }

  var session: ClientSession
  /// The fault of the contract's file at its last reading.
  var contractProblem: GuardProblem?
  private var feeds: [Int: NewsFeed] = [:]
  private var feedCount = 0
  /// The thread runs.
  var isRunning = false
  private(set) var isClosed = false

  init(session: ClientSession) { self.session = session }

  mutating func turn(at time: Int64) -> Turn {
    var turn = Turn()
    if !isClosed {
      let wish = session.turn(at: time)
      turn.lines.append(.init(name: .session, wish: wish, output: session.output))
      session.output = []
    }
    for name in feeds.keys.sorted() { turn.lines.append(turnFeed(name, at: time)) }
    turn.effects = takeEffects()
    turn.nextTime = feeds.values.map(\.nextTime).reduce(session.nextTime, min)
    turn.isOver = isClosed
    feeds = feeds.filter { !$0.value.isOver }
    return turn
  }

  private mutating func turnFeed(_ name: Int, at time: Int64) -> Turn.Line {
    var line = Turn.Line(name: .news(name), wish: .rest, output: [])
    let app = session.attachment["app"]?.string ?? session.hello.app
    change(name) { [instance = session.instance, contract = session.contract] feed in
      (feed.instance, feed.hello.app) = (instance, app)
      feed.startMilliseconds = contract.startMilliseconds
      line.wish = feed.turn(at: time)
      (line.output, feed.output) = (feed.output, [])
    }
    return line
  }

  mutating func opened(_ name: LineName, at time: Int64) {
    switch name {
    case .session: session.opened(at: time)
    case .news(let name): change(name) { $0.opened(at: time) }
    }
  }

  mutating func lost(_ name: LineName, _ problem: GuardProblem, at time: Int64) {
    switch name {
    case .session: session.lost(problem, at: time)
    case .news(let name): change(name) { $0.lost(problem, at: time) }
    }
  }

  mutating func received(_ message: Message, on name: LineName, at time: Int64) {
    switch name {
    case .session: session.received(message, at: time)
    case .news(let name):
      change(name) { $0.received(message, at: time) }
      noteSwitch(message.parameters)
    }
  }

  /// Everything that is there was received.
  mutating func receivedAll(on name: LineName, at time: Int64) {
    if case .session = name { session.flush(at: time) }
  }

  /// Begins a subscription; returns its number.
  mutating func subscribe(_ topics: [String], _ sink: NewsSink) -> Int {
    feedCount += 1
    feeds[feedCount] = NewsFeed(hello: session.hello, topics: topics, sink: sink)
    return feedCount
  }

  mutating func unsubscribe(_ name: Int) { change(name) { $0.close() } }

  mutating func close() {
    isClosed = true
    session.close()
    for name in feeds.keys { change(name) { $0.close() } }
  }

  /// The effects that the state machines request, for the time when the lock is free.
  mutating func takeEffects() -> [Effect] {
    var effects = session.effects
    session.effects = []
    for name in feeds.keys {
      change(name) { feed in
        effects += feed.effects
        feed.effects = []
      }
    }
    return effects
  }

  private mutating func noteSwitch(_ members: [String: GuardValue]) {
    guard let request = members["request"]?.string, let account = members["account"]?.string else { return }
    session.switches.note(request, account: account, window: members["window"]?.string)
  }

  private mutating func change(_ name: Int, _ change: (inout NewsFeed) -> Void) {
    guard var feed = feeds[name] else { return }
    change(&feed)
    feeds[name] = feed
  }
}

/// The pause after a failure of the daemon: 100 ms, doubling to 5 s, each up to a quarter longer, so the apps of a
/// machine do not all come back at the same moment.
///
/// A question skips the pause where that costs nothing: a socket without a listener fails at once, so the first
/// question after an outage is answered. Two attempts are never closer than 100 ms if a program listened.
struct BackOff: Sendable {
  /// The way in which an attempt failed.
  enum Failure: Sendable {
    /// The listener holds others up, or refuses them.
    case bad
    /// The listener accepted, and went away.
    case gone
    /// No program listens.
    case away
  }

  private var next = Self.first
  private var latestAttempt = Int64.min
  /// No automatic attempt before this time, in milliseconds.
  private(set) var until: Int64 = .min
  /// No attempt for a question before this time.
  private var askedUntil: Int64 = .min

  static let first: Int64 = 100
  static let longest: Int64 = 5_000

  /// Records an attempt to connect now.
  mutating func attempted(at time: Int64) { latestAttempt = time }

  /// An attempt for a question does not delay the next automatic one.
  mutating func failed(at time: Int64, _ failure: Failure) {
    if time >= until {
      until = time + next + Int64.random(in: 0...next / 4)
      next = min(next * 2, Self.longest)
    }
    askedUntil =
      switch failure {
      case .bad: until
      case .gone: min(until, max(latestAttempt, time - Self.first) + Self.first)
      case .away: time
      }
  }

  mutating func reset() { next = Self.first }

  /// Stops all further attempts.
  mutating func never() { (until, askedUntil) = (.max, .max) }

  var isForever: Bool { until == .max }

  func isOver(at time: Int64) -> Bool { time >= until }

  /// A question may try now.
  func isOverForQuestions(at time: Int64) -> Bool { time >= askedUntil }
}
