internal import JSONText
internal import PolicyFiles

/// One difference between two configurations, apart from spelling.
///
///     let difference = ConfigurationComparison(old, new).differences[0]
///     difference.subject      // "protection `contoso`"
///     difference.key          // "clipboard.level"
///     difference.change       // "managed -> any"
///     difference.direction    // .looser
package struct ConfigurationDifference: Sendable, Hashable {
  /// The kind of thing: `protection`, `app`, `class`, `rule`, `daemon`
  package var kind: String
  /// The thing's name; empty where there is only one of its kind.
  package var name: String
  /// The key below the thing: `clipboard.level`; empty when the whole thing is new or gone.
  package var key: String
  package var direction: DifferenceDirection
  package var before: DifferenceSide
  package var after: DifferenceSide
  /// Values added to a set, and values removed, in alphabetical order; only examples for lists.
  package var added: [String] = []
  package var removed: [String] = []
  /// Numbers of added and removed values.
  package var addedCount = 0
  package var removedCount = 0

  /// ``protection `contoso` ``
  package var subject: String { name.isEmpty ? kind : "\(kind) \(name.quoted)" }
}

/// Which way a difference goes.
package enum DifferenceDirection: String, Sendable, Hashable, CaseIterable {
  /// Something may happen that could not, or fewer are bound.
  case looser
  /// The other way about.
  case tighter
  /// Neither is a part of the other, or the direction is unclear.
  case sideways

  var reversed: DifferenceDirection {
    switch self {
    case .looser: .tighter
    case .tighter: .looser
    case .sideways: .sideways
    }
  }
}

/// The value in one of the two configurations.
package struct DifferenceSide: Sendable, Hashable {
  /// As it would be written; nil where the thing does not exist.
  package var value: String?
  /// False for a value that holds because nothing is written.
  package var isStated = true
  /// `file:line:column` of the key, or of its parent; a path where there is no line. Nil where the thing does not
  /// exist.
  package var place: String?

  package init(value: String? = nil, isStated: Bool = true, place: String? = nil) {
    self.value = value
    self.isStated = isStated
    self.place = place
  }
}

extension ConfigurationDifference {
  /// Both values in words: `managed -> any`, `+2 (a.example, b.example), -1 (c.example)`, `is new`
  package var change: String {
    if key.isEmpty {
      if before.place == nil { return after.value.map { "is new: \($0)" } ?? "is new" }
      if after.place == nil { return before.value.map { "is gone: \($0)" } ?? "is gone" }
    }
    // The entries of a list say more than their number.
    if addedCount + removedCount > 0, kind == "list" || !areShort { return setWords }
    return "\(before.words) -> \(after.words)"
  }

  /// Maximum characters of a set of values that is shown whole.
  private static let maximumShown = 60

  private var areShort: Bool {
    let values = [before.value, after.value].compactMap(\.self)
    return values.count == 2 && values.allSatisfy { $0.utf8.count <= Self.maximumShown }
  }

  private var setWords: String {
    let parts = [("+", addedCount, added), ("-", removedCount, removed)].filter { $0.1 > 0 }
    return parts.map { sign, count, examples in
      let shown = examples.prefix(Self.maximumExamples).map { $0.cut(to: Self.maximumShown) }
      let rest = count > shown.count && !shown.isEmpty ? ", ..." : ""
      return "\(sign)\(count)" + (shown.isEmpty ? "" : " (\(shown.joined(separator: ", "))\(rest))")
    }.joined(separator: ", ")
  }

  /// Maximum values of a set that are shown.
  static let maximumExamples = 3
}

extension DifferenceSide {
  fileprivate var words: String { (value ?? "nothing") + (isStated ? "" : " (default)") }
}

extension String {
  fileprivate func cut(to length: Int) -> String {
    unicodeScalars.count > length ? String(unicodeScalars.prefix(length)) + "..." : self
  }
}

/// The differences of two configurations, for people and for programs.
package struct DifferenceList {
  let differences: [ConfigurationDifference]

  package init(_ differences: [ConfigurationDifference]) { self.differences = differences }

  var isEmpty: Bool { differences.isEmpty }

  func number(of direction: DifferenceDirection) -> Int { differences.count { $0.direction == direction } }

  // MARK: Text

  /// A summary, and one line for each, with the places of both.
  ///
  ///     looser    protection `contoso`: clipboard.level managed -> any  (old/policy.d/a.yaml:7:18 -> new/policy.d/a.yaml:7:18)
  func printText(to output: Output) throws(CommandFailure) {
    try output.line(summary)
    for difference in differences {
      let direction = difference.direction.rawValue
      let padding = String(repeating: " ", count: Self.width - direction.count)
      let words = "\(difference.words)  (\(difference.places))".escapedForDisplay
      try output.line(output.style.shown(difference.direction, direction) + padding + words)
    }
  }

  private static let width = (DifferenceDirection.allCases.map(\.rawValue.count).max() ?? 0) + 2

  private var summary: String {
    guard !isEmpty else { return "no differences" }
    let parts = DifferenceDirection.allCases.map { "\(number(of: $0)) \($0.rawValue)" }
    let count = differences.count
    return "\(count) \(count == 1 ? "difference" : "differences"): \(parts.joined(separator: ", "))"
  }

  // MARK: JSON

  /// The members that stand before those of the decisions.
  var members: [JSONTree.Member] {
    DifferenceDirection.allCases.map { .init($0.rawValue, .number(number(of: $0))) }
      + [.init("differences", .array(differences.map(\.json)))]
  }
}

extension ConfigurationDifference {
  /// ``protection `contoso`: clipboard.level managed -> any``
  fileprivate var words: String { "\(subject): \(key.isEmpty ? "" : key + " ")\(change)" }

  fileprivate var places: String {
    let places = [before.place, after.place].compactMap(\.self)
    return places.joined(separator: " -> ")
  }

  fileprivate var json: JSONTree {
    [
      "direction": .string(direction.rawValue), "kind": .string(kind), "name": .string(name), "key": .string(key),
      "before": before.json, "after": after.json, "added": .array(added.map(JSONTree.string)),
      "removed": .array(removed.map(JSONTree.string)), "addedCount": .number(addedCount),
      "removedCount": .number(removedCount),
    ]
  }
}

extension DifferenceSide {
  fileprivate var json: JSONTree {
    guard place != nil || value != nil else { return .null }
    return [
      "value": value.map(JSONTree.string) ?? .null, "isStated": .bool(isStated),
      "place": place.map(JSONTree.string) ?? .null,
    ]
  }
}

extension Style {
  fileprivate func shown(_ direction: DifferenceDirection, _ text: String) -> String {
    switch direction {
    case .looser: bad(text)
    case .tighter: good(text)
    case .sideways: text
    }
  }
}

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
