internal import Glibc
internal import Platform

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

/// The files of the machine.
package struct SystemFiles: FileSource {
  package init() {}

  package func entries(of directory: String) throws(FileProblem) -> [FileEntry] {
    try Self.reading { () throws(SystemError) in try Directory.names(in: directory) }
      .map { FileEntry(name: $0, kind: kind(of: directory + "/" + $0) ?? .other) }
  }

  package func kind(of path: String) -> FileEntry.Kind? {
    switch FileStatus(path)?.kind {
    case nil: nil
    case .regular: .regular
    case .directory: .directory
    default: .other
    }
  }

  package func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    let file = try Self.reading { () throws(SystemError) in try OpenFile.reading(path) }
    _ = try Self.facts(file)
    let bytes = try Self.reading { () throws(SystemError) in try file.bytes(maximum: limit < .max ? limit + 1 : limit) }
    guard bytes.count <= limit else { throw .tooLarge }
    return bytes
  }

  package var workingDirectory: String { Directory.working }

  /// Bytes of a piece; all but the last have as many.
  private static let pieceSize = 128 << 10

  package func stream(
    _ path: String, below root: String, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(FileProblem) -> FileFacts {
    // The place behind all links is opened, and not the path: a link that is changed now leads nowhere new.
    let place = try Self.resolved(path)
    let directory = try Self.resolved(root.isEmpty ? "." : root)
    guard place.hasPrefix(directory == "/" ? "/" : directory + "/") else { throw .outside }
    let file = try Self.reading { () throws(SystemError) in try OpenFile.reading(place, followsLink: false) }
    let before = try Self.facts(file)
    guard before.size <= limit else { throw .tooLarge }
    let size = try Self.reading { () throws(SystemError) in try Self.readPieces(file, limit: limit, take) }
    if let size {
      guard size <= limit else { throw .tooLarge }
      let after = try Self.facts(file)
      guard before.size == size, after.size == size, after.modified == before.modified else { throw .changed }
    }
    return FileFacts(size: before.size, modified: before.modifiedSeconds)
  }

  private static func facts(_ file: borrowing OpenFile) throws(FileProblem) -> FileStatus {
    guard let status = file.status else { throw .last }
    guard status.kind == .regular else { throw .notARegularFile }
    return status
  }

  /// Returns how many bytes there were, or that they were more than `limit`; nil when `take` had enough.
  private static func readPieces(
    _ file: borrowing OpenFile, limit: Int, _ take: (Span<UInt8>) -> Bool
  ) throws(SystemError) -> Int? {
    var piece = [UInt8](repeating: 0, count: pieceSize)
    var total = 0
    while true {
      let count = try file.read(into: &piece)
      total += count
      if count == 0 || total > limit { return total }
      guard take(piece.span.extracting(0..<count)) else { return nil }
    }
  }

  private static func resolved(_ path: String) throws(FileProblem) -> String {
    guard let place = realpath(path, nil) else { throw .last }
    defer { free(place) }
    return String(cString: place)
  }

  private static func reading<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(FileProblem) -> Result {
    do throws(SystemError) { return try body() } catch { throw FileProblem(error) }
  }
}

extension FileProblem {
  fileprivate init(_ error: SystemError) {
    self = error.number == ENOENT ? .missing : .system(error.words)
  }

  /// The problem that `errno` names.
  fileprivate static var last: FileProblem { FileProblem(SystemError("read", "")) }
}
