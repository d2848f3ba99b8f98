internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `reload`: the daemon reads its configuration again.
struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the daemon read its configuration again.",
    discussion: """
      Prints what is wrong with it. Ends with 1 when it does not come into force; the old policy then stays. With \
      --preview nothing comes into force: it ends with 0 when no recent event would be answered otherwise, with 1 when \
      some would, and with 2 when the configuration cannot be loaded.
      """)

  @Flag(help: "Only show which recent events would be answered otherwise.")
  var preview = false

  @Option(help: "Leave the old policy in force when more recent events would be answered less strictly: 20, or 5%.")
  var maxChange: ChangeLimit?

  @Flag(help: "Also load a configuration that was rolled back from.")
  var force = false

  @Flag(help: "Wait for a daemon that is just starting, and no longer than --timeout for its answer.")
  var wait = false

  @Option(help: "How many seconds to wait with --wait.")
  var timeout = 60

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func validate() throws {
    if preview, maxChange != nil {
      throw ValidationError("`--preview` puts nothing in force, so `--max-change` says nothing beside it")
    }
    guard (1...86_400).contains(timeout) else { throw ValidationError("`--timeout` takes 1 to 86400 seconds") }
  }

  func run() throws {
    let report = ReloadReport(reply: try ask(), isPreview: preview)
    let output = Output()
    if options.format == .json {
      try output.json(report.reply.parameters.text(layout: output.layout))
    } else {
      for line in report.lines { try output.line(output.shown(line)) }
    }
    try output.flush()
    guard report.status == 0 else { throw ExitCode(report.status) }
  }

  /// The reply, which may be an error that tells of the load; any other error is no answer.
  private func ask() throws -> VarlinkReply {
    let method = "org.webviewguard.Admin.Reload"
    do {
      let path = place.path(.forAdministrators)
      let reply: VarlinkReply
      if wait {
        reply = try PatientClient(path: path, seconds: timeout).call(method, try parameters)
      } else {
        var client = try VarlinkClient(connectingTo: path)
        reply = try client.call(method, try parameters)
      }
      guard let error = reply.error, !ReloadReport.errors.contains(error) else { return reply }
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    } catch let error as ClientError {
      throw CommandFailure(error.description)
    }
  }

  private var parameters: CallText {
    get throws {
      var members: [JSONTree.Member] = []
      if preview { members.append(.init("preview", true)) }
      if let maxChange { members.append(maxChange.member) }
      if force { members.append(.init("force", true)) }
      return try CallText(Array(JSONTree.object(members).text().utf8).span)
    }
  }
}

/// How much may change: a number of events, or a part of those that were judged.
enum ChangeLimit: ExpressibleByArgument, Equatable {
  case events(Int)
  case percent(Int)

  /// `20` or `5%`; nil for anything else.
  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    guard let number = Int(isPercent ? String(argument.dropLast()) : argument), number >= 0 else { return nil }
    guard !isPercent || number <= 100 else { return nil }
    self = isPercent ? .percent(number) : .events(number)
  }

  var member: JSONTree.Member {
    switch self {
    case .events(let number): .init("maxChange", .int(Int64(number)))
    case .percent(let number): .init("maxChangePercent", .int(Int64(number)))
    }
  }
}
