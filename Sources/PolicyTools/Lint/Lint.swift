package import PolicyFiles
internal import URLRules

/// One thing that `check` looks for in a rule set.
///
///     Lint.findings(in: LintedRules(tests, at: now, suffixes))    // Diagnostics: warnings, each with a witness
package struct Lint: Sendable {
  /// What it finds.
  package let codes: [Diagnostic.Code]
  let find: @Sendable (LintedRules) -> [Diagnostic]

  init(_ codes: Diagnostic.Code..., find: @escaping @Sendable (LintedRules) -> [Diagnostic]) {
    self.codes = codes
    self.find = find
  }

  /// A lint that looks at each rule that is in force.
  init(_ codes: Diagnostic.Code..., eachRule find: @escaping @Sendable (LintedRule, LintedRules) -> [Diagnostic]) {
    self.codes = codes
    self.find = { rules in rules.inForce.flatMap { find($0, rules) } }
  }

  /// Every lint of rule sets.
  package static let all: [Lint] = [
    .leftOut, .shadowed, .contradiction, .changesNothing, .publicSuffix, .looseRegex, .patternBorder,
    .plainHTTP, .evadedPath, .lookAlike, .listOverlap, .expiry, .monitoring, .untested, .alwaysChecked, .context,
    .indirectReach,
  ]

  /// What every lint finds, all at once.
  package static func findings(in rules: LintedRules) -> Diagnostics {
    var diagnostics = Diagnostics()
    for lint in all {
      for finding in lint.find(rules).sorted() { diagnostics.add(finding) }
    }
    return diagnostics
  }
}
