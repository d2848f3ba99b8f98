/// Reads the lines of a list of URL filters. What a filter is, somebody else knows.
struct FilterListLines {
  private(set) var file: ListFile
  private var bad: BadListLines

  init(_ file: ListFile) {
    self.file = file
    bad = BadListLines(file: file.path)
  }

  /// Hands the text of one line to `take`, if it has any.
  mutating func read(_ line: Span<UInt8>, _ number: Int, _ take: (String, Int) -> ListLineProblem?) {
    guard let range = ListLine.content(of: line, .urlFilters) else { return }
    guard line.count <= ListLimits.maximumLineLength else { return bad.add(line, number, ListLine.tooLong) }
    if let problem = ListLine.byteProblem(in: line, range) { return bad.add(line, number, problem) }
    guard var problem = take(line.extracting(range).text, number) else {
      file.entries += 1
      return
    }
    problem.offset += range.lowerBound
    bad.add(line, number, problem)
  }

  /// Why reading on is of no use; nil when it is.
  var refusal: String? { ListLimits.refusal(entries: file.entries, badLines: bad.count) }

  /// Reports what was found, and returns the list with its counts.
  mutating func finish(into diagnostics: inout Diagnostics) -> ListFile {
    file.badLines = bad.count
    bad.report(goodLines: file.entries, into: &diagnostics)
    return file
  }
}
