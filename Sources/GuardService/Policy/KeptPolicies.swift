internal import Glibc
internal import Platform
package import PolicyFiles

/// The policies that were in force last, as files below the state directory: for a start with a bad configuration on
/// disk, and for rollbacks.
///
///     let kept = KeptPolicies(stateDirectory: "/var/lib/webviewguard")
///     kept.entries.first           // the last good one
///     try kept.load(entry)         // its policy, compiled anew
///
/// They are believed as little as the configuration on disk: only the daemon's user and root may have written them, and
/// their digest must be the one in their name.
package struct KeptPolicies: Sendable {
  private let stateDirectory: String
  private var directory: String { stateDirectory + "/policy" }

  /// Number of policies that are kept.
  static let count = 3
  /// Most bytes of one of them, lists included.
  static let maximumBytes = 256 << 20

  package init(stateDirectory: String) { self.stateDirectory = stateDirectory }

  /// The newest first.
  package var entries: [KeptPolicy] {
    let names = (try? Directory.names(in: directory)) ?? []
    return names.compactMap(KeptPolicy.init).sorted { $0.since > $1.since }
  }

  package func path(_ entry: KeptPolicy) -> String { directory + "/" + entry.name }

  // MARK: Reading

  /// Compiles a kept policy. Throws when it cannot be trusted.
  package func load(_ entry: KeptPolicy) throws(KeepError) -> LoadResult {
    for path in [stateDirectory, directory] {
      if let doubt = FileTrust.doubt(ofDirectory: path) { throw .notTrusted(doubt) }
    }
    if let doubt = FileTrust.doubt(ofTree: path(entry)) { throw .notTrusted(doubt) }
    let result = SteadyLoader(roots: [path(entry)]).load()
    guard result.digest == entry.digest else {
      throw .notTrusted("`\(path(entry))` holds another policy than its name says")
    }
    guard result.policy != nil else {
      let first = (result.diagnostics.firstError ?? result.diagnostics.sorted.first)?.description ?? "it is empty"
      throw .notTrusted("the policy in `\(path(entry))` cannot be loaded any more: \(first)")
    }
    return result
  }

  /// Moves an unusable one aside for inspection; the one moved aside before gives way.
  package func setAside(_ entry: KeptPolicy) {
    let aside = directory + "/unusable"
    FileTree.remove(aside)
    rename(path(entry), aside)
  }

  // MARK: Writing

  /// Keeps a policy as the newest, and lets go of the oldest. When it is kept already, nothing is written.
  ///
  /// Written beside, brought to the disk, and only then given its name: after a crash the whole is there or none of it.
  package func keep(_ result: LoadResult, at time: UInt64, sparing spared: Set<String>) throws(KeepError) {
    let entries = entries
    if entries.first?.digest == result.digest { return }
    guard result.content.size <= Self.maximumBytes else { throw .tooLarge(bytes: result.content.size) }
    let entry = KeptPolicy(since: max(time, (entries.first?.since ?? 0) + 1), digest: result.digest)
    do throws(SystemError) {
      try Directory.make(directory)
    } catch {
      throw .system(error)
    }
    if let doubt = FileTrust.doubt(ofDirectory: directory) { throw .notTrusted(doubt) }
    if let known = entries.first(where: { $0.digest == result.digest }), FileTrust.doubt(ofTree: path(known)) == nil {
      try give(path(known), the: entry)
    } else {
      try write(result.content, as: entry)
    }
    prune(sparing: spared.union([entry.digest]))
  }

  private func write(_ content: ConfigurationContent, as entry: KeptPolicy) throws(KeepError) {
    let beside = directory + "/.new"
    FileTree.remove(beside)
    let tree = FileTree(beside)
    do throws(KeepError) {
      // Made even for a configuration without a single file, as it is after the installation.
      try tree.makeRoot()
      for file in content.files { try tree.write(file.name) { take throws(KeepError) in _ = take(file.bytes.span) } }
      for list in content.lists { try tree.write(list) }
      try tree.synchronize()
    } catch {
      FileTree.remove(beside)
      throw error
    }
    try give(beside, the: entry)
  }

  private func give(_ path: String, the entry: KeptPolicy) throws(KeepError) {
    guard rename(path, self.path(entry)) == 0 else { throw .system(SystemError("rename", path)) }
    do throws(SystemError) { try Directory.sync(directory) } catch { throw .system(error) }
  }

  /// Removes all but the newest and those that are still needed.
  private func prune(sparing spared: Set<String>) {
    for entry in entries.dropFirst(Self.count) where !spared.contains(entry.digest) { FileTree.remove(path(entry)) }
  }

  // MARK: The mark of a rollback

  private var markFile: String { directory + "/rolled-back" }

  /// The mark of a rollback; nil when none holds.
  package var mark: RollbackMark? {
    guard FileTrust.doubt(ofTree: markFile) == nil else { return nil }
    return SmallFile.text(at: markFile, maximum: RollbackMark.maximumBytes).flatMap(RollbackMark.init)
  }

  /// Writes the mark down, or takes it away; returns when it is on the disk.
  package func setMark(_ mark: RollbackMark?) throws(KeepError) {
    do throws(SystemError) {
      if let mark {
        try SmallFile.replace(markFile, with: Array(mark.text.utf8), mode: 0o600, synced: true)
        return
      }
      guard unlink(markFile) == 0 else {
        if errno == ENOENT || errno == ENOTDIR { return }
        throw SystemError("remove", markFile)
      }
      try Directory.sync(directory)
    } catch {
      throw .system(error)
    }
  }
}

/// Whether files can only have been written by this user or by root.
enum FileTrust {
  /// Why a directory is not to be trusted; nil when it is.
  static func doubt(ofDirectory path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return "`\(path)` cannot be looked at" }
    guard status.kind == .directory else { return "`\(path)` is not a directory" }
    return doubt(status, path)
  }

  /// The same of a file, or of a directory with everything below it. Links are never trusted.
  static func doubt(ofTree path: String) -> String? {
    guard let status = FileStatus(entry: path) else { return "`\(path)` cannot be looked at" }
    if let doubt = doubt(status, path) { return doubt }
    switch status.kind {
    case .regular: return status.names == 1 ? nil : "`\(path)` has a second name"
    case .directory:
      guard let names = try? Directory.names(in: path) else { return "`\(path)` cannot be read" }
      return names.lazy.compactMap { doubt(ofTree: path + "/" + $0) }.first
    default: return "`\(path)` is neither a file nor a directory"
    }
  }

  private static func doubt(_ status: FileStatus, _ path: String) -> String? {
    PlaceCheck().finding(at: path, status).map { "`\($0.path)` \($0.problem)" }
  }
}

/// A directory that is written as a whole, and brought to the disk before anybody relies on it.
struct FileTree {
  private let root: String

  init(_ root: String) { self.root = root }

  /// Makes the directory that all the others lie in.
  func makeRoot() throws(KeepError) {
    do throws(SystemError) { try Directory.make(root) } catch { throw .system(error) }
  }

  /// Writes a file below the root, with the directories on its way; `fill` hands its bytes over.
  func write(_ name: String, modified: Int64? = nil, fill: ((Span<UInt8>) -> Bool) throws(KeepError) -> Void)
    throws(KeepError)
  {
    let path = root + "/" + name
    let file = try Self.create(path)
    var failure: SystemError?
    try fill { piece in
      do throws(SystemError) {
        try file.write(piece)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let modified { Self.setModified(file.descriptor, modified) }
    if failure == nil, fsync(file.descriptor) != 0 { failure = SystemError("write", path) }
    if let failure { throw .system(failure) }
  }

  /// Copies a list, with the time at which it was last changed.
  func write(_ list: ListFile) throws(KeepError) {
    try write(list.nameBelowRoot, modified: list.modified) { take throws(KeepError) in
      do throws(FileProblem) {
        // A full disk ends the copy early; `write` says so.
        var isFull = false
        try list.stream { piece in
          if !isFull { isFull = !take(piece) }
          return true
        }
      } catch {
        throw .changed(list.path)
      }
    }
  }

  /// Brings the names to the disk, those of the deepest directories first.
  func synchronize() throws(KeepError) {
    do throws(SystemError) { try Self.synchronizeAll(root) } catch { throw .system(error) }
  }

  private static func create(_ path: String) throws(KeepError) -> OpenFile {
    do throws(SystemError) {
      if let slash = path.lastIndex(of: "/") { try Directory.make(String(path[..<slash])) }
      return try OpenFile.creating(path)
    } catch {
      throw .system(error)
    }
  }

  private static func setModified(_ descriptor: Int32, _ seconds: Int64) {
    let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
    futimens(descriptor, [time, time])
  }

  private static func synchronizeAll(_ path: String) throws(SystemError) {
    for name in (try? Directory.names(in: path)) ?? []
    where FileStatus(entry: path + "/" + name)?.kind == .directory { try synchronizeAll(path + "/" + name) }
    try Directory.sync(path)
  }

  /// Removes a file, or a directory with everything below it. Links are removed, and never followed.
  static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in (try? Directory.names(in: path)) ?? [] { remove(path + "/" + name) }
    rmdir(path)
  }
}
