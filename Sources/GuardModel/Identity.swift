/// One user account, as a number into the daemon's table of accounts; two names of one account have one number.
package struct AccountID: Sendable, Hashable {
  package var index: Int32

  package init(index: Int32) { self.index = index }
}

/// The identity at one level: process, window or scope (ledger MI-13, MI-14).
///
/// `absent` and `nobody` differ: a level without an identity inherits from the next one; `nobody`, the empty string on
/// the wire, stops there and means a user that no policy binds.
package enum Identity: Sendable, Hashable {
  /// Nothing is set here: ask the next level.
  case absent
  /// Explicitly no account: `""`.
  case nobody
  case account(AccountID)
}

/// The level an identity came from (ledger MI-15, MI-29).
public enum IdentityLevel: String, Sendable, Hashable, CaseIterable {
  /// No level has an identity.
  case none
  /// The viewer's policy is `unmanaged`, so its data is, too.
  case viewer
  /// The connection's scope, the daemon's word for a thread.
  case scope
  case window
  case process
  /// The window is not known: the strictest identity that the instance shows anywhere.
  case strictest
}

/// Whether the organisation lets an account work at the moment (ledger IS-13, CA-06, WP).
public enum AccountState: String, Sendable, Hashable, CaseIterable {
  case active
  case blocked
  case nonCompliant
  case wiped
  /// A protection binds it, and no source of the app says that it is signed in.
  case policyRequired
  /// The app takes only other accounts.
  case notAllowed
  /// Nothing is known of its conditions, and the time of grace is over.
  case notChecked
  /// Its user has to unlock it first.
  case locked

  /// Those that a policy may state. The others are found out.
  package static let stated: [AccountState] = [.active, .blocked, .nonCompliant, .wiped]
}
