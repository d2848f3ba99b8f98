public import GuardModel

/// Something that happened without being asked about.
///
///     for await news in guardian.news(.policy, .identity) {
///       switch news.topic {
///       case .policy: reloadWhatIsShown()
///       case .identity: await show(news.account, in: news.window); try await guardian.answer(news.request ?? "", .success)
///       case .account: tell(news.account, news.state)
///       }
///     }
public struct GuardNews: Sendable, Hashable {
  /// What it is about.
  public internal(set) var topic: Topic
  /// The number of the policy in force.
  public internal(set) var generation: Int
  /// The digest of the policy in force.
  public internal(set) var digest: String
  /// The account whose standing changed, or whose data is to be shown; empty for nobody's.
  public internal(set) var account: String?
  /// Whether the account may work now.
  public internal(set) var state: AccountState?
  /// The window that must show the account; nil for the process.
  public internal(set) var window: String?
  /// The request that `answer` names.
  public internal(set) var request: String?
  /// Why another account is to be shown.
  public internal(set) var cause: SwitchCause?
  /// How much news before this was missed, since the app did not read it in time.
  public internal(set) var missed: Int

  /// The news that a reply to `Subscribe` brings; nil for a topic that only a newer daemon knows.
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
