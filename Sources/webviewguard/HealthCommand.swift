internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// `health`: one line and an exit status, quick, for probes.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Say in one line how well the daemon is, for probes.",
    discussion: """
      Ends with 0 when all is well, with 1 when the daemon decides but somebody should look after it, and with 2 when \
      it has no policy, cannot be asked, or does not answer in time. `status` says more.
      """)

  @Flag(help: "Print nothing; the exit status tells.")
  var quiet = false

  @Option(help: "How long to wait for the answer, in milliseconds.")
  var timeout = 2000

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func validate() throws {
    guard (1...600_000).contains(timeout) else { throw ValidationError("--timeout takes 1 to 600000 milliseconds") }
  }

  func run() throws {
    let reply = try ask()
    let health = ReportedHealth(reply)
    if !quiet {
      let output = Output()
      switch options.format {
      case .text: try output.line(health.line.escapedForDisplay)
      case .json: try output.json(reply.text(layout: output.layout))
      }
      try output.flush()
    }
    if health.exitStatus != 0 { throw ExitCode(health.exitStatus) }
  }

  private func ask() throws -> JSONTree {
    let reply: VarlinkReply
    do throws(ClientError) { reply = try receive() } catch { throw failure(error.description) }
    guard let error = reply.error else { return reply.parameters }
    throw failure("the daemon answers `\(error)`")
  }

  private func receive() throws(ClientError) -> VarlinkReply {
    let deadline = Deadline(after: timeout)
    var client = try VarlinkClient(connectingTo: place.path(.forAdministrators), patience: timeout)
    try client.send("org.webviewguard.Admin.Health")
    return try client.receive(until: deadline)
  }

  /// The exit status of a daemon that cannot decide: a program that asks it would get no answer.
  private func failure(_ words: String) -> any Error {
    quiet ? ExitCode(CommandFailure.status) : CommandFailure(words.escapedForDisplay)
  }
}
