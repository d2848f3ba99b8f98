internal import PolicyFiles
internal import URLRules

/// What the tests of all rule sets reach, in words.
package struct CoverageReport {
  let sets: [RuleCoverage]
  /// The least percentage that is enough; nil when any is.
  let minimum: Int?

  package init(sets: [RuleCoverage], minimum: Int?) {
    self.sets = sets
    self.minimum = minimum
  }

  var reached: Int { sets.reduce(0) { $0 + $1.reached } }
  var total: Int { sets.reduce(0) { $0 + $1.total } }

  /// Compared exactly: 89.9 % is not 90 %.
  package var isEnough: Bool { reached * 100 >= (minimum ?? 0) * total }

  /// Rounded down, so that 100 % means all. Without any rule all of them are reached.
  static func percent(_ reached: Int, of total: Int) -> Int { total == 0 ? 100 : reached * 100 / total }

  package func printText(to output: Output) throws(CommandFailure) {
    for set in sets {
      for finding in CoverageFinding.all(in: set) {
        try output.line("\(finding.location): \(finding.words)".escapedForDisplay)
        if let paste = finding.paste { try output.line("  " + paste) }
      }
      if sets.count > 1 {
        try output.line("\(set.ruleSet.name): \(Self.share(set.reached, of: set.total))")
      }
    }
    let demand = isEnough ? "" : ", fewer than the \(minimum ?? 0)% demanded"
    try output.line(Self.share(reached, of: total) + demand)
  }

  /// Only the suggested tests, to stand below `tests:`.
  package func printYAML(to output: Output) throws(CommandFailure) {
    for set in sets {
      let findings = CoverageFinding.all(in: set)
      if !findings.isEmpty { try output.line("# \(set.file)".escapedForDisplay) }
      for finding in findings {
        if finding.suggestion == nil { try output.line("  # \(finding.words)".escapedForDisplay) }
        if let paste = finding.paste { try output.line((finding.suggestion == nil ? "  # " : "  ") + paste) }
      }
    }
  }

  private static func share(_ reached: Int, of total: Int) -> String {
    "\(reached) of \(total) rule\(total == 1 ? "" : "s") (\(percent(reached, of: total))%)"
  }
}

/// One thing that the tests of a rule set do not reach.
struct CoverageFinding {
  /// `file:line:column` of the rule, or of the default.
  let location: String
  let words: String
  let suggestion: RuleTestStep?
  /// Whether a test was looked for.
  var isSearched = true

  /// The suggested test as it stands below `tests:`, or that there is none; nil when none was looked for.
  var paste: String? {
    if let suggestion { return "- \(suggestion.yaml)" }
    return isSearched ? "no URL was found for a test of it" : nil
  }

  /// The rules first, then single values, then the default.
  static func all(in coverage: RuleCoverage) -> [CoverageFinding] {
    let rules = coverage.ruleSet.rules
    let lead = "no test of \(coverage.ruleSet.name.quoted) reaches"
    var findings = coverage.unreached.map { rule in
      let hidden = rule.hidden.map { step in
        "; \(rules[Int(step.decider)].id.quoted) decides before it, as in the test at \(step.location)"
      }
      let unreached = rules[Int(rule.rule)]
      return CoverageFinding(
        location: unreached.location, words: "\(lead) \(unreached.id.quoted)\(hidden ?? "")",
        suggestion: rule.suggestion, isSearched: rule.isSearched)
    }
    findings += coverage.unusedValues.map { unused in
      let rule = rules[Int(unused.rule)]
      return CoverageFinding(
        location: rule.location, words: "\(lead) \(rule.id.quoted) by \(unused.value.words)",
        suggestion: unused.suggestion, isSearched: unused.isSearched)
    }
    if !coverage.reachesDefault {
      findings.append(
        CoverageFinding(
          location: coverage.ruleSet.defaultLocation, words: "\(lead) the default",
          suggestion: coverage.defaultSuggestion))
    }
    return findings
  }
}
