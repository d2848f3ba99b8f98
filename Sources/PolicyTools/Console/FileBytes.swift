internal import Glibc
package import PolicyFiles

/// Reading and writing files for the command line.
package enum FileBytes {
  /// A whole file.
  package static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FileProblem) {
      return try SystemFiles().read(path, limit: limit)
    } catch {
      throw CommandFailure("cannot read `\(path.escapedForDisplay)`: \(error.words)")
    }
  }

  /// A file opened for reading in pieces; the caller closes it.
  package static func open(_ path: String) throws(CommandFailure) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot read `\(path.escapedForDisplay)`: \(SystemWords.last)")
    }
    return descriptor
  }

  /// Writes a whole file, in place of what it held.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot make `\(path.escapedForDisplay)`: \(SystemWords.last)")
    }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw CommandFailure("cannot write `\(path.escapedForDisplay)`: \(SystemWords.last)")
      }
      written += count
    }
  }
}

extension FileProblem {
  /// In words, to stand behind a colon.
  package var words: String {
    switch self {
    case .missing: "it does not exist"
    case .tooLarge: "it is too large"
    case .notARegularFile: "it is no regular file"
    case .outside: "it lies elsewhere"
    case .changed: "it changed meanwhile"
    case .system(let words): words
    }
  }
}
