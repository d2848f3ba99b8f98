package import Platform
package import PolicyFiles

/// Reading and writing files for the command line.
package enum FileBytes {
  /// A whole file.
  package static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FileProblem) {
      return try SystemFiles().read(path, limit: limit)
    } catch {
      throw CommandFailure("read", path, error.words)
    }
  }

  /// A file opened for reading in pieces.
  package static func open(_ path: String) throws(CommandFailure) -> OpenFile {
    do throws(SystemError) { return try OpenFile.streaming(path) } catch {
      throw CommandFailure("read", path, error.words)
    }
  }

  /// Writes a whole file, in place of its old content.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do throws(SystemError) {
      try OpenFile.overwriting(path, mode: 0o644).write(bytes.span)
    } catch {
      throw CommandFailure(error.call == "open" ? "make" : error.call, path, error.words)
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
