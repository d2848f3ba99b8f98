internal import Glibc
internal import Platform
public import WebViewGuardClient

/// Files that know their owner (docs/labels.md).
///
///     try await guardian.files.save("report.txt") { file in try file.write(bytes.span) }    // labelled, and sealed if need be
///     try await guardian.files.getOwner("report.txt").account                               // work@contoso.com
///
/// The daemon makes and reads labels; this library alone touches files. Where a file system has no attributes the daemon keeps
/// the owner in a table, and where it cannot know a file again `create` is error 102: `save` and `incoming` seal such a file.
/// Reading and writing blocks the thread. Errors are `FileProtectionError`; those of a closure of the caller become 107.
public struct GuardFiles: Sendable {
  private let storage: FileStorage

  init(client: GuardClient) { storage = FileStorage(client: client) }
}

extension GuardClient {
  /// Files that know their owner.
  public var files: GuardFiles { GuardFiles(client: self) }
}

/// The content of a file that `save` stores.
public struct SavedFile: ~Copyable {
  fileprivate let stored: StoredFile

  /// Takes all of it.
  public func write(_ bytes: borrowing Span<UInt8>) throws {
    try bytes.withUnsafeBufferPointer { try stored.write($0.span) }
  }
}

/// Storing.
extension GuardFiles {
  /// A new file, or an old one emptied, to be written by its descriptor. Its owner is the account that the program's files
  /// belong to; it is labelled before the first byte. Nothing is created, or emptied, for a file that has to be sealed.
  @discardableResult
  public nonisolated(nonsending) func create(
    _ path: String, _ write: (_ descriptor: Int32) throws -> Void
  ) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming {
      let (descriptor, isNew) = try Self.opened(path)
      defer { close(descriptor) }
      let owner: OwnerOfFile
      do { owner = try await labelNew(descriptor, path) } catch {
        if isNew { unlink(path) }
        throw error
      }
      try write(descriptor)
      return owner
    }
  }

  /// A new directory with an owner, which it hands on to what is created in it.
  @discardableResult
  public nonisolated(nonsending) func createDirectory(_ path: String) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming {
      guard mkdir(path, 0o777) == 0 else { throw SystemError("make directory", path) }
      do {
        let directory = try OpenFile.reading(path)
        return try await labelNew(directory.descriptor, path)
      } catch {
        rmdir(path)
        throw error
      }
    }
  }

  /// Labels an open file that was just created or emptied, before anything is written. Error 102: seal it, or do not write
  /// it.
  @discardableResult
  public nonisolated(nonsending) func created(
    _ descriptor: Int32, at path: String
  ) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming { try await labelNew(descriptor, path) }
  }

  /// As `create`, and as the policy wants the content stored: sealed, or in plain where that is enough or the disk is
  /// encrypted, which is looked at. The file takes the place of an old one at the end, if nothing was thrown. Read it with
  /// `readable`. This is for what an app writes in the background: no window has a say in whose it is.
  @discardableResult
  public nonisolated(nonsending) func save(
    _ path: String, _ fill: (borrowing SavedFile) throws -> Void
  ) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming {
      let file = try WholeFile(at: path, .replacing, hasOwnAttributes: true)
      let said = try await storage.newLabel(file.descriptor, at: path)
      let stored = try await storage.begin(file, said, FileStorage.directory(of: path))
      try fill(SavedFile(stored: stored))
      try stored.commit()
      return said.owner
    }
  }

  /// A file of an account that an engine writes by itself, such as a download: `account` is `setOwner` of the decision. A file
  /// that is nobody's is written in its place; one of the organisation in a directory of this program alone, from which `keep`
  /// takes it to its place, labelled and sealed as `save` does it. A `size` that is known helps to find room.
  public nonisolated(nonsending) func incoming(
    _ path: String, account: String?, size: Int? = nil
  ) async throws(FileProtectionError) -> IncomingFile {
    try await naming { try await IncomingFile(storage, path, account, size) }
  }

  /// A file that an engine wrote into its place before anybody could say where: it is labelled where it lies, and a sealed one
  /// takes its place, or one in the account's directory. Do it again after `busy`, and after a crash.
  ///
  /// - Parameter since: milliseconds since 1970; a file of which nothing changed since is another one, and so `gone`.
  public nonisolated(nonsending) func arrived(
    _ path: String, account: String?, since: Int64? = nil
  ) async throws(FileProtectionError) -> ArrivedFile {
    try await naming { try await ArrivalDesk(storage: storage, path: path, account: account, since: since).take() }
  }

  /// The name under which a download is kept, of the one that a page suggests: what turns letters round, ends a line or
  /// steers a terminal becomes `_`.
  ///
  ///     GuardFiles.downloadName("cod\u{202E}gpj.exe")   // cod_gpj.exe, which a file manager would show as codexe.jpg
  ///
  /// `arrived` takes it for the name in the account's directory. It says nothing of directories: `../plan.pdf` stays so.
  public static func downloadName(_ suggested: String) -> String {
    var kept = String.UnicodeScalarView()
    for scalar in suggested.unicodeScalars {
      let deceives =
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
      kept.append(deceives ? "_" : scalar)
    }
    return String(kept)
  }

  /// A file for an engine that reads it by its path, as uploads are.
  public nonisolated(nonsending) func readable(_ path: String) async throws(FileProtectionError) -> ReadableFile {
    try await naming { try await ReadableFile(storage, path) }
  }

  /// Removes what programs of this user that were killed left of `incoming` and `readable`. A program calls it at its start;
  /// each of these two does it in its own place as well.
  public func clearLeftovers() { for place in PrivatePlace.places { PrivatePlace.clear(place) } }
}

/// Owners.
extension GuardFiles {
  /// The owner of the file or directory; error 104 when there is none.
  public nonisolated(nonsending) func getOwner(_ path: String) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming { try await storage.owner(try FileLabelFacts(ofPath: path).members) }
  }

  /// As `getOwner`; nil when there is no such file, or when it is nobody's (ledger FO-05).
  public nonisolated(nonsending) func protectionInfo(_ path: String) async throws(FileProtectionError) -> OwnerOfFile? {
    do throws(FileProtectionError) {
      let owner = try await getOwner(path)
      return owner.isManaged ? owner : nil
    } catch {
      guard error.code == .fileNotFound else { throw error }
      return nil
    }
  }

  /// Gives a file or directory that is nobody's to an account, and leaves alone one that is the account's already. Error 102
  /// for one of another account, 106 for an account that is not managed. An empty account is nobody.
  @discardableResult
  public nonisolated(nonsending) func setOwner(
    _ path: String, account: String
  ) async throws(FileProtectionError) -> OwnerOfFile {
    try await naming {
      let file = try OpenFile.reading(path)
      let known = try FileLabelFacts(of: file.descriptor).members
      let said = try await storage.given(file.descriptor, to: account, known: known)
      if said.owner.isManaged {
        try LabelAttribute.keep(said, of: file.descriptor)
      } else if !account.isEmpty {
        throw FileProtectionError(.unmanagedIdentity)
      }
      return said.owner
    }
  }

  /// The members `label`, `file` and `origin` of an event about this file: hand them over with every `open`, `upload`,
  /// `receive` and `share`.
  public nonisolated(nonsending) func facts(_ path: String) async throws(FileProtectionError) -> FileLabelFacts {
    try await naming { try FileLabelFacts(ofPath: path) }
  }

  /// Old content goes under its old label, and what had none is labelled before: killed at any step, it is nobody else's.
  /// Nothing is emptied where no label can be set.
  private nonisolated(nonsending) func labelNew(_ descriptor: Int32, _ path: String) async throws -> OwnerOfFile {
    let wasLabelled = try FileLabelFacts(of: descriptor).label != nil
    let said = try await storage.newLabel(descriptor, at: path)
    if said.mustSeal || (said.owner.isManaged && !wasLabelled) { try LabelAttribute.keep(said, of: descriptor) }
    if FileStatus(descriptor: descriptor)?.kind == .regular, ftruncate(descriptor, 0) != 0 {
      throw SystemError("empty", path)
    }
    if said.owner.isManaged {
      try LabelAttribute.keep(said, of: descriptor)
    } else {
      LabelAttribute.remove(of: descriptor)
    }
    return said.owner
  }

  private static func opened(_ path: String) throws -> (descriptor: Int32, isNew: Bool) {
    let created = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0o666)
    if created >= 0 { return (created, true) }
    let found = errno == EEXIST ? open(path, O_RDWR | O_CLOEXEC) : -1
    guard found >= 0 else { throw SystemError("open", path) }
    return (found, false)
  }
}
