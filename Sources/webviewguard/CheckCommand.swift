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
      protection with what puts it in force, then the size of each rule set. \
      Ends with 0 when nothing is wrong, with 1 for warnings when --strict is given, and with 2 for errors.
      """)

  @Argument(help: "Configuration directories or rule files.", completion: .file())
  var paths: [String]

  @Flag(help: "Warnings count: end with 1 when there are any.")
  var strict = false

  @OptionGroup var options: FormatOptions

  func run() throws {
    let output = Output()
    var errors = 0
    var warnings = 0
    let suffixes = PublicSuffixes()
    let checks = ListChecks(isPublicSuffix: suffixes.holds)
    for path in paths {
      let report = CheckReport(CheckedPath.load(path, checks: checks), suffixes, at: TimeOptions.now)
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
