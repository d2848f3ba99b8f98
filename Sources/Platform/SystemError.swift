internal import Glibc

/// A system call that failed, with its path.
///
///     SystemError("open", "/etc/shadow").description    // cannot open `/etc/shadow`: Permission denied
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  package var call: String
  package var path: String
  /// An `errno`.
  package var number: Int32

  /// The error that `errno` names, unless another is given.
  package init(_ call: String, _ path: String, _ number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  package var description: String { "cannot \(call) `\(path)`: \(words)" }

  package var words: String { SystemWords.text(number) }
}

/// The system's own words for an error.
package enum SystemWords {
  /// Those for `errno`, such as "No such file or directory".
  package static var last: String { text(errno) }

  package static func text(_ number: Int32) -> String {
    guard let words = strerror(number) else { return "error \(number)" }
    return String(cString: words)
  }
}
