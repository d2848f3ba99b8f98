internal import Glibc
internal import PolicyFiles

/// Reading files for the command line.
enum FileBytes {
  /// A whole file.
  static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FileProblem) {
      return try SystemFiles().read(path, limit: limit)
    } catch {
      throw CommandFailure("cannot read `\(path.escapedForDisplay)`: \(error.words)")
    }
  }

  /// A file opened for reading in pieces; the caller closes it.
  static func open(_ path: String) throws(CommandFailure) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure("cannot read `\(path.escapedForDisplay)`: \(SystemWords.last)")
    }
    return descriptor
  }
}

extension FileProblem {
  /// In words, to stand behind a colon.
  var words: String {
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
