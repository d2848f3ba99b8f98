internal import Glibc
internal import Platform

/// The output for everything that is no result.
package enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Style of messages there.
  package static let style = Style(isColoured: isTerminal)

  /// Writes the text as it is. Text that cannot be written is lost: there is nowhere left to say so.
  package static func write(_ text: String) {
    _ = Stream.write(Array(text.utf8).span, to: STDERR_FILENO)
  }

  /// Writes a line.
  package static func say(_ line: String) { write(line + "\n") }
}
