internal import ArgumentParser
internal import DecisionLog
internal import PolicyTools

/// `log report`: what the records say together.
struct LogReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Tell what the records of a log say together.",
    discussion: """
      --coverage lists for each app the kinds of events that it asked about, those that it never asked about, and the \
      features that it did not claim: what an app does not ask about is not guarded. Decisions without a record of their \
      own (`record: counts`) have no kind in the log. Times are as in `log show`.
      """)

  @Argument(help: "The directory of the log, or its files in their order; `-` is standard input.", completion: .file())
  var files: [String]

  @Flag(help: "The kinds of events that each app never asks about.")
  var coverage = false

  @Option(help: "Count nothing earlier.", transform: LogTime.read)
  var since: LogTime?

  @Option(help: "Count nothing at or after this time.", transform: LogTime.read)
  var until: LogTime?

  @Option(help: "Report on this app only.")
  var app: String?

  @OptionGroup var options: FormatOptions

  func validate() throws {
    if !coverage { throw ValidationError("say what to report: --coverage") }
  }

  func run() throws {
    var filter = LogFilter()
    (filter.since, filter.until, filter["app"]) = (since?.milliseconds, until?.milliseconds, app)
    let output = Output()
    let found = try EventCoverage.read(files, filter) { path, count in LogShowCommand.tell(count, of: path) }
    switch options.format {
    case .text: try found.printText(to: output)
    case .json: try found.printJSON(to: output)
    }
    try output.flush()
  }
}
