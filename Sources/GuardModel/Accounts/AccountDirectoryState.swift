/// Whether the directory of an account can be used (ledger FE-01).
package enum AccountDirectoryState: String, Sendable, Hashable, CaseIterable {
  /// The policy asks for no directory: files are sealed one by one, lie on an encrypted volume, or need no encryption.
  case none
  /// It is being made or unlocked; ask again.
  case opening
  /// Files can be read and written there.
  case open
  /// It cannot be opened: the problem says why.
  case failed
}
