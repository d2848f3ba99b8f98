internal import Glibc
internal import Platform

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
