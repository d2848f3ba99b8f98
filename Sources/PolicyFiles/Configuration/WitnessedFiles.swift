internal import Synchronization

/// The files of the machine, with a memory of everything that was looked at: it tells afterwards whether all of it was
/// there at one moment.
///
///     let files = WitnessedFiles()
///     let result = ConfigurationLoader(roots: roots, files: files).load()
///     files.firstMoved(since: start)    // nil: nothing moved while it was read
///
/// A path is stamped before it is looked at, so that a change between the stamp and the look shows as well.
///
/// The attack, or the accident, it withstands: rules of one version read together with the policy of another, of which
/// each file is right for itself.
struct WitnessedFiles: FileSource {
  private let base = SystemFiles()
  private let memory = Memory()

  private final class Memory: Sendable {
    let stamps = Mutex<[String: PathStamp]>([:])
  }

  func entries(of directory: String) throws(FileProblem) -> [FileEntry] {
    look(at: directory)
    return try base.entries(of: directory)
  }

  func kind(of path: String) -> FileEntry.Kind? {
    look(at: path)
    return base.kind(of: path)
  }

  func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    look(at: path)
    return try base.read(path, limit: limit)
  }

  func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts {
    look(at: path)
    return try base.stream(path, below: root, limit: limit, take)
  }

  var workingDirectory: String { base.workingDirectory }

  /// Remembers how a path is at the first look.
  func look(at path: String) {
    memory.stamps.withLock { stamps in
      if stamps[path] == nil { stamps[path] = PathStamp(path) }
    }
  }

  /// When anything that was looked at changed last, not counting what a clock that was set calls the future; in
  /// nanoseconds since 1970.
  func lastChange(before now: Int64) -> Int64 {
    memory.stamps.withLock { stamps in stamps.values.lazy.map(\.changed).filter { $0 <= now }.max() ?? 0 }
  }

  /// The first path, by name, that is not as it was at the first look, or that changed so late that one more change in the
  /// same tick of the file system's clock would not show; nil when all of it stood still.
  ///
  /// - Parameter start: nanoseconds since 1970.
  func firstMoved(since start: Int64, now: Int64) -> String? {
    memory.stamps.withLock { stamps in
      stamps.lazy.filter { path, stamp in
        (stamp.changed >= start && stamp.changed <= now) || PathStamp(path) != stamp
      }.map(\.key).min()
    }
  }
}
