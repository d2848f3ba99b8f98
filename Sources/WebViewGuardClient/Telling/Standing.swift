public import GuardModel

/// The state of the line between a client and the daemon.
package struct Standing: Sendable, Hashable {
  /// The daemon answers. Before its first policy it also answers, but attaches no app.
  package let isConnected: Bool
  /// The failure contract, for when the daemon does not answer.
  package let contract: FailureContract
  /// The daemon's reply to the last `Attach`, such as `app`, `generation` and `digest`; empty when it had no policy.
  package let attachment: [String: GuardValue]
}

/// The daemon's reply about a registered viewer.
public struct RegisteredViewer: Sendable, Hashable {
  /// The policy that it resolves to; the strictest for a word of a newer daemon.
  public internal(set) var policy: WebViewPolicy
  /// The source of that policy; nil for a word of a newer daemon.
  public internal(set) var policySource: PolicySource?
  /// The rule set that is asked for it; nil when it has none.
  public internal(set) var ruleSet: String?

  init(reading value: GuardValue) {
    policy = value["policy"]?.string.flatMap(WebViewPolicy.init(named:)) ?? .currentIdentityBlockUpload
    policySource = value["policySource"]?.string.flatMap(PolicySource.init)
    ruleSet = value["ruleSet"]?.string
  }
}

/// The result of stating the shown account.
public struct IdentityChange: Sendable, Hashable {
  /// The account that the level had before, to be put back; nil when it inherited.
  public internal(set) var previous: String?
  /// The account whose data the user sees now; nil when no level has an identity.
  public internal(set) var effectiveUI: String?
  /// The account whose files are touched now; nil when no level has an identity.
  public internal(set) var effectiveFile: String?
  /// The level that `effectiveUI` comes from.
  public internal(set) var level: IdentityLevel
  /// The result of the switch, when `gates` was given; unless it is `success`, nothing changed.
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
  /// The level at which an identity is set.
  public enum IdentityTarget: Sendable, Hashable {
    /// The identity of the whole process.
    case process
    /// The identity of one window.
    case window(String)
    /// The identity of this client alone, in front of the others.
    case scope
  }
}
