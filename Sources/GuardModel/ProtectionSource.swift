/// How a protection came to bind an account (ledger MI-26). The SDK's `MAM` is what `account` and `pattern` say, a policy of
/// the account; its `MDM`, a policy of the machine, is what `group` says.
package enum ProtectionSource: String, Sendable, Hashable, CaseIterable {
  /// The account's entry states it.
  case account
  /// One of its own names or patterns takes the account.
  case pattern
  /// It binds all accounts of a group of the machine's users.
  case group
}
