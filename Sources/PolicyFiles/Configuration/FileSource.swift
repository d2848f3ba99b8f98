/// A source of files: the file system, or a tree in memory.
///
///     let files: any FileSource = SystemFiles()
///     try files.entries(of: "Rules/policy.d")                  // [FileEntry(name: "apps.yaml", kind: .regular)]
///     try files.read("Rules/policy.d/apps.yaml", limit: 4096)  // its bytes
///
/// Symbolic links are followed, wherever they lead: a user who may write into the directory may write its files too.
package protocol FileSource: Sendable {
  /// The entries of a directory, in any order, without `.` and `..`.
  func entries(of directory: String) throws(FileProblem) -> [FileEntry]

  /// The kind of `path`; nil when there is nothing.
  func kind(of path: String) -> FileEntry.Kind?

  /// The bytes of a regular file; a file of more than `limit` bytes is a problem, and so is anything but a file.
  func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8]

  /// Hands the bytes of a regular file to `take`, piece by piece, until there are no more or it returns false.
  ///
  /// The first piece has at least two bytes, if the file has. A link that leads out of the directory `root` is a
  /// problem: the file is written by others than the rules, and bad lines of it are shown. A file that is written while
  /// it is read is a problem too, and so is one of more than `limit` bytes.
  func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts

  /// The base of relative paths.
  var workingDirectory: String { get }
}

/// One name in a directory.
package struct FileEntry: Sendable, Hashable {
  /// The kind of a name's target, after symbolic links.
  package enum Kind: Sendable, Hashable {
    case regular
    case directory
    /// A device, a pipe, a socket, or a link to nothing.
    case other
  }

  package var name: String
  package var kind: Kind

  package init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// Facts about a file beside its bytes.
package struct FileFacts: Sendable, Hashable {
  /// In bytes.
  package var size: Int
  /// When it was last written, in seconds since 1970; nil when the source keeps no times.
  package var modified: Int64?

  package init(size: Int, modified: Int64? = nil) {
    self.size = size
    self.modified = modified
  }
}

extension FileSource {
  /// For sources that hold whole files: one piece, and no links.
  package func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts {
    let bytes = try read(path, limit: limit)
    if !bytes.isEmpty { _ = take(bytes.span) }
    return FileFacts(size: bytes.count)
  }
}

/// Why a file or a directory could not be read.
package enum FileProblem: Error, Sendable, Hashable {
  case missing
  case tooLarge
  case notARegularFile
  /// A link that leads out of the directory that it must stay in.
  case outside
  /// It was written while it was read.
  case changed
  /// The system's own words, such as "Permission denied".
  case system(String)
}

extension Diagnostics {
  /// Reports why the file `path` was not read.
  mutating func add(_ problem: FileProblem, reading path: String, limit: Int) {
    let start = SourceLocation(file: path)
    switch problem {
    case .missing: error(.unreadableFile, at: start, "file does not exist")
    case .tooLarge: error(.fileTooLarge, at: start, "file has more than the \(limit) bytes allowed")
    case .notARegularFile:
      error(.notARegularFile, at: start, "not a regular file", hint: "put a file here, or a link to one, or remove it")
    case .outside:
      error(
        .unreadableFile, at: start, "the link leads out of the directory `rules`",
        hint: "put the file itself here, or link the whole directory")
    case .changed:
      error(
        .unreadableFile, at: start, "the file was written while it was read",
        hint: "write to another name and rename it to this one, then load again")
    case .system(let words): error(.unreadableFile, at: start, "file cannot be read: \(words)")
    }
  }
}
