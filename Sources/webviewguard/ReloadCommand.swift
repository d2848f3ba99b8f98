internal import ArgumentParser
internal import JSONText

/// `reload`: the daemon reads its configuration again.
struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the daemon read its configuration again.",
    discussion: "Prints what is wrong with it. Ends with 1 when it could not be loaded; the old policy then stays.")

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let output = Output()
    let reply = try ask()
    if options.format == .json {
      try output.line(reply.parameters.text(layout: output.layout))
    } else {
      for line in reply.parameters["diagnostics"]?.strings ?? [] { try printDiagnostic(line, output) }
      try output.line(summary(reply))
    }
    try output.flush()
    if reply.error != nil { throw ExitCode(1) }
  }

  /// The reply, which may be the error that a load failed; any other error is no answer.
  private func ask() throws -> VarlinkReply {
    do {
      var client = try VarlinkClient(connectingTo: place.path(.forAdministrators))
      let reply = try client.call("org.webviewguard.Admin.Reload")
      guard let error = reply.error, error != "org.webviewguard.Admin.LoadFailed" else { return reply }
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    } catch let error as ClientError {
      throw CommandFailure(error.description)
    }
  }

  /// A diagnostic of two lines, the second a hint, comes as one text.
  private func printDiagnostic(_ text: String, _ output: Output) throws(CommandFailure) {
    for line in text.split(separator: "\n") { try output.line(output.shown(String(line))) }
  }

  private func summary(_ reply: VarlinkReply) -> String {
    guard reply.error == nil else { return "not loaded; the policy in force stays" }
    let generation = reply.parameters["generation"]?.int.map { String($0) } ?? "unknown"
    let isChanged = reply.parameters["changed"]?.bool ?? false
    return isChanged ? "loaded, generation \(generation)" : "nothing changed, generation \(generation)"
  }
}

extension JSONTree {
  /// The strings of an array.
  fileprivate var strings: [String] {
    guard case .array(let elements) = self else { return [] }
    return elements.compactMap(\.string)
  }
}
