internal import ArgumentParser
internal import JSONText
internal import PolicyTools

/// `whoami`: how the daemon sees the caller.
struct WhoAmICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show how the daemon sees you, and which app you count as.")

  @Flag(help: "Show what who helps you needs to know of you and of your own programs, and nothing of others.")
  var report = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    if report { return try showReport() }
    let reply = try place.ask("org.webviewguard.Guard.WhoAmI").parameters
    let output = Output()
    if options.format == .json {
      try output.json(reply.text(layout: output.layout))
    } else {
      let rows = ["uid", "groups", "unit", "label", "socket", "app"].map { name in [name, text(reply[name])] }
      for line in TextTable(rows).lines { try output.line(output.shown(line)) }
    }
    try output.flush()
  }

  /// Also where the daemon does not answer: then that is what to report.
  private func showReport() throws {
    let report = UserReport(place)
    let output = Output()
    if options.format == .json {
      try output.json(report.tree.text(layout: output.layout))
    } else {
      for line in TextTable(report.rows).lines { try output.line(output.shown(line)) }
    }
    try output.flush()
    if report.hasFailed { throw ExitCode(CommandFailure.status) }
  }

  private func text(_ value: JSONTree?) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    case .array(let elements): elements.compactMap(\.string).joined(separator: ", ")
    default: "none"
    }
  }
}
