internal import DecisionLog
internal import PolicyFiles

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

  /// Of a log also changes of state may come out otherwise.
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
