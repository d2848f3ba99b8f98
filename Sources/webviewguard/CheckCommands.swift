internal import ArgumentParser
internal import JSONText
internal import PolicyFiles
internal import PolicyTools
internal import URLRules

/// `check`: is this file right, and what does it mean?
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check configurations and rule files, and show what they come to.",
    discussion: """
      Prints what is wrong, then what holds for each app, viewer class and protection, then every setting of each \
      protection with what puts it in force, then the app configuration of each account and group that it is targeted \
      at, then the size of each rule set. With --account it prints the app configuration of that account. \
      Ends with 0 when nothing is wrong, with 1 for warnings when --strict is given, and with 2 for errors.
      """)

  @Argument(help: "Configuration directories or rule files.", completion: .file())
  var paths: [String]

  @Flag(help: "Warnings count: end with 1 when there are any.")
  var strict = false

  @Option(help: "Show the app configuration of this account.")
  var account: String?

  @Option(help: "With --account: a Unix group of the account's person; can be repeated.")
  var group: [String] = []

  @OptionGroup var options: FormatOptions

  func validate() throws {
    if account == nil, !group.isEmpty { throw ValidationError("--group goes with --account") }
  }

  private func shownAccount() throws -> CheckedAccount? {
    guard let account else { return nil }
    return CheckedAccount(account, groups: try GroupNames.numbers(of: group))
  }

  func run() throws {
    let output = Output()
    let account = try shownAccount()
    var errors = 0
    var warnings = 0
    let suffixes = PublicSuffixes()
    let checks = ListChecks(isPublicSuffix: suffixes.holds)
    for path in paths {
      let report = CheckReport(CheckedPath.load(path, checks: checks), suffixes, at: TimeOptions.now, account: account)
      errors += report.errorCount
      warnings += report.warningCount
      switch options.format {
      case .text: try report.printText(to: output)
      case .json: try report.printJSON(to: output)
      }
    }
    try output.flush()
    if errors > 0 { throw ExitCode(CommandFailure.status) }
    if strict, warnings > 0 { throw ExitCode(1) }
  }
}

/// `test`: runs the tests in rule files and policies, and reports the gaps between them.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run the tests in rule and policy files.",
    discussion: """
      Prints each failure with its place, what was expected and what came, then `N passed, N failed`. With --coverage \
      it prints before that line what no test reaches, each with a test to paste, and how many rules the tests reach: a \
      rule is reached when it decides a URL of a test. With --boundaries it runs no tests, but prints for each rule what \
      becomes of the neighbours of a URL that it decides; those with another verdict are marked. Ends with 1 when a test \
      fails or --min is not reached, and with 2 when something cannot be loaded.
      """)

  @Argument(help: "Configuration directories or rule files.", completion: .file())
  var paths: [String]

  @Flag(help: "Show which rules, values and defaults no test reaches.")
  var coverage = false

  @Option(help: "With --coverage: end with 1 when fewer percent of the rules are reached.")
  var min: Int?

  @Flag(help: "Show what becomes of the neighbours of a URL that a rule decides.")
  var boundaries = false

  @Option(help: "With --boundaries: only the rule with this id; can be repeated.")
  var rule: [String] = []

  @Option(help: "How results are printed; yaml prints tests to paste.")
  var format = TestFormat.text

  func validate() throws {
    if coverage, boundaries { throw ValidationError("--coverage and --boundaries exclude each other") }
    if min != nil, !coverage { throw ValidationError("--min goes with --coverage") }
    if !rule.isEmpty, !boundaries { throw ValidationError("--rule goes with --boundaries") }
    if format == .yaml, !coverage, !boundaries { throw ValidationError("yaml goes with --coverage or --boundaries") }
    guard (0...100).contains(min ?? 0) else { throw ValidationError("--min takes 0 to 100") }
  }

  func run() throws {
    let loaded = paths.map { CheckedPath.load($0) }
    for path in loaded { DiagnosticPrinter.print(path.diagnostics) }
    let isComplete = !loaded.contains { $0.diagnostics.hasErrors }
    let sets = loaded.flatMap(\.tests)
    let output = Output()
    if boundaries {
      guard isComplete else { throw CommandFailure("not everything could be loaded") }
      try print(BoundaryReport(sets, rules: rule), to: output)
      return try output.flush()
    }
    var outcome = TestOutcome()
    for set in sets { outcome.run(set) }
    for policy in loaded.compactMap(\.policy) { outcome.run(policy) }
    let report = coverage && isComplete ? CoverageReport(sets: sets.map(RuleCoverage.init), minimum: min) : nil
    try print(outcome, report, isComplete: isComplete, to: output)
    try output.flush()
    guard isComplete else { throw CommandFailure("not everything could be loaded, so the tests say nothing") }
    if outcome.failed > 0 || report?.isEnough == false { throw ExitCode(1) }
  }

  private func print(_ report: BoundaryReport, to output: Output) throws {
    switch format {
    case .text: try report.printText(to: output)
    case .json: try output.json(report.json.text())
    case .yaml: try report.printYAML(to: output)
    }
  }

  private func print(
    _ outcome: TestOutcome, _ report: CoverageReport?, isComplete: Bool, to output: Output
  ) throws {
    switch format {
    case .text:
      for line in outcome.failureLines(output.style) { try output.line(line) }
      try report?.printText(to: output)
      if isComplete { try output.line(outcome.summary) }
    case .json where isComplete:
      let coverage = report.map { [JSONTree.Member("coverage", $0.json)] } ?? []
      try output.json(JSONTree.object(outcome.members + coverage).text())
    case .json: break
    case .yaml:
      for line in outcome.failureLines(StandardError.style) { StandardError.say(line) }
      try report?.printYAML(to: output)
    }
  }
}

/// The format of printed test results.
enum TestFormat: String, ExpressibleByArgument, CaseIterable {
  /// For people.
  case text
  /// For programs: one JSON value.
  case json
  /// Lines to stand below `tests:` in a rule file.
  case yaml
}
