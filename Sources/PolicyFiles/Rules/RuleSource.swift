/// The text of a rule file, to point into the middle of a value.
struct RuleSource: Sendable {
  let bytes: [UInt8]

  /// The place of byte `offset` of a value, when the file holds it letter for letter up to there; else the place where
  /// the value begins.
  ///
  ///     regex: '^https://(a'      # offset 12 is column 22 of this line
  ///
  /// A value with escapes, doubled quotes or several lines before the offset stands differently in the file.
  func location(ofByte offset: Int, in value: String, at start: SourceLocation) -> SourceLocation {
    let prefix = value.utf8.prefix(max(0, offset))
    var rest = line(start.line).utf8.dropFirst(0)
    let skipped = line(start.line).unicodeScalars.prefix(start.column - 1)
    rest = rest.dropFirst(String(String.UnicodeScalarView(skipped)).utf8.count)
    var column = start.column
    if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""), value.utf8.first != quote {
      rest = rest.dropFirst()
      column += 1
    }
    guard rest.starts(with: prefix) else { return start }
    var place = start
    place.column = column + String(decoding: prefix, as: UTF8.self).unicodeScalars.count
    return place
  }

  /// The text of a line counted from 1; empty when there is none.
  private func line(_ number: Int) -> String {
    let lines = bytes.split(separator: 0x0A, maxSplits: max(0, number), omittingEmptySubsequences: false)
    guard number >= 1, number <= lines.count else { return "" }
    return String(decoding: lines[number - 1], as: UTF8.self)
  }
}
