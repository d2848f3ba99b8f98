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

/// A problem of one line of a list.
///
///     ListLineProblem("`a..b` has an empty label", at: 4)
package struct ListLineProblem: Error, Sendable, Hashable {
  package var message: String
  package var hint: String?
  /// The byte of the line with the problem.
  package var offset: Int

  package init(_ message: String, hint: String? = nil, at offset: Int = 0) {
    self.message = message
    self.hint = hint
    self.offset = offset
  }
}

/// The bad lines of one list: counted all, and kept as far as they are shown.
struct BadListLines {
  private let file: String
  private(set) var count = 0
  private var shown: [(location: SourceLocation, problem: ListLineProblem)] = []
  /// The first line that is not shown.
  private var firstHidden = 0

  init(file: String) { self.file = file }

  /// Notes a bad line. `problem` is evaluated only for a line that will be shown.
  mutating func add(_ line: Span<UInt8>, _ number: Int, _ problem: @autoclosure () -> ListLineProblem) {
    count += 1
    guard shown.count < ListLimits.maximumShownLines else {
      if firstHidden == 0 { firstHidden = number }
      return
    }
    let problem = problem()
    let column = line.scalarCount(before: problem.offset) + 1
    shown.append((SourceLocation(file: file, line: number, column: column), problem))
  }

  /// Reports them, as errors when they are more than one in a hundred of the lines that say something.
  func report(goodLines: Int, into diagnostics: inout Diagnostics) {
    guard count > 0 else { return }
    let areTooMany = count * 100 > count + goodLines
    let severity: Diagnostic.Severity = areTooMany ? .error : .warning
    for (location, problem) in shown {
      diagnostics.add(
        Diagnostic(severity, .badListLine, at: location, problem.message, hint: problem.hint))
    }
    let hidden = count - shown.count
    if hidden > 0 {
      let message = "and \(hidden.grouped) more bad \(hidden == 1 ? "line" : "lines")"
      diagnostics.add(
        Diagnostic(severity, .badListLine, at: SourceLocation(file: file, line: firstHidden), message))
    }
    guard areTooMany else { return }
    diagnostics.error(
      .tooManyBadLines, at: SourceLocation(file: file),
      "\(count.grouped) of \((count + goodLines).grouped) lines are bad, more than one in a hundred",
      hint: "repair the lines, or remove them; nothing of the list is used")
  }
}

extension Span<UInt8> {
  /// The Unicode scalars before byte `offset`, each byte of broken UTF-8 counted by its kind.
  fileprivate func scalarCount(before offset: Int) -> Int {
    var count = 0
    for index in 0..<Swift.min(offset, self.count) where self[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }
}

extension Int {
  /// With commas between groups of three digits: `1,496,659`.
  package var grouped: String {
    guard self >= 1000 else { return String(self) }
    let rest = String(self % 1000)
    return (self / 1000).grouped + "," + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
