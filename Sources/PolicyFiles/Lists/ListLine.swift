/// One line of a list without its comment: where its text is, and its words.
enum ListLine {
  /// The text of a line, without comments and blanks around it; nil when nothing is left.
  ///
  ///     "ads.example  # since May"     // "ads.example"
  ///     "# ads.example", "! Title"     // nil, in every format
  ///     "ads.example#since-May"        // in a hosts file "ads.example" (hosts(5)); in `domains` all of it
  ///     "example.com/#!x  # y"         // in `urlFilters` all of it: a filter may hold anything
  static func content(of line: Span<UInt8>, _ format: ListFormat) -> Range<Int>? {
    let hasReturn = line.count > 0 && line[line.count - 1] == .carriageReturn
    var range = line.withoutBlanks(0..<line.count - (hasReturn ? 1 : 0))
    guard !range.isEmpty, line[range.lowerBound] != .numberSign, line[range.lowerBound] != UInt8(ascii: "!") else {
      return nil
    }
    guard format != .urlFilters else { return range }
    let end = range.first { index in
      line[index] == .numberSign && (format == .hosts || line[index - 1].isBlank)
    }
    if let end { range = line.withoutBlanks(range.lowerBound..<end) }
    return range
  }

  /// The first word in `range` of `line`; nil when only blanks are left.
  static func word(in line: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
    guard let start = range.first(where: { !line[$0].isBlank }) else { return nil }
    let end = (start..<range.upperBound).first { line[$0].isBlank } ?? range.upperBound
    return start..<end
  }

  /// A byte in `range` of `line` that no text holds, or bytes that are not UTF-8.
  static func byteProblem(in line: Span<UInt8>, _ range: Range<Int>) -> ListLineProblem? {
    for index in range where line[index] < 0x20 && line[index] != .tab || line[index] == 0x7F {
      let digits = String(line[index], radix: 16, uppercase: true)
      let name = line[index] == 0 ? "a NUL byte" : "the control character U+00\(line[index] < 16 ? "0" : "")\(digits)"
      return ListLineProblem("the line has \(name)", hint: "a list is a text, one entry a line", at: index)
    }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: line.extracting(range))
      return nil
    } catch {
      return ListLineProblem(
        "the line is not UTF-8", hint: "save the file as UTF-8", at: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  /// The message for a line that is too long.
  static var tooLong: ListLineProblem {
    ListLineProblem("the line has more than \(ListLimits.maximumLineLength.grouped) bytes")
  }
}

extension Span<UInt8> {
  fileprivate func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start].isBlank { start += 1 }
    while end > start, self[end - 1].isBlank { end -= 1 }
    return start..<end
  }
}

extension UInt8 {
  fileprivate static var numberSign: UInt8 { UInt8(ascii: "#") }
}
