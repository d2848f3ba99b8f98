/// The changes that an app may want to hear of.
public enum Topic: String, Sendable, Hashable, CaseIterable {
  /// Another policy is in force.
  case policy
  /// An account's permission to work has changed.
  case account
  /// The daemon asks for another account to be shown.
  case identity
}
