internal import Glibc
internal import Platform
internal import WebViewGuardClient

/// A file's owner could not be read or set, or the file could not be stored, by the number that Microsoft's SDK has for it
/// (ledger FO-06). 102 says that nothing keeps the owner: the file must be sealed, or not written.
///
///     do { try await guardian.files.create(path) { … } } catch where error.code == .encryptFailed { … }
public struct FileProtectionError: Error, Sendable, Hashable {
  /// The number.
  public enum Code: Int, Sendable, Hashable, CaseIterable {
    /// The daemon does not know the app, or has no policy for it.
    case appNotManaged = 100
    /// No account has such a name.
    case invalidArguments
    /// Nothing keeps the owner, or the account may not work now.
    case encryptFailed
    /// The owner or the content cannot be read.
    case decryptFailed
    /// There is no such file.
    case fileNotFound
    /// It is a directory.
    case isDirectory
    /// The policy does not manage the account.
    case unmanagedIdentity
    /// Everything else: the message says what.
    case internalError
  }

  /// The number.
  public let code: Code
  /// More for a person; may be empty.
  public let message: String
  /// The daemon did not answer, or the account may not work for now: later it may go.
  public let isPassing: Bool

  init(_ code: Code, _ message: String = "", isPassing: Bool = false) {
    (self.code, self.message, self.isPassing) = (code, message, isPassing)
  }

  /// What an error of the daemon means, by its last word; 107 for one that this library does not know.
  package static func code(ofRefusal word: String) -> Code {
    switch word {
    case "NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy": .appNotManaged
    case "OwnerStays", "KeyWithheld", "KeysUnavailable", "StateUnavailable", "LogUnavailable", "LimitReached":
      .encryptFailed
    case "UnknownAccount": .invalidArguments
    case "NotManaged": .unmanagedIdentity
    default: .internalError
    }
  }

  /// Any error of a step on the way.
  init(of error: any Error) {
    switch error {
    case let error as FileProtectionError: self = error
    case let error as GuardError: self.init(of: error)
    case let error as SealingError:
      let code = error.code.rawValue < 104 ? Code(rawValue: error.code.rawValue) : nil
      self.init(code ?? .internalError, error.description, isPassing: error.reason == .noKey)
    case let error as SystemError:
      let code: Code = error.isAbsence || error.number == ENOTDIR ? .fileNotFound : .internalError
      self.init(error.number == EISDIR ? .isDirectory : code, error.description)
    default: self.init(.internalError, "\(error)")
    }
  }

  private init(of error: GuardError) {
    guard case .refused(let refusal) = error else {
      self.init(.internalError, error.description, isPassing: true)
      return
    }
    let isForGood = ["OwnerStays", "UnknownAccount", "NotManaged"].contains(refusal.word)
    self.init(Self.code(ofRefusal: refusal.word), error.description, isPassing: !isForGood)
  }
}

extension FileProtectionError: CustomStringConvertible {
  /// One line for a person: `104 fileNotFound: …`.
  public var description: String { "\(code.rawValue) \(code)" + (message.isEmpty ? "" : ": \(message)") }
}

/// Runs steps whose errors become those of files.
nonisolated(nonsending) func naming<Result>(
  _ steps: nonisolated(nonsending) () async throws -> Result
) async throws(FileProtectionError) -> Result {
  do { return try await steps() } catch { throw FileProtectionError(of: error) }
}
