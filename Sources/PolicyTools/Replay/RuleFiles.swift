package import PolicyFiles
package import URLRules

/// Loading rule files for the command line.
package enum RuleFiles {
  /// The rule set of a file. The loader's diagnostics go to standard error.
  package static func load(_ path: String) throws(CommandFailure) -> RuleSet { try loadWithLists(path).ruleSet }

  /// The same, with the list files that its rules name.
  package static func loadWithLists(_ path: String) throws(CommandFailure) -> (ruleSet: RuleSet, lists: [ListFile]) {
    let result = RuleFileLoader().load(path)
    DiagnosticPrinter.print(result.diagnostics)
    guard let ruleSet = result.ruleSet else {
      throw CommandFailure("`\(path.escapedForDisplay)` cannot be loaded")
    }
    return (ruleSet, result.lists)
  }
}
