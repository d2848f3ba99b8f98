public import GuardModel

/// Handlers of news, one for each topic.
///
///     var handlers = NewsHandlers()
///     handlers.on(.account) { news in await show(news.account, mayWork: news.mayWork) }
///     handlers.onMissed { _ in await readEverythingAgain() }
///     await guardian.listen(handlers)
public struct NewsHandlers: Sendable {
  /// Hears one piece of news. The next one waits until it returns.
  public typealias Handler = @Sendable (HeardNews) async -> Void

  private var byTopic: [String: Handler] = [:]
  private var missed: Handler?
  private var other: Handler?

  /// No handlers yet.
  public init() {}

  /// Handles a topic.
  public mutating func on(_ topic: Topic, _ handler: @escaping Handler) { byTopic[topic.rawValue] = handler }

  /// Handles a topic that this library may not know.
  public mutating func on(topic: String, _ handler: @escaping Handler) { byTopic[topic] = handler }

  /// Hears that news may be lost, after a connection that was lost or since the app did not read in time: what was
  /// known before may be out of date. `missed` of the news says how much; 0 when nobody knows.
  public mutating func onMissed(_ handler: @escaping Handler) { missed = handler }

  /// Handles all topics that have no handler, also those of a newer daemon.
  public mutating func onOther(_ handler: @escaping Handler) { other = handler }

  /// The topics to subscribe to, in the order of the alphabet. The policy is always one of them: it comes first on
  /// each connection, and so says that the daemon listens.
  package var topics: [String] {
    let all = other == nil ? [] : Topic.allCases.map(\.rawValue)
    return Set(byTopic.keys).union(all).union([Topic.policy.rawValue]).sorted()
  }

  func handler(of news: HeardNews) -> Handler? {
    if case .ownWord = news.origin { return missed }
    return byTopic[news.topic] ?? other
  }
}

/// News as they came: of any topic, with all members.
public struct HeardNews: Sendable, Hashable {
  enum Origin: Sendable, Hashable { case daemon, ownWord }

  /// The word of the topic; `missed` where news may be lost.
  public let topic: String
  /// All members, also those that this library does not know.
  public let members: [String: GuardValue]
  /// The number of news before this that were missed.
  public let missed: Int
  let origin: Origin

  init(reading members: [String: GuardValue]) {
    self.members = members
    topic = members["topic"]?.string ?? ""
    missed = members["missed"]?.integer ?? 0
    origin = .daemon
  }

  private init(missed: Int) { (topic, members, self.missed, origin) = ("missed", [:], missed, .ownWord) }

  static func missed(_ count: Int) -> HeardNews { HeardNews(missed: count) }

  /// The number of the policy in force.
  public var generation: Int { members["generation"]?.integer ?? 0 }
  /// The digest of the policy in force.
  public var digest: String { members["digest"]?.string ?? "" }
  /// The account that this is about; empty for no account.
  public var account: String? { members["account"]?.string }
  /// Whether that account may work now; false when this says nothing of it, or in words of a newer daemon.
  public var mayWork: Bool {
    if let life = members["life"]?.string { return AccountLifeState(word: life).mayWork }
    return members["state"]?.string == AccountState.active.rawValue
  }
  /// Topic `account`: how the question to unlock the account ended; nil for a word of a newer daemon, which is no
  /// success.
  public var unlock: UnlockResult? { members["unlock"]?.string.flatMap(UnlockResult.init) }
  /// Topic `enrollment`: the point of the account's life; `blocked` for a word of a newer daemon.
  public var life: AccountLifeState? { members["life"]?.string.map(AccountLifeState.init(word:)) }
  /// Topic `enrollment`: the result; nil for a word of a newer daemon, which is a failure.
  public var result: EnrollmentResult? { members["result"]?.string.flatMap(EnrollmentResult.init) }
  /// Topic `allowedAccounts`: the names and patterns that the app takes; nil for all.
  public var accounts: [String]? { members["accounts"].map(\.strings) }
  /// Topic `restart`: why the app has to start anew; nil for a word of a newer daemon. `complete` answers `done` when the
  /// app does so by itself; after anything else the person is told.
  public var restart: RestartCause? { members["restart"]?.string.flatMap(RestartCause.init) }
  /// Topics `wipe` and `restart`: the moment at which the app counts as silent, in milliseconds since 1970.
  public var deadline: Int? { members["deadline"]?.integer }
  /// Topic `dataProtection`: how the account's files have to be encrypted; `envelope` for a word of a newer daemon.
  public var encryption: FileEncryption? { members["encryption"]?.string.map(FileEncryption.init(word:)) }
  /// Topic `dataProtection`: the number of the account's newest key; nil without one, and where the daemon can use none.
  public var keyId: String? { members["keyId"]?.string }
  /// Topic `identity`: the reason for showing another account.
  public var cause: SwitchCause? { members["cause"]?.string.flatMap(SwitchCause.init) }
  /// The window that must show the account; nil for the process.
  public var window: String? { members["window"]?.string }
  /// The request that `answer` names.
  public var request: String? { members["request"]?.string }
}

extension GuardClient {
  /// Has each topic of news heard by its handler, one after the other, until the client is closed or the task
  /// cancelled. Handlers may ask, say and listen: no lock is held meanwhile.
  ///
  /// News have a connection of their own, which comes back by itself. A daemon that does not know one of the topics is
  /// asked again without the newest of them.
  public nonisolated(nonsending) func listen(_ handlers: NewsHandlers) async {
    let (stream, listener) = AsyncStream.makeStream(of: HeardNews.self)
    let name = transport.change { core, _ in core.subscribe(handlers.topics, .all(listener)) }
    listener.onTermination = { [transport] _ in transport.change { core, _ in core.unsubscribe(name) } }
    for await news in stream { await handlers.handler(of: news)?(news) }
  }
}
