internal import ArgumentParser
internal import DecisionLog
internal import PolicyFiles
internal import PolicyTools
internal import URLRules

/// `diff`: the differences between two configurations, and the decisions that change.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what differs between two configurations, and which decisions change.",
    discussion: """
      First what the two say differently, one line each: whether it is `looser`, `tighter` or `sideways`, both values and \
      both places. What is only written differently is no difference. Then the tests of both are run under both. Then \
      come URLs (`--urls`: the verdicts of every rule set that both have, and not what a protection makes of them) or a log \
      (`--log`: whole decisions, each event decided anew under both). Ends with 1 when anything differs, with 0 when \
      nothing can, and with 2 when something cannot be loaded or there was nothing to judge.
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
    if !log.isEmpty, paths.snapshots == nil {
      throw CommandFailure("--log compares configurations; for rule files give --urls")
    }
    var printer = DiffPrinter(format: options.format, DifferenceList(paths.differences))
    try printer.begin()
    try printer.add(compareTests(paths))
    let report = log.isEmpty ? try compareURLs(paths) : try compareLog(paths)
    try printer.finish(report)
    if report.isEmpty, let problem = nothingCompared { throw CommandFailure(problem) }
    if printer.hasChanges { throw ExitCode(1) }
  }

  private var limits: ChangeLimits {
    var limits = ChangeLimits()
    limits.examples = examples
    return limits
  }

  /// Runs the tests of both policies, and asks the URLs of the tests of both rule files.
  private func compareTests(_ paths: ComparedPaths) -> [DiffReport] {
    var reports: [DiffReport] = []
    if let before = paths.old.policy, let after = paths.new.policy {
      let events = EventTestComparison(before, after, limits: limits, isStrict: strict)
      var report = DiffReport(.events, events.counts, events.tally, sites: sites) { ($0.before, $0.after) }
      report.testCount = events.tests
      reports.append(report)
    }
    guard !urls.isEmpty || !log.isEmpty else { return reports }
    return reports + [compareRuleTests(paths)]
  }

  private func compareRuleTests(_ paths: ComparedPaths) -> DiffReport {
    var comparison = URLComparison(paths.pairs, MatchInput(), limits: limits, isStrict: strict)
    for (index, tests) in paths.tests.enumerated() {
      comparison.ask(RuleTestStep.all(of: tests.old, and: tests.new), ofPair: index)
    }
    return report(.tests, comparison, paths)
  }

  private func compareURLs(_ paths: ComparedPaths) throws -> DiffReport {
    guard !urls.isEmpty else { return compareRuleTests(paths) }
    var comparison = URLComparison(paths.pairs, context.input, limits: limits, isStrict: strict)
    for path in urls { try comparison.read(path) }
    return report(.urls, comparison, paths)
  }

  private func report(_ source: DiffReport.Source, _ comparison: URLComparison, _ paths: ComparedPaths) -> DiffReport {
    var report = DiffReport(
      source, comparison.counts, comparison.tally, sites: sites, sides: comparison.sides)
    report.ruleSetCount = paths.pairs.count
    (report.onlyInOld, report.onlyInNew) = (paths.onlyInOld, paths.onlyInNew)
    return report
  }

  private func compareLog(_ paths: ComparedPaths) throws -> DiffReport {
    guard let before = paths.old.policy, let after = paths.new.policy else {
      throw CommandFailure("--log compares configurations")
    }
    let least = Replayability(rawValue: replayable.rawValue) ?? .full
    let pseudonyms: AccountPseudonyms? = try .read(key)
    var input: [String: String] = [:]
    if log.contains("-") { input["-"] = try SpooledInput().path }
    var survey = LogSurvey(least: least)
    for path in log { try survey.read(input[path] ?? path) }
    let bindings = RecordedBindings(before, after, protections: survey.protections, hasKey: pseudonyms != nil)
    if let reason = survey.hopelessness(bindings, key: pseudonyms, app: app) { throw CommandFailure(reason) }
    var comparison = LogComparison(
      bindings, at: paths.time, app: app, least: least, key: pseudonyms, limits: limits, isStrict: strict)
    for path in log { try comparison.read(input[path] ?? path, as: path) }
    var report = DiffReport(.log, comparison.counts, comparison.tally, sites: sites) { ($0.before, $0.after) }
    report.coverage = comparison.coverage
    return report
  }

  /// The error when no question could be judged. Without URLs and logs only the tests are asked, and the differences
  /// are printed anyway.
  private var nothingCompared: String? {
    if !log.isEmpty { return "no event could be judged under both, so no decisions were compared" }
    return urls.isEmpty ? nil : "there was no URL to judge, so no decisions were compared"
  }
}

extension RuleTestStep {
  /// The questions of the tests of two rule files, each once.
  fileprivate static func all(of old: RuleSetTests, and new: RuleSetTests) -> [RuleTestStep] {
    var asked: Set<RuleQuestion> = []
    return (old.tests + new.tests).flatMap(\.steps).filter { asked.insert($0.question).inserted }
  }
}
