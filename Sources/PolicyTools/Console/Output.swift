internal import Glibc
package import JSONText
internal import Platform
internal import PolicyFiles

/// Standard output, written in large pieces.
///
/// A writer flushes at the end, and before waiting for more input.
package final class Output {
  let isTerminal = isatty(STDOUT_FILENO) == 1
  package let style: Style
  private var bytes: [UInt8] = []

  /// Bytes that are gathered before a write.
  private static let capacity = 1 << 16

  package init() {
    style = Style(isColoured: isTerminal)
    bytes.reserveCapacity(2 * Self.capacity)
  }

  /// JSON layout for one value that a person asked for.
  package var layout: JSONWriter.Layout { isTerminal ? .indented : .compact }

  /// Text from data: as it is, except that nothing in it may steer a terminal, or pass for a line of its own. The same
  /// holds for a pipe: its reader shows the text to a person in the end.
  package func shown(_ text: String) -> String { text.escapedForDisplay }

  /// A line of JSON, in which nothing steers a terminal either.
  package func json(_ text: String) throws(CommandFailure) { try line(text.escapedAsJSON) }

  /// JSON without a newline.
  package func append(json text: borrowing Span<UInt8>) {
    var others = false
    for index in text.indices where text[index] >= 0x7F { others = true }
    guard others else { return append(text) }
    append(text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self).escapedAsJSON })
  }

  package func line(_ text: String) throws(CommandFailure) {
    bytes.append(contentsOf: text.utf8)
    try endLine()
  }

  /// Appends bytes without a newline. Text from data goes through `shown` first.
  package func append(_ text: borrowing Span<UInt8>) {
    text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  package func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  package func append(_ byte: UInt8) { bytes.append(byte) }

  package func endLine() throws(CommandFailure) {
    bytes.append(UInt8(ascii: "\n"))
    if bytes.count >= Self.capacity { try flush() }
  }

  /// Hands over everything that was gathered.
  package func flush() throws(CommandFailure) {
    guard Stream.write(bytes.span, to: STDOUT_FILENO) else {
      throw CommandFailure("cannot write the results: \(SystemWords.last)")
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
