internal import Glibc

/// The system's own words for what went wrong.
package enum SystemWords {
  /// What `errno` says, such as "No such file or directory".
  package static var last: String { text(errno) }

  static func text(_ number: Int32) -> String {
    guard let words = strerror(number) else { return "error \(number)" }
    return String(cString: words)
  }
}
