internal import GuardModel
internal import Glibc
internal import Platform

/// State files that could not be used, kept for whoever wants to know what happened.
extension StatePlace {
  /// Takes the file away with what belongs to it, so that a new one can begin: `state.db` becomes
  /// `state.db.unusable-20261121T220000.000Z`. The oldest kept so give way.
  ///
  /// The file itself goes last: a new one must never meet the write-ahead log of an old one, which SQLite would play into it.
  func moveAside() throws(SystemError) {
    let time = RFC3339.text(SystemClock.milliseconds).filter { $0 != "-" && $0 != ":" }
    let aside = file + Self.mark + time
    for suffix in Self.companions + [""] {
      remove(aside + suffix)
      guard rename(file + suffix, aside + suffix) == 0 || errno == ENOENT else {
        throw SystemError("move", file + suffix)
      }
    }
    for old in setAside.dropLast(Self.keptAside) {
      for suffix in Self.companions + [""] { remove(old + suffix) }
    }
    try Directory.sync(directory)
  }

  /// The paths of the files that were moved away, the oldest first.
  package var setAside: [String] {
    let name = file.dropFirst(directory.utf8.count + 1) + Self.mark
    let found = (try? Directory.names(in: directory)) ?? []
    return found.filter { $0.hasPrefix(name) && !Self.companions.contains(where: $0.hasSuffix) }
      .map { directory + "/" + $0 }.sorted()
  }

  private static let mark = ".unusable-"
  private static let keptAside = 4

  /// Takes away a file, or an empty directory.
  private func remove(_ path: String) {
    unlink(path)
    rmdir(path)
  }
}
