/// Whose a file is, for the program that asks (ledger FO; design, accounts, section 8).
///
/// The zero of it is `unknown`: nobody may do anything with such a file.
public enum FileStanding: String, Sendable, Hashable, CaseIterable {
  /// The organisation's, and nobody can say which account's: its label is forged, broken, another person's or another
  /// machine's, or of an account that the policy does not know.
  case unknown
  /// Nobody's, or a private account's.
  case unmanaged
  /// The account that the program's files belong to now.
  case mine
  /// Another account of the organisation.
  case managed
}

/// Where a file's owner is kept.
package enum LabelStore: String, Sendable, Hashable, CaseIterable {
  /// In the extended attribute of the file.
  case attribute
  /// In the daemon's table, by the facts of the file.
  case table
  /// Nowhere: the file system has neither attributes nor facts. The program has to seal the file.
  case none
}

/// The owner of a file, and the duties of a program that stores it.
package struct FileOwner: Sendable, Hashable {
  package var standing = FileStanding.unknown
  /// As the policy spells it; nil unless it is managed and known.
  package var account: String?
  /// All its names in lower case, the one first that its id is made of.
  package var names: [String] = []
  /// A protection of the account wants stored data encrypted.
  package var mustEncrypt = false

  package init(_ standing: FileStanding = .unknown) { self.standing = standing }
}
