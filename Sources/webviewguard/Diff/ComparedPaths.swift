internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// The two configurations, or the two rule files, that are compared.
struct ComparedPaths {
  let old: CheckedPath
  let new: CheckedPath
  /// When rules are asked, in seconds since 1970.
  let time: Int64

  /// Loads both. What the loaders say of either goes to standard error.
  static func load(_ old: String, _ new: String, at time: Int64) throws(CommandFailure) -> ComparedPaths {
    let paths = ComparedPaths(old: CheckedPath.load(old), new: CheckedPath.load(new), time: time)
    let both = [paths.old, paths.new]
    for path in both { DiagnosticPrinter.print(path.diagnostics) }
    let broken = both.filter(\.diagnostics.hasErrors).map { "`\($0.path.escapedForDisplay)`" }
    guard broken.isEmpty else {
      throw CommandFailure("\(broken.joined(separator: " and ")) cannot be loaded, so nothing is compared")
    }
    guard (paths.old.policy == nil) == (paths.new.policy == nil) else {
      throw CommandFailure("a configuration directory and a rule file cannot be compared; give two of a kind")
    }
    return paths
  }

  /// The policies of two configurations; nil for rule files.
  var snapshots: (old: Snapshot, new: Snapshot)? {
    guard let before = old.policy, let after = new.policy else { return nil }
    return (before.snapshot(generation: 1, at: time), after.snapshot(generation: 2, at: time))
  }

  /// The rule sets to compare: those of two configurations by name, those of two rule files whatever they are called.
  var pairs: [RuleSetPair] { tests.map { RuleSetPair($0.old.ruleSet.at(time), $0.new.ruleSet.at(time)) } }

  /// The same, with their tests.
  var tests: [(old: RuleSetTests, new: RuleSetTests)] {
    guard old.policy != nil else { return Array(zip(old.tests, new.tests)) }
    return old.tests.compactMap { before in
      new.tests.first { $0.ruleSet.name == before.ruleSet.name }.map { (before, $0) }
    }
  }

  var onlyInOld: [String] { old.policy == nil ? [] : Self.names(of: old, notIn: new) }
  var onlyInNew: [String] { old.policy == nil ? [] : Self.names(of: new, notIn: old) }

  private static func names(of path: CheckedPath, notIn other: CheckedPath) -> [String] {
    let known = Set(other.tests.map(\.ruleSet.name))
    return path.tests.map(\.ruleSet.name).filter { !known.contains($0) }
  }
}
