/// Where files come from: the file system, or a tree in memory.
///
///     let files: any FileSource = SystemFiles()
///     try files.entries(of: "Rules/policy.d")                  // [FileEntry(name: "apps.yaml", kind: .regular)]
///     try files.read("Rules/policy.d/apps.yaml", limit: 4096)  // its bytes
///
/// Symbolic links are followed, wherever they lead: who may write into the directory may write its files as well.
package protocol FileSource: Sendable {
  /// What stands in a directory, in any order, without `.` and `..`.
  func entries(of directory: String) throws(FileProblem) -> [FileEntry]

  /// What `path` is; nil when there is nothing.
  func kind(of path: String) -> FileEntry.Kind?

  /// The bytes of a regular file; a file of more than `limit` bytes is a problem, and so is anything but a file.
  func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8]

  /// The directory that relative paths begin at.
  var workingDirectory: String { get }
}

/// One name in a directory.
package struct FileEntry: Sendable, Hashable {
  /// What a name stands for, after symbolic links.
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

/// Why a file or a directory could not be read.
package enum FileProblem: Error, Sendable, Hashable {
  case missing
  case tooLarge
  case notARegularFile
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
    case .system(let words): error(.unreadableFile, at: start, "file cannot be read: \(words)")
    }
  }
}
