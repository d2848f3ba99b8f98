internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import PolicyEngine

/// `Subscribe`: news for apps.
extension GuardCore {
  /// From now on the connection is for news alone: the daemon reads nothing more from it.
  func subscribe(_ call: SubscribeCall, on connection: Connection) throws(Refusal) {
    let session = try attached(connection)
    connection.isBusy = true
    connection.subscription = Subscription(topics: Set(call.topics))
    serving.subscribers[ObjectIdentifier(connection)] = connection
    tell(newsOfPolicy(for: session), to: connection)
    for case .ask(_, _, let account, let request, let deadline) in state.openWipes(of: session.instance) {
      tell(news(ofWipe: request, account, deadline), to: connection)
    }
    tellOfRemediations(to: session)
    if let request = state.openRestart(of: session.instance) { tell(news(ofRestart: request), to: connection) }
    for request in state.openRequests(of: session.instance, at: journal.now()) {
      tell(news(of: request), to: connection)
      session.toldSwitch = max(session.toldSwitch, request.id.number)
    }
    tellOfDataProtection(to: session, on: connection)
  }

  /// Another policy is in force: tells everybody, and asks for other accounts where those that are shown may not work.
  func tellOfPolicy(_ before: [String: [AccountID: AccountState]]) {
    let time = journal.now()
    for connection in serving.subscribers.values {
      if let session = connection.session { tell(newsOfPolicy(for: session), to: connection) }
    }
    for session in sessions.values {
      tellOfAccounts(of: session, before[session.token] ?? [:])
      _ = state.requestSwitchesFromBlocked(in: session.instance, at: time, snapshot)
      tellOfSwitches(of: session, at: time)
    }
  }

  private func newsOfPolicy(for session: Session) -> NewsReply {
    var news = NewsReply(.policy, snapshot.generation)
    news.organization = organization(for: session)
    return news
  }

  /// Whether the accounts that instances show may work, for subscribers to changes of that.
  var standings: [String: [AccountID: AccountState]] {
    guard !serving.subscribers.isEmpty else { return [:] }
    return sessions.byToken.mapValues { state.shownAccounts(of: $0.instance) }
  }

  /// As `standings`, of the programs of some persons.
  func standings(of persons: Set<UInt32>) -> [String: [AccountID: AccountState]] {
    guard !serving.subscribers.isEmpty else { return [:] }
    let shown = sessions(of: persons).map { ($0.token, state.shownAccounts(of: $0.instance)) }
    return Dictionary(uniqueKeysWithValues: shown)
  }

  func sessions(of persons: Set<UInt32>) -> [Session] { persons.flatMap { sessions.of($0) } }

  func tellOfAccounts(of session: Session, _ before: [AccountID: AccountState]) {
    guard !before.isEmpty else { return }
    let now = state.shownAccounts(of: session.instance)
    for (account, standing) in now.sorted(by: { $0.key.index < $1.key.index }) where before[account] != standing {
      var news = NewsReply(.account, snapshot.generation)
      news.account = state.accounts.displayName(account)
      news.state = standing
      tell(news, toSubscribersOf: session)
    }
  }

  /// Tells of the switches that were asked for since the last time.
  func tellOfSwitches(of session: Session, at time: UInt64) {
    let requests = state.openRequests(of: session.instance, at: time).filter { $0.id.number > session.toldSwitch }
    for request in requests.sorted(by: { $0.id.number < $1.id.number }) {
      session.toldSwitch = request.id.number
      tell(news(of: request), toSubscribersOf: session)
    }
  }

  private func news(of request: SwitchRequest) -> NewsReply {
    var news = NewsReply(.identity, snapshot.generation)
    news.account = state.name(of: request.to)
    news.window = request.window.map { String(decoding: $0, as: UTF8.self) }
    news.request = request.id.text
    news.cause = request.cause
    return news
  }

  func tell(_ news: NewsReply, toSubscribersOf session: Session) {
    for connection in serving.subscribers.values where connection.session === session { tell(news, to: connection) }
  }

  /// A slow reader misses some, and is told how much.
  func news(ofWipe request: String, _ account: String, _ deadline: UInt64) -> NewsReply {
    var news = NewsReply(.wipe, snapshot.generation)
    (news.account, news.request, news.deadline) = (account, request, deadline)
    return news
  }

  /// - Parameter beside: so many that come at once may wait for the log beside the usual number.
  func tell(_ news: NewsReply, to connection: Connection, beside: Int = 0) {
    guard var subscription = connection.subscription, subscription.topics.contains(news.topic) else { return }
    defer { connection.subscription = subscription }
    guard connection.channel.isWritable, connection.held.count < Subscription.maximumHeld + beside else {
      subscription.missed += 1
      return
    }
    var news = news
    news.missed = subscription.missed
    subscription.missed = 0
    writer.reset()
    writer.answer(news, continues: true)
    hold(on: connection, record: journal.newest)
  }
}

/// The news that a connection gets.
struct Subscription {
  let topics: Set<Topic>
  /// News that a slow reader missed since the last reply.
  var missed = 0

  /// News that may wait for the decision log.
  static let maximumHeld = 64
}
