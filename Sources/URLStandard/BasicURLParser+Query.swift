// The last two states: query and fragment. They cannot fail.
extension BasicURLParser {
  /// Reads `?` and the query if they come next, then the fragment.
  @_lifetime(self: copy self)
  mutating func parseQuery() -> Bool {
    if next == ASCII.questionMark {
      let start = position + 1
      var end = start
      while let byte = byte(at: end), byte != ASCII.numberSign { end += 1 }
      record.bytes.append(ASCII.questionMark)
      append(start..<end, encoding: record.isSpecial ? .specialQueryEncode : .queryEncode)
      position = end
      record.layout.queryEnd = record.end
    }
    return parseFragment()
  }

  /// Reads `#` and the fragment if they come next.
  @_lifetime(self: copy self)
  mutating func parseFragment() -> Bool {
    if next == ASCII.numberSign {
      record.bytes.append(ASCII.numberSign)
      append(position + 1..<input.count, encoding: .fragmentEncode)
    }
    return true
  }
}
