/// Data could not be sealed or opened, by the number that Microsoft's SDK has for it. docs/sealed-data.md has all of them.
///
///     do { text = try await guardian.sealing.unprotect(data) } catch where error.reason == .noKey { … }
public struct SealingError: Error, Sendable, Hashable {
  /// The number.
  public enum Code: Int, Sendable, Hashable, CaseIterable {
    /// The daemon does not know the app, or has no policy for it.
    case appNotManaged = 100
    /// No account has such a name, or something is used after its end.
    case invalidArguments
    /// It could not be sealed.
    case encryptFailed
    /// It could not be opened.
    case decryptFailed
    /// It is no envelope, and the caller asked for one.
    case notProtected
    /// There are no bytes.
    case emptyData
  }

  /// Tells apart what has one number.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It is not as it was written, or of another key.
    case damaged
    /// An update of webviewguard may know it.
    case newer
    /// The key is withheld, or was destroyed.
    case noKey
    /// 16 TiB is the most.
    case tooLong
    /// A system call failed: a disk that is full, a file that may not be read.
    case system
  }

  /// The number.
  public let code: Code
  /// Nil where the number says everything.
  public let reason: Reason?
  /// The `errno`, where the reason is `system`.
  public let systemError: Int32?
  /// More for a person; may be empty.
  public let message: String

  /// An error of a source of keys or of a closure that takes bytes.
  public init(_ code: Code, _ reason: Reason? = nil, _ message: String = "", systemError: Int32? = nil) {
    (self.code, self.reason, self.message, self.systemError) = (code, reason, message, systemError)
  }

  /// It is not what was written.
  static func damaged(_ part: String) -> SealingError { SealingError(.decryptFailed, .damaged, part) }

  /// It may be of a later version.
  static func newer(_ part: String) -> SealingError {
    SealingError(.decryptFailed, .newer, "\(part); an update of webviewguard may know it")
  }
}

extension SealingError: CustomStringConvertible {
  /// One line for a person: `103 decryptFailed (damaged): chunk 7`.
  public var description: String {
    "\(code.rawValue) \(code)" + (reason.map { " (\($0.rawValue))" } ?? "") + (message.isEmpty ? "" : ": \(message)")
  }
}
