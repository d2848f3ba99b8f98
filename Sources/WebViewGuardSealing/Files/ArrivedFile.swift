internal import Bytes
internal import Glibc
internal import GuardModel
internal import Platform
internal import WebViewGuardClient

/// What became of a file that lay in its place already when its owner was asked for.
public enum ArrivedFile: Sendable, Hashable {
  /// It is nobody's: it stays as it is.
  case unmanaged
  /// It is labelled, and lies as its policy wants it, at this path.
  case stored(path: String, isSealed: Bool)
  /// There is no such file any more.
  case gone
  /// A program writes it, or changed it meanwhile: try again.
  case busy
}

/// Takes over a file that an engine wrote into its place by itself, as browsers do with downloads.
///
/// First the file that lies there is labelled, so that it is known wherever somebody moves it. Then a sealed one takes its
/// place, or one in the account's directory. Whoever is killed in between does it again: nothing is done twice.
///
/// Nothing but a regular file of this user is touched, and no link is followed at the end of the path. A file that changed,
/// was moved or replaced meanwhile stays as it is.
struct ArrivalDesk {
  let storage: FileStorage
  let path: String
  let account: String?
  /// Milliseconds since 1970: a file of which nothing changed since is another one.
  let since: Int64?

  nonisolated(nonsending) func take() async throws -> ArrivedFile {
    // The name of the directory may have links, the file may be none.
    let place = FileStorage.directory(ofEntry: path) + "/" + FileStorage.name(of: path)
    let source: OpenFile
    do throws(SystemError) { source = try OpenFile.reading(place, followsLink: false) } catch {
      if error.isAbsence || error.number == ENOTDIR { return .gone }
      if error.number == ELOOP { throw FileProtectionError(.encryptFailed, "it is a link") }
      throw error
    }
    guard let status = source.status, status.kind == .regular, status.isOwn else {
      throw FileProtectionError(.encryptFailed, "it is no file of this user")
    }
    if let since, status.changed / 1_000_000 < since { return .gone }
    if status.size > 0, case .sealed? = try ProtectionInfo(ofFile: place) {
      return .stored(path: place, isSealed: true)
    }
    guard !FileUse.isBeingWritten(source.descriptor) else { return .busy }
    return try await take(source, place)
  }

  private nonisolated(nonsending) func take(_ source: borrowing OpenFile, _ place: String) async throws -> ArrivedFile {
    let descriptor = source.descriptor
    let said = try await storage.owned(descriptor, by: account, at: place)
    guard said.owner.isManaged else { return .unmanaged }
    let hasLabel = said.label.map { LabelAttribute.set($0, of: descriptor) } ?? true
    if let own = try await ownDirectory(said.owner.account), !place.hasPrefix(own + "/") {
      return try await move(descriptor, place, to: own)
    }
    guard try await storage.mustSeal(said, hasLabel: hasLabel, in: FileStorage.directory(of: place)) else {
      return .stored(path: place, isSealed: false)
    }
    let file = try WholeFile(at: place, .replacing)
    guard file.old?.identity == FileStatus(descriptor: descriptor)?.identity else { return .busy }
    let stored = try await storage.begin(file, said, FileStorage.directory(of: place))
    return try await finish(stored, descriptor, place, place) ? .stored(path: place, isSealed: stored.isSealed) : .busy
  }

  /// The directory of the account, where its policy has one and it is open.
  private nonisolated(nonsending) func ownDirectory(_ account: String?) async throws -> String? {
    guard let account, try await storage.way(of: account).isDirectory else { return nil }
    return await storage.directory(of: account)
  }

  /// Takes it into another directory, under a name that is free there.
  private nonisolated(nonsending) func move(
    _ descriptor: Int32, _ place: String, to directory: String
  ) async throws -> ArrivedFile {
    let target = Self.freePath(GuardFiles.downloadName(FileStorage.name(of: place)), in: directory)
    let file = try WholeFile(at: target, .creating, mode: 0o600)
    let said = try await storage.owned(file.descriptor, by: account, at: target)
    let stored = try await storage.begin(file, said, directory)
    guard try await finish(stored, descriptor, place, target) else { return .busy }
    if FileIdentity(path: place) == FileStatus(descriptor: descriptor)?.identity { try DirectoryEntry.remove(place) }
    return .stored(path: target, isSealed: stored.isSealed)
  }

  /// Fills the new file, and lets it appear if the old one is still what was read, where it was. Else false.
  private nonisolated(nonsending) func finish(
    _ stored: StoredFile, _ descriptor: Int32, _ place: String, _ target: String
  ) async throws -> Bool {
    guard let before = FileStatus(descriptor: descriptor), lseek(descriptor, 0, SEEK_SET) == 0 else { return false }
    try await stored.copy(descriptor, named: place)
    guard FileStatus(descriptor: descriptor) == before, FileIdentity(path: place) == before.identity else {
      return false
    }
    do { try stored.commit() } catch let error as SystemError {
      guard error.number == EBUSY || error.number == EEXIST else { throw error }
      return false
    }
    return true
  }

  /// `plan.pdf`, else `plan (1).pdf`, and so on, as browsers name files.
  static func freePath(_ name: String, in directory: String) -> String {
    let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
    for number in 1... {
      let path = "\(directory)/\(name)"
      if number == 1, FileStatus(entry: path) == nil { return path }
      let numbered = "\(directory)/\(name[..<dot]) (\(number))\(name[dot...])"
      if FileStatus(entry: numbered) == nil { return numbered }
    }
    return "\(directory)/\(name)"
  }
}

extension FileStorage {
  /// The directory that an entry lies in, whatever the entry is: links count in the directory's name alone.
  static func directory(ofEntry path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "" }
    let directory = String(path[..<slash])
    return real(directory) ?? directory
  }
}
