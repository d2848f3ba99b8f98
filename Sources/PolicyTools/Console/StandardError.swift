internal import Glibc

/// Where everything goes that is no result.
package enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// How messages look there.
  package static let style = Style(isColoured: isTerminal)

  /// Writes the text as it is. What cannot be written is lost: there is nowhere left to say so.
  package static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes a line.
  package static func say(_ line: String) { write(line + "\n") }
}
