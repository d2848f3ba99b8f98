/// The text of a rule file, to point into the middle of a value.
struct RuleSource: Sendable {
  private let bytes: [UInt8]
  /// The start of each line.
  private let lineStarts: [Int]

  /// Columns further out than any person writes are not looked for: that work grows with the column.
  private static let maximumColumn = 10_000

  init(bytes: [UInt8]) {
    self.bytes = bytes
    lineStarts = [0] + bytes.indices.lazy.filter { bytes[$0] == .lineFeed }.map { $0 + 1 }
  }

  /// The place of byte `offset` of a value, when the file holds it letter for letter up to there; else the place where
  /// the value begins.
  ///
  ///     regex: '^https://(a'      # offset 11, the end, is column 20 of this line
  ///
  /// A value with escapes, doubled quotes or several lines before the offset stands differently in the file.
  func location(ofByte offset: Int, in value: String, at start: SourceLocation) -> SourceLocation {
    guard (1...Self.maximumColumn).contains(start.column) else { return start }
    let prefix = value.utf8.prefix(max(0, offset))
    var text = line(start.line).unicodeScalars.dropFirst(start.column - 1)
    var place = start
    if let quote = text.first, quote == "'" || quote == "\"", value.unicodeScalars.first != quote {
      text = text.dropFirst()
      place.column += 1
    }
    guard String(text).utf8.starts(with: prefix) else { return start }
    place.column += String(decoding: prefix, as: UTF8.self).unicodeScalars.count
    return place
  }

  /// The text of a line counted from 1, as far as it matters; empty when there is none.
  private func line(_ number: Int) -> String {
    guard lineStarts.indices.contains(number - 1) else { return "" }
    let rest = bytes[lineStarts[number - 1]...].prefix { $0 != .lineFeed }
    return String(decoding: rest.prefix(4 * Self.maximumColumn), as: UTF8.self)
  }
}
