package import PolicyFiles
internal import URLRules

/// What a path on the command line holds: a configuration directory, or one rule file.
package struct CheckedPath {
  let path: String
  package let diagnostics: Diagnostics
  /// Nil for a rule file, and for a configuration with errors.
  package let policy: LoadedPolicy?
  package let tests: [RuleSetTests]

  /// `checks` is what is looked for in lists.
  package static func load(_ path: String, checks: ListChecks = ListChecks()) -> CheckedPath {
    if SystemFiles().kind(of: path) == .directory {
      let result = ConfigurationLoader(roots: [path], checks: checks).load()
      return CheckedPath(
        path: path, diagnostics: result.diagnostics, policy: result.policy,
        tests: result.diagnostics.hasErrors ? [] : result.tests)
    }
    let result = RuleFileLoader(checks: checks).load(path)
    return CheckedPath(
      path: path, diagnostics: result.diagnostics, policy: nil, tests: [result.tests].compactMap(\.self))
  }
}
