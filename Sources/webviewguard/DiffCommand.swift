internal import ArgumentParser
internal import DecisionLog
internal import PolicyFiles
internal import URLRules

/// `diff`: which decisions change.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show which decisions change between two configurations.",
    discussion: """
      Of URLs the verdicts of every rule set that both have are compared, and not what a protection makes of them; of a \
      log, whole decisions: each event is decided anew under both. Without either, the URLs of the tests in both rule \
      files are asked, each with its own context. Ends with 1 when anything changes, with 0 when nothing does, and with \
      2 when something cannot be loaded or there is nothing to compare.
      """)

  @Argument(help: "A configuration directory, or a rule file.", completion: .file())
  var old: String

  @Argument(help: "Another of the same kind.", completion: .file())
  var new: String

  @Option(parsing: .upToNextOption, help: "Files of URLs, one a line; `-` is standard input.", completion: .file())
  var urls: [String] = []

  @OptionGroup var context: ContextOptions

  @Option(
    parsing: .upToNextOption,
    help: "Files of a decision log in their order, or of what else `decide` takes; `-` is standard input.",
    completion: .file())
  var log: [String] = []

  @Option(help: "The app whose records are judged, and which asks what is no record.")
  var app: String?

  @Option(help: "How much of its URL a record must hold to be judged: full, path or host.")
  var replayable = DecideCommand.LeastReplayable.host

  @Option(help: "The file with the key of the log's pseudonyms.", completion: .file())
  var key: String?

  @Option(help: "How many examples to show of each kind of change, at most \(Self.maximumExamples).")
  var examples = 3

  @Option(help: "How many sites to show.")
  var sites = 10

  @Flag(help: "The same answer by another rule is a change as well.")
  var strict = false

  @OptionGroup var options: FormatOptions

  private static let maximumExamples = 100

  func validate() throws {
    if !urls.isEmpty, !log.isEmpty { throw ValidationError("--urls and --log exclude each other") }
    if urls.isEmpty, context.isStated {
      throw ValidationError("--document, --from, --hop and --for go with --urls; tests and logs have their own")
    }
    if log.isEmpty, app != nil || key != nil { throw ValidationError("--app and --key go with --log") }
    guard (0...Self.maximumExamples).contains(examples) else {
      throw ValidationError("--examples takes 0 to \(Self.maximumExamples)")
    }
    guard sites >= 0 else { throw ValidationError("--sites takes no negative number") }
  }

  func run() throws {
    let paths = try ComparedPaths.load(old, new, at: try context.time)
    let report = log.isEmpty ? try compareURLs(paths) : try compareLog(paths)
    let output = Output()
    switch options.format {
    case .text: try report.printText(to: output)
    case .json: try report.printJSON(to: output)
    }
    try output.flush()
    if report.isEmpty { throw CommandFailure(nothingCompared) }
    if report.hasChanges { throw ExitCode(1) }
  }

  private var limits: ChangeLimits {
    var limits = ChangeLimits()
    limits.examples = examples
    return limits
  }

  private func compareURLs(_ paths: ComparedPaths) throws -> DiffReport {
    var comparison = URLComparison(paths.pairs, context.input, limits: limits, isStrict: strict)
    for path in urls { try comparison.read(path) }
    if urls.isEmpty {
      for (index, tests) in paths.tests.enumerated() {
        comparison.ask(RuleTestStep.all(of: tests.old, and: tests.new), ofPair: index)
      }
    }
    var report = DiffReport(
      urls.isEmpty ? .tests : .urls, comparison.counts, comparison.tally, sites: sites, sides: comparison.sides)
    report.ruleSetCount = paths.pairs.count
    (report.onlyInOld, report.onlyInNew) = (paths.onlyInOld, paths.onlyInNew)
    return report
  }

  private func compareLog(_ paths: ComparedPaths) throws -> DiffReport {
    guard let (before, after) = paths.snapshots else {
      throw CommandFailure("--log compares configurations; for rule files give --urls")
    }
    var comparison = LogComparison(
      before, after, app: app, least: Replayability(rawValue: replayable.rawValue) ?? .full, key: try .read(key),
      limits: limits, isStrict: strict)
    for path in log { try comparison.read(path) }
    var report = DiffReport(.log, comparison.counts, comparison.tally, sites: sites) { ($0.before, $0.after) }
    report.coverage = comparison.coverage
    return report
  }

  private var nothingCompared: String {
    if !log.isEmpty { return "no event could be judged under both, so nothing was compared" }
    if !urls.isEmpty { return "there was no URL to judge, so nothing was compared" }
    return "the rule files have no tests, so nothing was compared; give --urls FILE or --log FILE"
  }
}

extension RuleTestStep {
  /// What the tests of two rule files ask, each question once.
  fileprivate static func all(of old: RuleSetTests, and new: RuleSetTests) -> [RuleTestStep] {
    var asked: Set<RuleQuestion> = []
    return (old.tests + new.tests).flatMap(\.steps).filter { asked.insert($0.question).inserted }
  }
}
