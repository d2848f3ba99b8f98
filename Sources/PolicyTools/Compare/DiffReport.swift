internal import DecisionLog

/// What `diff` found, in words: the same for URLs, tests and logs.
package struct DiffReport {
  /// What was compared.
  package enum Source: String {
    case urls
    case log
    /// The URLs of the tests in the rule files.
    case tests
    /// The steps of the tests in the policies.
    case events
  }

  let source: Source
  /// How many tests the steps belong to; 0 for what is none.
  package var testCount = 0
  /// How many rule sets the URLs were judged under; nil for a log, of which the policy chooses them.
  package var ruleSetCount: Int?
  package var onlyInOld: [String] = []
  package var onlyInNew: [String] = []
  let counts: DiffCounts
  /// Kinds of changes, the most frequent first; among equal ones the first seen.
  let changes: [Kind]
  /// The same of what is no change.
  let otherRules: [Kind]
  /// Those of kinds that are not kept apart.
  let furtherChanges: Int
  let furtherOtherRules: Int
  /// The sites with most changes.
  let sites: [Site]
  /// How many more sites there are that were kept apart, and how many changes they had.
  let furtherSites: Int
  let onFurtherSites: Int
  /// How many changes there were on sites beyond these.
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

  /// One site, with what changed there, the most frequent first.
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
