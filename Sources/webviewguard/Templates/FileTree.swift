internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// Copying a directory of small files.
enum FileTree {
  /// The largest file of a template, in bytes.
  private static let maximumFile = 64 << 20
  /// How deep a template may be; a link to a directory above would else go on forever.
  private static let maximumDepth = 16

  /// Throws when the directory exists and holds something.
  static func requireFree(_ directory: String) throws(CommandFailure) {
    let shown = directory.escapedForDisplay
    switch SystemFiles().kind(of: directory) {
    case nil: return
    case .directory: break
    default: throw CommandFailure("`\(shown)` exists and is no directory")
    }
    guard try list(directory).isEmpty else {
      throw CommandFailure("`\(shown)` is not empty; nothing was copied")
    }
  }

  /// Copies a directory; of its own entries only the named ones, when any are named.
  static func copy(_ source: String, to target: String, entries: [String]? = nil) throws(CommandFailure) {
    try copy(source, to: target, entries: entries, depth: 0)
  }

  private static func copy(
    _ source: String, to target: String, entries: [String]?, depth: Int
  ) throws(CommandFailure) {
    guard depth < maximumDepth else { throw CommandFailure("the template is nested too deep") }
    guard mkdir(target, 0o755) == 0 || errno == EEXIST else {
      throw CommandFailure("make", target)
    }
    for entry in try list(source) where entries?.contains(entry.name) ?? true {
      let (from, to) = (source + "/" + entry.name, target + "/" + entry.name)
      switch entry.kind {
      case .directory: try copy(from, to: to, entries: nil, depth: depth + 1)
      case .regular: try copyFile(from, to: to)
      case .other: break
      }
    }
  }

  private static func copyFile(_ source: String, to target: String) throws(CommandFailure) {
    let bytes = try FileBytes.read(source, limit: maximumFile)
    do throws(SystemError) {
      try OpenFile.creating(target, mode: 0o644).write(bytes.span)
    } catch {
      throw CommandFailure(error.call == "open" ? "make" : error.call, target, error.words)
    }
  }

  private static func list(_ directory: String) throws(CommandFailure) -> [FileEntry] {
    do throws(FileProblem) {
      return try SystemFiles().entries(of: directory)
    } catch {
      throw CommandFailure("read", directory, error.words)
    }
  }
}
