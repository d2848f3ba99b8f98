internal import DecisionLog
internal import JSONText
internal import PolicyFiles

/// The findings of `diff`, in words: the same for URLs, tests and logs.
package struct DiffReport {
  /// The compared input.
  package enum Source: String {
    case urls
    case log
    /// The URLs of the tests in the rule files.
    case tests
    /// The steps of the tests in the policies.
    case events
  }

  let source: Source
  /// Number of tests that the steps belong to; 0 for other input.
  package var testCount = 0
  /// Number of rule sets that judged the URLs; nil for a log, since the policy chooses them.
  package var ruleSetCount: Int?
  package var onlyInOld: [String] = []
  package var onlyInNew: [String] = []
  let counts: DiffCounts
  /// Kinds of changes, the most frequent first; among equal ones the first seen.
  let changes: [Kind]
  /// The same for differences that are no changes.
  let otherRules: [Kind]
  /// Those of kinds that are not kept apart.
  let furtherChanges: Int
  let furtherOtherRules: Int
  /// The sites with most changes.
  let sites: [Site]
  /// Numbers of the other sites kept apart, and of their changes.
  let furtherSites: Int
  let onFurtherSites: Int
  /// Number of changes on sites beyond these.
  let onUncountedSites: Int
  package var coverage: LogCoverage?

  /// One kind of change.
  struct Kind {
    let before: ChangeSide
    let after: ChangeSide
    let count: Int
    let sites: Int
    let sitesAreExact: Bool
    let examples: [ChangeExample]
  }

  /// One site, with its changes, the most frequent first.
  struct Site {
    let name: String
    let count: Int
    let changes: [(label: String, count: Int)]
  }

  package init<Change>(
    _ source: Source, _ counts: DiffCounts, _ tally: ChangeTally<Change>, sites number: Int,
    sides: (Change) -> (before: ChangeSide, after: ChangeSide)
  ) {
    self.source = source
    self.counts = counts
    let kinds = tally.kinds.map { kind in
      let (before, after) = sides(kind.change)
      return Kind(
        before: before, after: after, count: kind.count, sites: kind.sites, sitesAreExact: kind.sitesAreExact,
        examples: kind.examples)
    }
    let order = kinds.indices.sorted { (-kinds[$0].count, $0) < (-kinds[$1].count, $1) }
    changes = order.filter { tally.kinds[$0].isChange }.map { kinds[$0] }
    otherRules = order.filter { !tally.kinds[$0].isChange }.map { kinds[$0] }
    (furtherChanges, furtherOtherRules) = (tally.furtherChanges, tally.furtherOthers)
    sites = tally.topSites(number).map { Site($0, kinds) }
    furtherSites = tally.siteCount - sites.count
    onUncountedSites = tally.onFurtherSites
    let inAll = changes.reduce(furtherChanges) { $0 + $1.count }
    onFurtherSites = inAll - onUncountedSites - sites.reduce(0) { $0 + $1.count }
  }

  /// Whether any answer changed: exit status 1.
  var hasChanges: Bool { counts.changed > 0 }

  /// Whether there was no question.
  package var isEmpty: Bool { counts.compared == 0 && !hasChanges }
}

extension DiffReport.Kind {
  /// `internal -> external`
  var label: String { before.answer == after.answer ? before.answer : "\(before.answer) -> \(after.answer)" }
}

extension DiffReport.Site {
  /// Several kinds may have the same label, by other rules.
  fileprivate init<Change>(_ site: ChangeTally<Change>.Site, _ kinds: [DiffReport.Kind]) {
    var changes: [(label: String, count: Int)] = []
    for (kind, count) in site.kinds {
      let label = kinds[kind].label
      if let index = changes.firstIndex(where: { $0.label == label }) {
        changes[index].count += count
      } else {
        changes.append((label, count))
      }
    }
    let rest = site.count - changes.reduce(0) { $0 + $1.count }
    if rest > 0 { changes.append(("further kinds", rest)) }
    self.init(name: site.name, count: site.count, changes: changes)
  }
}

extension DiffReport {
  /// The report as members of an object.
  ///
  ///     "source":"urls","compared":7,"changed":2,…,"changes":[{"count":2,"sites":1,"before":{…},"after":{…},…}],…
  var members: [JSONTree.Member] {
    [.init("source", .string(source.rawValue))] + countMembers + coverageMembers
  }

  private var countMembers: [JSONTree.Member] {
    [
      .init("tests", .number(testCount)), .init("ruleSets", ruleSetCount.map(JSONTree.number) ?? .null),
      .init("compared", .number(counts.compared)),
      .init("changed", .number(counts.changed)), .init("otherRule", .number(counts.otherRule)),
      .init("invalid", .number(counts.invalid)), .init("onlyInOld", .array(onlyInOld.map(JSONTree.string))),
      .init("onlyInNew", .array(onlyInNew.map(JSONTree.string))),
      .init("changes", .array(changes.map { $0.json(hasSites: true) })),
      .init("furtherChanges", .number(furtherChanges)),
      .init("otherRules", .array(otherRules.map { $0.json(hasSites: false) })),
      .init("furtherOtherRules", .number(furtherOtherRules)), .init("sites", .array(sites.map(\.json))),
      .init("furtherSites", .number(furtherSites)), .init("onFurtherSites", .number(onFurtherSites)),
      .init("onUncountedSites", .number(onUncountedSites)),
    ]
  }

  private var coverageMembers: [JSONTree.Member] {
    guard let coverage else { return [] }
    let levels = Replayability.allCases.filter { $0 != .no }.map { level in
      JSONTree.Member(level.rawValue, .number(coverage.judged[level] ?? 0))
    }
    let reasons = coverage.sortedReasons.map { entry -> JSONTree in
      ["reason": .string(entry.reason), "count": .number(entry.count)]
    }
    return [
      .init("changesOfState", .number(coverage.changesOfState)), .init("judged", .object(levels)),
      .init("notJudged", .number(coverage.notJudged)), .init("reasons", .array(reasons)),
      .init("furtherReasons", .number(coverage.furtherReasons)),
      .init("unlikeRecorded", .number(coverage.unlikeRecorded)),
    ]
  }
}

extension DiffReport.Kind {
  fileprivate func json(hasSites: Bool) -> JSONTree {
    let sites: [JSONTree.Member] =
      hasSites ? [.init("sites", .number(sites)), .init("sitesAreExact", .bool(sitesAreExact))] : []
    let examples = examples.map { example -> JSONTree in
      ["text": .string(example.text), "place": .string(example.place)]
    }
    return .object(
      [.init("count", .number(count))] + sites + [
        .init("before", before.json), .init("after", after.json), .init("examples", .array(examples)),
      ])
  }
}

extension DiffReport.Site {
  fileprivate var json: JSONTree {
    let parts = changes.map { part -> JSONTree in ["change": .string(part.label), "count": .number(part.count)] }
    return ["site": .string(name), "count": .number(count), "changes": .array(parts)]
  }
}

extension ChangeSide {
  fileprivate var json: JSONTree {
    [
      "answer": .string(answer), "ruleSet": ruleSet.map(JSONTree.string) ?? .null,
      "rule": rule.map(JSONTree.string) ?? .null, "ruleLocation": location.map(JSONTree.string) ?? .null,
    ]
  }
}

extension DiffReport {
  /// The report for people: a summary, the kinds of changes, the sites.
  func printText(to output: Output) throws(CommandFailure) {
    for line in summary { try output.line(line.escapedForDisplay) }
    for kind in changes {
      try print(kind, sites: source == .events ? "" : ", \(kind.siteText)", to: output)
    }
    if furtherChanges > 0 {
      try output.line("\n\(unit(furtherChanges)) changed in further ways, more than are kept apart")
    }
    if !otherRules.isEmpty { try output.line("\nthe same by another rule:") }
    for kind in otherRules { try print(kind, sites: "", to: output) }
    if furtherOtherRules > 0 {
      try output.line("\n\(unit(furtherOtherRules)) by further rules, more than are kept apart")
    }
    try printSites(to: output)
  }

  private var summary: [String] {
    var lines: [String] = []
    let same = counts.otherRule > 0 ? ", \(counts.otherRule) the same by another rule" : ""
    let invalid = source == .events ? "" : ", \(counts.invalid) invalid"
    lines.append("\(subject): \(counts.changed) changed\(same)\(invalid)")
    return lines + (coverage?.lines ?? [])
  }

  private var subject: String {
    if source == .events { return "\(Self.count(testCount, "test")) of events, \(unit(counts.compared))" }
    let tests = source == .tests ? "tests of rules, " : ""
    if let ruleSetCount { return tests + "\(unit(counts.compared)) under \(Self.count(ruleSetCount, "rule set"))" }
    let events = Self.count(counts.compared, "event")
    guard let coverage, coverage.changesOfState > 0 else { return events }
    return "\(events) and \(Self.count(coverage.changesOfState, "change", of: " of state"))"
  }

  private func print(_ kind: Kind, sites: String, to output: Output) throws(CommandFailure) {
    let label = output.style.heading(kind.label.escapedForDisplay)
    try output.line("\n\(label): \(unit(kind.count))\(sites)")
    if kind.before.rule != nil || kind.after.rule != nil {
      for line in TextTable([["before"] + kind.before.cells, ["after"] + kind.after.cells]).lines {
        try output.line("  " + line.escapedForDisplay)
      }
    }
    for example in kind.examples {
      try output.line("  \(example.place.escapedForDisplay)  \(example.text.escapedForDisplay)")
    }
  }

  private func printSites(to output: Output) throws(CommandFailure) {
    guard !sites.isEmpty, source != .events else { return }
    let rows = sites.map { site in
      [site.name, String(site.count), site.changes.map { "\($0.count) \($0.label)" }.joined(separator: ", ")]
        .map(\.escapedForDisplay)
    }
    try output.line("")
    for line in TextTable(["SITE", source == .log ? "RECORDS" : "URLS", "CHANGES"], rows).lines {
      try output.line(line)
    }
    if furtherSites > 0 { try output.line("and \(Self.count(furtherSites, "site")) with \(onFurtherSites) changes") }
    if onUncountedSites > 0 {
      try output.line("and \(onUncountedSites) changes on further sites, more than are kept apart")
    }
  }

  /// A log may also have changes of state with another result.
  private func unit(_ number: Int) -> String {
    switch source {
    case .log: Self.count(number, "record")
    case .events: Self.count(number, "step")
    case .urls, .tests: Self.count(number, "URL")
    }
  }

  fileprivate static func count(_ number: Int, _ word: String, of rest: String = "") -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")\(rest)"
  }
}

extension DiffReport.Kind {
  fileprivate var siteText: String {
    let count = DiffReport.count(sites, "site")
    return sitesAreExact ? count : "at least \(count)"
  }
}

extension ChangeSide {
  /// The rule, its rule set, and where it stands.
  fileprivate var cells: [String] {
    guard let rule else { return ["no rule"] }
    return [rule, ruleSet ?? "", location ?? ""]
  }
}

extension LogCoverage {
  fileprivate var lines: [String] {
    let levels = [(Replayability.full, "fully"), (.path, "by path"), (.host, "by host")]
    let parts = levels.map { "\(judged[$0] ?? 0) \($1)" }.joined(separator: ", ")
    var lines = ["judged \(parts); \(notJudged) not at all"]
    lines += sortedReasons.map { "  \($0.count)  \($0.reason)" }
    if furtherReasons > 0 { lines.append("  \(furtherReasons)  for further reasons") }
    if unlikeRecorded > 0 { lines.append("\(unlikeRecorded) come out under the old policy unlike their records") }
    return lines
  }
}
