internal import PolicyFiles
internal import URLRules

/// What a path on the command line holds: a configuration directory, or one rule file.
struct CheckedPath {
  let path: String
  let diagnostics: Diagnostics
  /// Nil for a rule file, and for a configuration with errors.
  let policy: LoadedPolicy?
  let tests: [RuleSetTests]

  static func load(_ path: String) -> CheckedPath {
    if SystemFiles().kind(of: path) == .directory {
      let result = ConfigurationLoader(roots: [path]).load()
      return CheckedPath(
        path: path, diagnostics: result.diagnostics, policy: result.policy,
        tests: result.diagnostics.hasErrors ? [] : result.tests)
    }
    let result = RuleFileLoader().load(path)
    return CheckedPath(
      path: path, diagnostics: result.diagnostics, policy: nil, tests: [result.tests].compactMap(\.self))
  }
}
