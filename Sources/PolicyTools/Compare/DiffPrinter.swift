internal import JSONText

/// Prints the results of a comparison as they come: differences first, before a log of a million records is read.
package struct DiffPrinter {
  private let format: OutputFormat
  private let differences: DifferenceList
  private let output = Output()
  private var reports: [DiffReport] = []
  package private(set) var hasChanges: Bool

  package init(format: OutputFormat, _ differences: DifferenceList) {
    self.format = format
    self.differences = differences
    hasChanges = !differences.isEmpty
  }

  package func begin() throws(CommandFailure) {
    guard format == .text else { return }
    try differences.printText(to: output)
    try output.flush()
  }

  /// Adds the results of the tests.
  package mutating func add(_ tests: [DiffReport]) throws(CommandFailure) {
    for report in tests { try add(report, isLast: false) }
    try output.flush()
  }

  /// Prints the results of URLs or of a log, or of the tests of rules when neither was given.
  package mutating func finish(_ report: DiffReport) throws(CommandFailure) {
    try add(report, isLast: true)
    if format == .json { try output.line(JSONTree.object(members).text()) }
    try output.flush()
  }

  private mutating func add(_ report: DiffReport, isLast: Bool) throws(CommandFailure) {
    reports.append(report)
    hasChanges = hasChanges || report.hasChanges
    guard format == .text, !report.isEmpty || isLast && report.source != .tests else { return }
    try output.line("")
    try report.printText(to: output)
  }

  /// The last report's members stand in the object itself.
  private var members: [JSONTree.Member] {
    let last = reports.last?.members ?? []
    let tests = reports.dropLast().map { report in
      JSONTree.Member(report.source == .events ? "eventTests" : "ruleTests", .object(report.members))
    }
    return [.init("hasChanges", .bool(hasChanges))] + differences.members + tests + last
  }
}
