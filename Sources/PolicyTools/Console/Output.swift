internal import Glibc
package import JSONText
internal import Platform
package import PolicyFiles

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

/// Format of printed results.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// For programs: one JSON object a line.
  case json
}

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

/// Colours, for terminals only.
///
///     Style(isColoured: true).bad("block")    // the word in red; the word alone where no colour is wanted
package struct Style: Sendable, Hashable {
  private let isColoured: Bool

  /// No colours either when `NO_COLOR` is set (no-color.org), or when the terminal says that it is a dumb one.
  init(isColoured: Bool) {
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    self.isColoured = isColoured && !isUnwanted && !isDumb
  }

  package func bad(_ text: String) -> String { coloured(text, "31") }
  package func good(_ text: String) -> String { coloured(text, "32") }
  package func doubtful(_ text: String) -> String { coloured(text, "33") }
  func heading(_ text: String) -> String { coloured(text, "1") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Rows of text in columns that line up.
///
///     TextTable(["CLASS", "POLICY"], [["documents", "currentIdentity"]]).lines
package struct TextTable {
  private let rows: [[String]]

  package init(_ header: [String], _ rows: [[String]]) { self.rows = [header] + rows }

  package init(_ rows: [[String]]) { self.rows = rows }

  /// One line a row, two spaces between columns and none at the end.
  package var lines: [String] {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return cells.joined(separator: "  ")
    }
  }
}

/// Says on a terminal how far work has come that takes more than a second; nothing elsewhere.
struct Progress {
  private let unit: String
  private var count = 0
  private var next = Self.now + 1
  private var isShown = false

  /// The clock is looked at once in so many steps.
  private static let stride = 8_192

  init(_ unit: String) { self.unit = unit }

  mutating func advance() {
    count += 1
    guard count % Self.stride == 0, StandardError.isTerminal, Self.now >= next else { return }
    next = Self.now + 1
    isShown = true
    StandardError.write("\r\(count) \(unit)")
  }

  /// Takes the line away again.
  mutating func finish() {
    if isShown { StandardError.write("\r\u{1B}[K") }
    isShown = false
  }

  /// Seconds by a clock that never runs backwards.
  private static var now: Int { Int(SystemClock.monotonic / 1_000_000_000) }
}

/// Prints a loader's findings on standard error, with colours on a terminal.
package enum DiagnosticPrinter {
  /// Errors and warnings. Information is left to `check`, which prints on standard output.
  package static func print(_ diagnostics: Diagnostics) {
    for diagnostic in diagnostics.sorted where diagnostic.severity != .info {
      StandardError.say(text(diagnostic, StandardError.style))
    }
  }

  /// The diagnostic's own text, with its severity in colour.
  static func text(_ diagnostic: Diagnostic, _ style: Style) -> String {
    let lead = "\(diagnostic.location): "
    let severity = diagnostic.severity.rawValue
    let coloured = diagnostic.severity == .error ? style.bad(severity) : style.doubtful(severity)
    return lead + coloured + diagnostic.description.dropFirst(lead.count + severity.count)
  }
}

/// Something could not be done: the program says why and ends with status 2.
package struct CommandFailure: Error, Hashable {
  /// Lower case, without a full stop, fit for a terminal.
  package let message: String

  package static let status: Int32 = 2

  package init(_ message: String) { self.message = message }

  /// A file with which something cannot be done: "cannot read `x`: No such file or directory".
  package init(_ call: String, _ path: String, _ words: String = SystemWords.last) {
    self.init("cannot \(call) `\(path.escapedForDisplay)`: \(words)")
  }
}
