/// A place in a file, as an editor shows it: line and column count from 1, columns in Unicode scalars (a tab is one).
///
///     SourceLocation(file: "rules/mail.yaml", line: 3, column: 7).description   // "rules/mail.yaml:3:7"
///
/// `file` is the name as the user gave it, not resolved: a printed name can be pasted back. Locations sort by file,
/// then line, then column.
package struct SourceLocation: Sendable, Hashable {
  package var file: String
  package var line: Int
  package var column: Int

  /// A place in `file`; without line and column, its very beginning, which also stands for the file as a whole.
  package init(file: String, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }
}

extension SourceLocation: Comparable {
  package static func < (one: SourceLocation, other: SourceLocation) -> Bool {
    if one.file != other.file { return one.file < other.file }
    return (one.line, one.column) < (other.line, other.column)
  }
}

extension SourceLocation: CustomStringConvertible {
  /// `file:line:column`, with control and bidirectional characters of the file name escaped.
  package var description: String { "\(file.escapedForDisplay):\(line):\(column)" }
}
