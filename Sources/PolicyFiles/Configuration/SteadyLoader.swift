internal import Glibc
internal import Platform
internal import Synchronization

/// Loads a configuration as it was at one moment, even while it is being written.
///
///     SteadyLoader(roots: ["/etc/webviewguard"]).load()
///
/// Files that changed within the last twentieth of a second count as still being written; the loader waits for them. It
/// reads files again that changed while it read them. If the changes never end, the load fails, and no policy comes of
/// it. Many files that must change as one are best replaced as one: by a new directory that takes the old one's name.
package struct SteadyLoader: Sendable {
  private let roots: [String]
  private let names: any NameResolver
  private let patience: Int64

  /// Nanoseconds for which nothing may have changed: many ticks of the clock that file systems use.
  private static let rest: Int64 = 50_000_000

  /// - Parameter patience: how long moving files are waited for, in milliseconds.
  package init(roots: [String], resolver: any NameResolver = SystemNames(), patience: Int = 5_000) {
    self.roots = roots
    self.names = resolver
    self.patience = Int64(patience) * 1_000_000
  }

  package func load() -> LoadResult {
    let end = SystemClock.monotonic + patience
    while true {
      waitForRest(until: end)
      let files = WitnessedFiles()
      let start = SystemClock.wall
      let result = ConfigurationLoader(roots: roots, files: files, resolver: names).load()
      guard let moved = firstMoved(files, since: start, of: result) else { return result }
      guard SystemClock.monotonic < end else { return refused(result, moved) }
      // Also where a clock that was set makes every change look old.
      Self.pause(Self.rest)
    }
  }

  /// The first path that changed; nil when none did.
  ///
  /// While ext4 truncates a file it shows no bytes and still the old times, so the empty file looks unchanged. An empty
  /// file is an error; errors are therefore believed only when nothing has changed one `rest` later either.
  private func firstMoved(_ files: WitnessedFiles, since start: Int64, of result: LoadResult) -> String? {
    let moved = { files.firstMoved(since: start - Self.rest, now: SystemClock.wall) }
    if let path = moved() { return path }
    guard result.diagnostics.hasErrors else { return nil }
    Self.pause(Self.rest)
    return moved()
  }

  /// Waits until no file that a person writes has changed for a while. Lists are left out: fetching one may take long,
  /// and a change of it shows after it has been read.
  private func waitForRest(until end: Int64) {
    while SystemClock.monotonic < end {
      let files = WitnessedFiles()
      var listing = ConfigurationListing(source: files)
      var ignored = Diagnostics()
      for root in roots { listing.add(root, isLast: false, into: &ignored) }
      for place in listing.places.values { files.look(at: place.path) }
      let now = SystemClock.wall
      let age = now - files.lastChange(before: now)
      guard age < Self.rest else { return }
      Self.pause(Self.rest - age)
    }
  }

  private func refused(_ result: LoadResult, _ path: String) -> LoadResult {
    var refused = result
    refused.policy = nil
    // The other diagnostics are about half-written files.
    refused.diagnostics = Diagnostics()
    refused.diagnostics.error(
      .moving, at: SourceLocation(file: path),
      "it was written again and again while the configuration was read, for \(patience / 1_000_000) ms",
      hint: "load again when it stands still; to replace many files as one, rename a new directory into place")
    return refused
  }

  private static func pause(_ nanoseconds: Int64) {
    var time = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
    nanosleep(&time, nil)
  }
}

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

  /// The last change of any path that was looked at, ignoring future times that a changed clock left; in nanoseconds
  /// since 1970.
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

/// The file system's data on one path; any change of the file, of a directory or of a link on the way shows in it.
///
///     let before = PathStamp(path)
///     …                              // a program renames another file to this name
///     PathStamp(path) == before      // false
struct PathStamp: Sendable, Hashable {
  /// The path itself, even where it is a link; nil when nothing is there.
  private let link: FileStatus?
  /// Its target.
  private let target: FileStatus?

  /// Stamps the path as it is now.
  init(_ path: String) {
    link = FileStatus(entry: path)
    target = FileStatus(path)
  }

  /// The last change of any part of it, in nanoseconds since 1970; 0 when nothing is there.
  ///
  /// The time of the change of the inode, which no program can set: a file that is renamed to an old name has a new one.
  var changed: Int64 { max(link?.changed ?? 0, target?.changed ?? 0) }
}
