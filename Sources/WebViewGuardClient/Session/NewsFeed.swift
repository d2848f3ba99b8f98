internal import GuardModel

/// The app's end of a subscription.
package enum NewsSink: Sendable {
  /// Known topics, for an app that reads.
  case known(AsyncStream<GuardNews>.Continuation)
  /// Everything, for an app with handlers.
  case all(AsyncStream<HeardNews>.Continuation)
}

/// One subscription: a connection of its own to the app's instance, which comes back by itself.
///
/// It waits until the session is attached, since it joins the session's instance. The first news name the policy in
/// force; after a reconnect they are passed on only if the policy has changed.
struct NewsFeed: Sendable {
  enum Link: Sendable { case down, connecting, attaching(deadline: Int64), listening }

  /// The app that the session is attached as: a caller that matches several apps has to name the one of the instance.
  var hello: Hello
  let topics: [String]
  let sink: NewsSink
  var startMilliseconds = FailureContract().startMilliseconds
  /// The instance to join; nil while the session has none.
  var instance: String?
  private var link = Link.down
  private var backOff = BackOff()
  private var known: (generation: Int, digest: String)?
  /// The daemon that was asked last does not know so many of the topics, the newest.
  private var dropped = 0
  /// Some news came on this connection.
  private var isHeard = false
  /// Some news came on an earlier connection, and none on this one.
  private var hasGap = false
  /// The daemon was said to know too little.
  private var hasReported = false
  private(set) var isOver = false
  var output: [UInt8] = []
  var effects: [Effect] = []

  init(hello: Hello, topics: [String], sink: NewsSink) {
    (self.hello, self.topics, self.sink) = (hello, topics, sink)
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
    // It may have ended meanwhile: without a token this would begin one of its own.
    hello.write(to: &output, token: instance ?? "")
  }

  mutating func lost(_ problem: GuardProblem, at time: Int64) {
    if case .down = link { return }
    // The session has the same trouble, and reports it.
    hasGap = hasGap || isHeard
    // Another daemon may answer the next time, and know more.
    dropped = isHeard ? 0 : dropped
    (isHeard, link, output) = (false, .down, [])
    backOff.failed(at: time, .bad)
  }

  mutating func received(_ message: Message, at time: Int64) {
    switch (link, message.answer) {
    case (.attaching, .reply) where !message.continues: subscribe()
    case (.listening, .reply(let members)):
      backOff.reset()
      tellGap()
      isHeard = true
      tell(members)
      if !message.continues { lost(.closed, at: time) }
    case (.listening, .refused(let refusal)) where refusal.word == "InvalidParameter" && mayNarrow:
      if !hasReported { effects.append(.report(.topicsUnknown(topics))) }
      hasReported = true
      lost(.unreadable, at: time)
      // It does not say which. When none is left, all are asked for again: another daemon may answer.
      dropped = (dropped + 1) % topics.count
    default:
      lost(.unreadable, at: time)
      if case .refused = message.answer { dropped = 0 }
    }
  }

  /// The app no longer reads the news.
  mutating func close() {
    (isOver, link, output) = (true, .down, [])
    effects.append(.end(sink))
  }

  private var mayNarrow: Bool { if case .all = sink { !topics.isEmpty } else { false } }

  private mutating func subscribe() {
    link = .listening
    let topics = Topic.without(dropped, of: topics)
    output += MessageText.call("Subscribe", .more, members: { $0.member("topics", topics) })
  }

  private mutating func tellGap() {
    if hasGap, case .all(let listener) = sink { effects.append(.tellAll(listener, .missed(0))) }
    hasGap = false
  }

  private mutating func tell(_ members: [String: GuardValue]) {
    let news = HeardNews(reading: members)
    if news.topic == Topic.policy.rawValue {
      let isTheSame = known.map { $0 == (news.generation, news.digest) } ?? false
      known = (news.generation, news.digest)
      if isTheSame && news.missed == 0 { return }
    }
    switch sink {
    case .known(let listener): if let news = GuardNews(reading: members) { effects.append(.tell(listener, news)) }
    case .all(let listener):
      if news.missed > 0 { effects.append(.tellAll(listener, .missed(news.missed))) }
      effects.append(.tellAll(listener, news))
    }
  }
}

extension Topic {
  /// Topics in their order, without so many that came last into the interface. Those that this library does not know are
  /// newer than all that it knows.
  ///
  ///     Topic.without(1, of: ["account", "moon", "policy"])    // ["account", "policy"]
  static func without(_ count: Int, of topics: [String]) -> [String] {
    let known = allCases.map(\.rawValue)
    let byAge = topics.enumerated().sorted { one, other in
      let ages = [one, other].map { known.firstIndex(of: $0.element) ?? known.count }
      return (ages[0], one.offset) < (ages[1], other.offset)
    }
    let newest = Set(byAge.suffix(count).map(\.element))
    return topics.filter { !newest.contains($0) }
  }
}
