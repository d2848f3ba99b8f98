/// Why an entry was not removed.
package enum KeptReason: String, Sendable, Hashable, CaseIterable {
  /// It belongs to another user, or is a directory of another user.
  case otherOwner
  /// A file system or a bind mount begins there.
  case otherFileSystem
  /// It, or a directory that it lies in, may not be changed, not even by its owner.
  case immutable
  /// The system does not allow it.
  case denied
  case readOnly
  /// Directories lie in each other more deeply than this program goes.
  case tooDeep
  /// There are more entries than this program looks at, as when somebody makes them faster than they go.
  case tooMany
  /// A program put entries into a directory while it was emptied, again and again.
  case filledAgain
  /// A program moved directories while they were emptied, again and again.
  case moved
  /// Another error of the system.
  case failed

  /// Words for people, to stand behind a number.
  package var words: String {
    switch self {
    case .otherOwner: "of another user"
    case .otherFileSystem: "on another file system"
    case .immutable: "that are immutable"
    case .denied: "that the system does not let go"
    case .readOnly: "on a read-only file system"
    case .tooDeep: "below too many directories"
    case .tooMany: "behind too many others"
    case .filledAgain: "in directories that were filled again"
    case .moved: "in directories that were moved meanwhile"
    case .failed: "that the system failed to remove"
    }
  }
}

/// Counts of a removal.
package struct RemovalTally: Sendable, Hashable {
  /// Entries that are gone: files, links, sockets, pipes, devices and directories.
  package var removed = 0
  /// Entries that stayed, by reason. Directories that stayed only since something in them stayed are not counted.
  package var kept: [KeptReason: Int] = [:]
  /// Removed names of files that have other names, in this directory or elsewhere: the file is still there.
  package var linked = 0

  package init() {}

  package var keptInAll: Int { kept.values.reduce(0, +) }

  mutating func keep(_ reason: KeptReason) { kept[reason, default: 0] += 1 }
}

/// Maximum entries that a removal looks at. Entries beyond it stay, and are reported.
package struct RemovalLimits: Sendable, Hashable {
  /// Directories in each other. Each takes less than 400 bytes of memory.
  package var depth = 16_384
  /// Entries that are looked at, in all rounds together.
  package var entries = 20_000_000
  /// Times that a directory is gone through from the start, since something changed meanwhile.
  package var rounds = 8

  package init() {}
}
