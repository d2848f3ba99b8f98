internal import CEncryption
internal import Glibc
internal import Platform

/// Which ways of keeping directories this machine has, for `doctor` and for messages.
package enum DirectoryWays {
  package enum Answer: Sendable, Hashable {
    case able
    /// What is missing, and what to do.
    case unable(hint: String)
  }

  /// Whether directories below that one can be kept in this way. Nothing is changed.
  package static func answer(_ way: DirectoryWay, below path: String) -> Answer {
    switch way {
    case .fscrypt: fscrypt(nearest(path))
    case .gocryptfs: gocryptfs
    }
  }

  private static func fscrypt(_ path: String) -> Answer {
    guard let directory = try? Descriptor(path) else { return .unable(hint: "`\(path)` cannot be opened") }
    do throws(DirectoryFault) {
      _ = try directory.identifier()
      return .able
    } catch {
      guard case .unable(_, let hint) = error else { return .unable(hint: error.description) }
      return .unable(hint: hint)
    }
  }

  private static var gocryptfs: Answer {
    guard Programs.path(of: "gocryptfs") != nil else { return .unable(hint: gocryptfsHint) }
    guard FileStatus("/dev/fuse") != nil else {
      return .unable(hint: "there is no `/dev/fuse`: load the module `fuse`")
    }
    return .able
  }

  static let gocryptfsHint = "install the package `gocryptfs`"

  static func fscryptHint(_ path: String) -> String {
    "the file system of `\(path)` does not encrypt: `tune2fs -O encrypt DEVICE` lets an ext4 one do so"
  }

  /// The path, or the nearest directory above it that exists.
  private static func nearest(_ path: String) -> String {
    var path = path
    while FileStatus(path) == nil, let slash = path.lastIndex(of: "/"), path.count > 1 {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    return path
  }
}

/// Programs along `PATH`.
enum Programs {
  static func path(of name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
