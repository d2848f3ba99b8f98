internal import ArgumentParser
internal import PolicyFiles
internal import URLRules

/// `test`: runs the tests that stand in rule files.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Run the tests in rule files.",
    discussion: """
      Prints each failure with its place, what was expected and what came, then `N passed, N failed`. \
      Ends with 1 when a test fails, and with 2 when something cannot be loaded.
      """)

  @Argument(help: "Configuration directories or rule files.", completion: .file())
  var paths: [String]

  func run() throws {
    let output = Output()
    var tally = TestTally()
    var isComplete = true
    for path in paths {
      let loaded = CheckedPath.load(path)
      DiagnosticPrinter.print(loaded.diagnostics)
      if loaded.diagnostics.hasErrors { isComplete = false }
      for set in loaded.tests { try tally.run(set, output) }
    }
    if isComplete { try output.line("\(tally.passed) passed, \(tally.failed) failed") }
    try output.flush()
    guard isComplete else { throw CommandFailure("not everything could be loaded, so the tests say nothing") }
    if tally.failed > 0 { throw ExitCode(1) }
  }
}

private struct TestTally {
  private(set) var passed = 0
  private(set) var failed = 0

  /// Runs the tests of a rule set; failures go to the output.
  mutating func run(_ set: RuleSetTests, _ output: Output) throws(CommandFailure) {
    let runner = RuleTestRunner(set.ruleSet)
    for test in set.tests {
      let result = runner.run(test)
      if result.passed { passed += 1 } else { failed += 1 }
      for step in result.steps {
        guard let failure = step.failure else { continue }
        let url = step.step.question.url.quotedForLine
        try output.line("\(step.step.location): \(output.style.bad("failed")): \(url): \(failure)")
      }
    }
  }
}

extension String {
  /// The whole text in backticks, on one line and harmless to a terminal.
  fileprivate var quotedForLine: String { "`\(escapedForDisplay)`" }
}
