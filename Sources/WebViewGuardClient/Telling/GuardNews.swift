public import GuardModel

/// An event of the daemon that the app did not ask about.
///
///     for await news in guardian.news(.policy, .identity) {
///       switch news.topic {
///       case .policy: reloadWhatIsShown()
///       case .identity: await show(news.account, in: news.window); try await guardian.answer(news.request ?? "", .success)
///       case .account: tell(news.account, news.state)
///       }
///     }
public struct GuardNews: Sendable, Hashable {
  /// The topic of the news.
  public internal(set) var topic: Topic
  /// The number of the policy in force.
  public internal(set) var generation: Int
  /// The digest of the policy in force.
  public internal(set) var digest: String
  /// The account whose standing changed, or whose data the app must show; empty for no account.
  public internal(set) var account: String?
  /// The account's permission to work now.
  public internal(set) var state: AccountState?
  /// The window that must show the account; nil for the process.
  public internal(set) var window: String?
  /// The request that `answer` names.
  public internal(set) var request: String?
  /// The reason for showing another account.
  public internal(set) var cause: SwitchCause?
  /// The number of news before this that were missed, because the app did not read them in time.
  public internal(set) var missed: Int

  /// The news in a reply to `Subscribe`; nil for a topic that only a newer daemon knows.
  init?(reading members: [String: GuardValue]) {
    let value = GuardValue.object(members)
    guard let topic = value["topic"]?.string.flatMap(Topic.init) else { return nil }
    self.topic = topic
    generation = value["generation"]?.integer ?? 0
    digest = value["digest"]?.string ?? ""
    account = value["account"]?.string
    state = value["state"]?.string.flatMap(AccountState.init)
    window = value["window"]?.string
    request = value["request"]?.string
    cause = value["cause"]?.string.flatMap(SwitchCause.init)
    missed = value["missed"]?.integer ?? 0
  }
}
