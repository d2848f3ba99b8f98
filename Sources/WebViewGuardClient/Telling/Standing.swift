public import GuardModel

/// How it stands between a client and the daemon.
package struct Standing: Sendable, Hashable {
  /// Whether the daemon answers. Before its first policy it does, and attaches nobody.
  package let isConnected: Bool
  /// What holds when nobody answers.
  package let contract: FailureContract
  /// What the daemon said when it last attached the client, such as `app`, `generation` and `digest`; empty when it had no
  /// policy to attach it to.
  package let attachment: [String: GuardValue]
}

/// What the daemon says of a viewer that it knows now.
public struct RegisteredViewer: Sendable, Hashable {
  /// The policy that it resolves to; the strictest for a word of a newer daemon.
  public internal(set) var policy: WebViewPolicy
  /// What resolved it; nil for what only a newer daemon knows.
  public internal(set) var policySource: PolicySource?
  /// The rule set that is asked for it; nil when it has none.
  public internal(set) var ruleSet: String?

  init(reading value: GuardValue) {
    policy = value["policy"]?.string.flatMap(WebViewPolicy.init(named:)) ?? .currentIdentityBlockUpload
    policySource = value["policySource"]?.string.flatMap(PolicySource.init)
    ruleSet = value["ruleSet"]?.string
  }
}

/// What came of saying whose data is shown.
public struct IdentityChange: Sendable, Hashable {
  /// What the level had before, to be put back; nil when it inherited.
  public internal(set) var previous: String?
  /// Whose data the user sees now; nil when no level has an identity.
  public internal(set) var effectiveUI: String?
  /// Whose files are touched now; nil when no level has an identity.
  public internal(set) var effectiveFile: String?
  /// The level that `effectiveUI` comes from.
  public internal(set) var level: IdentityLevel
  /// What came of the switch, when `gates` was given; unless it is `success`, nothing changed.
  public internal(set) var result: SwitchResult?

  init(reading value: GuardValue) {
    previous = value["previous"]?.string
    effectiveUI = value["effectiveUI"]?.string
    effectiveFile = value["effectiveFile"]?.string
    level = value["level"]?.string.flatMap(IdentityLevel.init) ?? .none
    result = value["result"]?.string.map { SwitchResult(rawValue: $0) ?? .failed }
  }
}

extension GuardClient {
  /// Which identity is set.
  public enum IdentityTarget: Sendable, Hashable {
    /// That of the whole process.
    case process
    /// That of one window.
    case window(String)
    /// That of this client alone, in front of the others.
    case scope
  }
}
