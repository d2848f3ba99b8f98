/// How an app has to encrypt the files that it writes for an account (ledger FE-01, SD-07).
///
///     FileEncryption(word: "fscrypt").isRequired    // true
///     FileEncryption(word: "moon").isRequired       // true: a word of a newer daemon never frees a file
public enum FileEncryption: String, Sendable, Hashable, CaseIterable {
  /// Files need not be encrypted.
  case none
  /// Each file is a sealed envelope under a key of the daemon's, as docs/sealed-data.md has it.
  case envelope
  /// Files lie in a directory that fscrypt encrypts, one for each account.
  case fscrypt
  /// Files lie in a directory that gocryptfs encrypts, one for each account.
  case gocryptfs
  /// Files lie on a volume that is encrypted as a whole.
  case volume

  /// The way of a word of the wire; `envelope` for one of a newer daemon.
  public init(word: String) { self = FileEncryption(rawValue: word) ?? .envelope }

  /// Whether the app has to encrypt.
  public var isRequired: Bool { self != .none }

  /// Files lie in a directory of the account, which is open while the account may work.
  package var isDirectory: Bool { self == .fscrypt || self == .gocryptfs }

  /// Those that a policy can ask for where files have to be encrypted.
  package static let ways: [FileEncryption] = [.envelope, .fscrypt, .gocryptfs, .volume]

  /// Whether the service of this release has a part in it: it gives keys. Of the others it only tells apps.
  package var isCarriedOut: Bool { self != .volume }
}
