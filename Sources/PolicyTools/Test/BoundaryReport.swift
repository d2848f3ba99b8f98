package import JSONText
package import PolicyFiles
internal import URLRules

/// The neighbours of URLs that rules decide, in words.
package struct BoundaryReport {
  /// One rule; `boundaries` is nil when no URL is known that it decides.
  struct Entry {
    let rule: Rule
    let tests: RuleSetTests
    let boundaries: RuleBoundaries?
  }

  let entries: [Entry]

  /// The rules with these ids, or all of them. An id that no rule set has is a failure.
  package init(_ sets: [RuleSetTests], rules ids: [String]) throws(CommandFailure) {
    let known = Set(sets.flatMap(\.ruleSet.rules).map(\.id))
    for id in ids where !known.contains(id) { throw CommandFailure("there is no rule \(id.quoted)") }
    entries = sets.flatMap { tests in
      tests.ruleSet.rules.enumerated().filter { ids.isEmpty || ids.contains($0.element.id) }.map { index, rule in
        let number = Int32(truncatingIfNeeded: index)
        return Entry(rule: rule, tests: tests, boundaries: RuleBoundaries(of: number, in: tests))
      }
    }
  }

  package func printText(to output: Output) throws(CommandFailure) {
    for (index, entry) in entries.enumerated() {
      if index > 0 { try output.line("") }
      let name = output.style.heading(entry.rule.id.quoted)
      guard let boundaries = entry.boundaries else {
        try output.line("\(entry.rule.location.escapedForDisplay): \(name): no URL was found that it decides")
        continue
      }
      try output.line("\(entry.rule.location.escapedForDisplay): \(name): \(boundaries.counts)")
      for line in TextTable(["", "CHANGE", "VERDICT", "RULE", "URL"], boundaries.rows).lines {
        try output.line(line.escapedForDisplay)
      }
    }
  }

  /// Tests to stand below `tests:`, which all pass.
  package func printYAML(to output: Output) throws(CommandFailure) {
    var file: String?
    for entry in entries {
      if file != entry.tests.file {
        file = entry.tests.file
        try output.line("# \(entry.tests.file)".escapedForDisplay)
      }
      try output.line("  # boundaries of \(entry.rule.id.quoted)".escapedForDisplay)
      guard let boundaries = entry.boundaries else {
        try output.line("  # no URL was found that it decides")
        continue
      }
      try output.line("  - \(boundaries.witness.yaml)")
      for neighbour in boundaries.neighbours {
        try output.line("  - \(neighbour.step.yaml) # \(neighbour.change)\(neighbour.differs ? ", differs" : "")")
      }
    }
  }

  package var json: JSONTree { .array(entries.map(\.json)) }
}

extension RuleBoundaries {
  fileprivate var counts: String {
    let differing = neighbours.lazy.filter(\.differs).count
    return "\(differing) of \(neighbours.count) neighbours differ from \(witness.question.url.quoted)"
      + (isMadeUp ? ", which no test has" : "")
  }

  fileprivate var rows: [[String]] {
    [["", "witness"] + witness.cells] + neighbours.map { [$0.differs ? "*" : "", $0.change] + $0.step.cells }
  }
}

extension RuleTestStep {
  fileprivate var cells: [String] { [expect.rawValue, rule ?? "", question.url] }
}

extension BoundaryReport.Entry {
  fileprivate var json: JSONTree {
    let neighbours = boundaries?.neighbours.map { neighbour -> JSONTree in
      [
        "change": .string(neighbour.change), "differs": .bool(neighbour.differs), "test": neighbour.step.json,
      ]
    }
    return [
      "rule": .string(rule.id), "ruleSet": .string(tests.ruleSet.name), "location": .string(rule.location),
      "witness": boundaries?.witness.json ?? .null, "isMadeUp": .bool(boundaries?.isMadeUp ?? false),
      "neighbours": .array(neighbours ?? []),
    ]
  }
}
