internal import ArgumentParser
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `doctor`: is everything in its place, and what helps?
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look after the daemon and its surroundings, and say what to do.",
    discussion: """
      Looks at the configuration, who could write it, the sockets, the decision log, the state, the accounts, the libraries, the \
      clock, the limits, the units of systemd and the policies of browsers, whether the daemon runs or not, and changes nothing. Run it as root \
      or as the daemon's user: what others may not read is told as a warning. Take the same options as `serve`. Ends \
      with 0 when all is well, with 1 for warnings and with 2 for problems.
      """)

  @Option(help: "A configuration directory; give it again for further ones, which mask files of the earlier.")
  var config: [String] = []

  @Option(help: "The directory of the sockets, instead of the configuration's.", completion: .directory)
  var socketDir: String?

  @Option(help: "The directory of the decision log, instead of the configuration's.", completion: .directory)
  var logDir: String?

  @Option(help: "The directory of what outlives the daemon.", completion: .directory)
  var stateDir: String?

  @OptionGroup var options: FormatOptions

  func run() throws {
    var daemon = DaemonOptions(roots: config.isEmpty ? ConfigurationPlace.standardRoots : config)
    daemon.socketDirectory = socketDir
    daemon.logDirectory = logDir
    if let stateDir { daemon.state = StatePlace(directory: stateDir) }
    let findings = Doctor(daemon).findings
    let output = Output()
    switch options.format {
    case .text: try printText(findings, to: output)
    case .json: try output.json(JSONTree.array(findings.map(\.json)).text(layout: output.layout))
    }
    try output.flush()
    let gravest = findings.map(\.level.exitStatus).max() ?? 0
    if gravest != 0 { throw ExitCode(gravest) }
  }

  private func printText(_ findings: [Finding], to output: Output) throws(CommandFailure) {
    let rows = findings.map { [$0.level.rawValue, $0.area, $0.text.escapedForDisplay] }
    for (finding, line) in zip(findings, TextTable(rows).lines) {
      try output.line(finding.level.styled(line, output.style))
      if let remedy = finding.remedy { try output.line("  do: " + remedy.escapedForDisplay) }
    }
    let problems = findings.count { $0.level == .problem }
    let warnings = findings.count { $0.level == .warning }
    try output.line(
      "\(problems) \(problems == 1 ? "problem" : "problems"), \(warnings) \(warnings == 1 ? "warning" : "warnings")")
  }
}

extension Finding.Level {
  fileprivate var exitStatus: Int32 {
    switch self {
    case .ok: 0
    case .warning: 1
    case .problem: 2
    }
  }

  /// The line with its first word in colour.
  fileprivate func styled(_ line: String, _ style: Style) -> String {
    let rest = String(line.dropFirst(rawValue.count))
    switch self {
    case .ok: return style.good(rawValue) + rest
    case .warning: return style.doubtful(rawValue) + rest
    case .problem: return style.bad(rawValue) + rest
    }
  }
}

/// The result of one check of `doctor`: its state, and the remedy.
struct Finding: Hashable {
  enum Level: String, Hashable, CaseIterable {
    case ok
    /// It works, but perhaps not for long, or not as it should.
    case warning
    /// It does not work, or not safely.
    case problem
  }

  var level: Level
  /// The part of the daemon: `configuration`, `log` …
  var area: String
  /// One line.
  var text: String
  /// The remedy; nil when none is needed.
  var remedy: String?

  static func ok(_ area: String, _ text: String) -> Finding { Finding(level: .ok, area: area, text: text) }

  static func warning(_ area: String, _ text: String, _ remedy: String) -> Finding {
    Finding(level: .warning, area: area, text: text, remedy: remedy)
  }

  static func problem(_ area: String, _ text: String, _ remedy: String) -> Finding {
    Finding(level: .problem, area: area, text: text, remedy: remedy)
  }

  var json: JSONTree {
    [
      "level": .string(level.rawValue), "area": .string(area), "text": .string(text),
      "remedy": remedy.map(JSONTree.string) ?? .null,
    ]
  }
}
