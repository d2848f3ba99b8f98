internal import GuardModel

/// One subscription: a connection of its own to the app's instance, which comes back by itself.
///
/// It waits until the session is attached, since it joins the session's instance. The first news say which policy is in
/// force; after a reconnect they are passed on only if that is another one.
struct NewsFeed: Sendable {
  enum Link: Sendable { case down, connecting, attaching(deadline: Int64), listening }

  /// As the session was attached: a caller that matches several apps has to name the one of the instance.
  var hello: Hello
  let topics: [Topic]
  let listener: AsyncStream<GuardNews>.Continuation
  var startMilliseconds = FailureContract().startMilliseconds
  /// The instance to join; nil while the session has none.
  var instance: String?
  private var link = Link.down
  private var backOff = BackOff()
  private var known: (generation: Int, digest: String)?
  private(set) var isOver = false
  var output: [UInt8] = []
  var effects: [Effect] = []

  init(hello: Hello, topics: [Topic], listener: AsyncStream<GuardNews>.Continuation) {
    (self.hello, self.topics, self.listener) = (hello, topics, listener)
  }

  mutating func turn(at time: Int64) -> LineWish {
    if case .attaching(let deadline) = link, deadline <= time { lost(.missedDeadline, at: time) }
    guard case .down = link else { return .stay }
    guard !isOver, instance != nil, backOff.isOver(at: time) else { return .rest }
    link = .connecting
    return .connect
  }

  var nextTime: Int64 {
    switch link {
    case .down: instance == nil || isOver ? .max : backOff.until
    case .attaching(let deadline): deadline
    case .connecting, .listening: .max
    }
  }

  mutating func opened(at time: Int64) {
    link = .attaching(deadline: time + Int64(startMilliseconds))
    hello.write(to: &output, token: instance)
  }

  mutating func lost(_ problem: GuardProblem, at time: Int64) {
    if case .down = link { return }
    // The session has the same trouble, and reports it.
    backOff.failed(at: time, .bad)
    (link, output) = (.down, [])
  }

  mutating func received(_ message: Message, at time: Int64) {
    switch (link, message.answer) {
    case (.attaching, .reply) where !message.continues: subscribe()
    case (.listening, .reply(let members)):
      if let news = GuardNews(reading: members) { tell(news) }
      if !message.continues { lost(.closed, at: time) }
    default: lost(.unreadable, at: time)
    }
  }

  /// Nobody listens any more.
  mutating func close() {
    (isOver, link, output) = (true, .down, [])
    effects.append(.end(listener))
  }

  private mutating func subscribe() {
    link = .listening
    backOff.reset()
    output += MessageText.call("Subscribe", .more, members: { $0.member("topics", topics.map(\.rawValue)) })
  }

  private mutating func tell(_ news: GuardNews) {
    let isTheSame = known.map { $0 == (news.generation, news.digest) } ?? false
    if news.topic == .policy {
      known = (news.generation, news.digest)
      if isTheSame { return }
    }
    effects.append(.tell(listener, news))
  }
}
