internal import GuardService
internal import JSONText
internal import PolicyFiles
internal import PolicyTools
internal import URLRules

/// The configuration on disk: does it load, and is it the one in force?
extension Doctor {
  var configurationFindings: [Finding] {
    let area = "configuration"
    let place = options.roots.joined(separator: ", ")
    let diagnostics = loaded.diagnostics.sorted
    let errors = diagnostics.filter { $0.severity == .error }
    if let first = errors.first {
      let more = errors.count > 1 ? ", and \(errors.count - 1) more errors" : ""
      let text = "it does not load: \(first.description.split(separator: "\n").first ?? "")\(more)"
      return [.problem(area, text, "run `webviewguard check \(options.roots.last ?? "")`, and mend what it says")]
    }
    let warnings = diagnostics.count { $0.severity == .warning } + lintCount
    var findings: [Finding] = []
    if warnings > 0 {
      findings.append(
        .warning(
          area, "\(place): it loads, with \(warnings) \(warnings == 1 ? "warning" : "warnings")",
          "run `webviewguard check \(options.roots.last ?? "")`, and look whether that is meant"))
    } else {
      findings.append(.ok(area, "\(place): it loads, \(loaded.policy?.apps.count ?? 0) apps"))
    }
    if let digest = status?["digest"]?.string, digest != loaded.digest {
      findings.append(
        .warning(
          area, "the daemon runs another configuration than the one on disk",
          "run `webviewguard reload`, or `webviewguard diff` first to see what that changes"))
    }
    return findings
  }

  private var lintCount: Int {
    let now = TimeOptions.now
    let suffixes = PublicSuffixes()
    let linted = loaded.tests.map { LintedRules($0, at: now, suffixes) }
    let found =
      linted.map { Lint.findings(in: $0) }
      + [loaded.policy.map { PolicyLint($0, linted, at: now).findings }]
      .compactMap(\.self)
    return found.reduce(0) { $0 + $1.sorted.count { $0.severity == .warning } }
  }
}
