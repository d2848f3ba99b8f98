/// The changes that an app may want to hear of.
public enum Topic: String, Sendable, Hashable, CaseIterable {
  /// Another policy is in force.
  case policy
  /// An account's permission to work has changed.
  case account
  /// The daemon asks for another account to be shown.
  case identity
  /// An account of the app was enrolled, checked in or refused, or its access ended.
  case enrollment
  /// The app takes other accounts than before.
  case allowedAccounts
  /// A reload changed the configuration of an account of the app (ledger AC-09).
  case config

  /// The app has to remove an account and its data, and answers with `Complete`; or a wipe ended.
  case wipe
  /// A look at an account has ended (ledger CA-05).
  case compliance

  /// The app has to start anew, and answers with `Complete`: see `RestartCause` (ledger RS).
  case restart
  /// The files of an account have to be encrypted in another way, or it has a new key (ledger SD-06, FE-02).
  case dataProtection

  /// Those of a subscription that names none: the topics of the first release, whose readers know no others.
  package static let standard: [Topic] = [.policy, .account, .identity]
}
