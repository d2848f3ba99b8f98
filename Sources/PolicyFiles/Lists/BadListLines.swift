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
