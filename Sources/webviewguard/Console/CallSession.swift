internal import GuardProtocol
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// One connection whose replies are printed as they come.
final class CallSession {
  private var client: VarlinkClient
  private let output: Output
  /// Errors of the daemon stand among the results, so that each line of the input has its reply.
  private let printsErrors: Bool
  /// A call was sent that nothing answers.
  private var sentOneway = false
  /// Whether any call was answered with an error.
  private(set) var failed = false

  init(path: String, output: Output, printsErrors: Bool = false) throws(CommandFailure) {
    do throws(ClientError) {
      client = try VarlinkClient(connectingTo: path)
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    self.output = output
    self.printsErrors = printsErrors
  }

  /// Calls and prints every reply; `isShown: false` keeps replies back, but not errors.
  func call(
    _ method: String, _ parameters: CallText, replies: ReplyMode, isShown: Bool = true
  ) throws(CommandFailure) {
    do throws(ClientError) {
      try client.send(method, parameters, replies: replies)
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    guard replies != .none else {
      sentOneway = true
      return
    }
    while true {
      let reply = try receive()
      if isShown || reply.error != nil { try show(reply) }
      guard reply.continues else { return }
      try output.flush()
    }
  }

  /// Writes what was printed, and waits until the daemon has read what it does not answer.
  func finish() throws(CommandFailure) {
    try output.flush()
    guard sentOneway else { return }
    do throws(ClientError) { try client.finish() } catch { throw CommandFailure(error.description.escapedForDisplay) }
  }

  private func receive() throws(CommandFailure) -> VarlinkReply {
    do throws(ClientError) { return try client.receive() } catch {
      try output.flush()
      throw CommandFailure(error.description.escapedForDisplay)
    }
  }

  private func show(_ reply: VarlinkReply) throws(CommandFailure) {
    guard let error = reply.error else {
      return try output.json(reply.parameters.text(layout: printsErrors ? .compact : output.layout))
    }
    failed = true
    guard printsErrors else { return StandardError.say(reply.errorText(error)) }
    try output.json(JSONTree.object([.init("error", .string(error)), .init("parameters", reply.parameters)]).text())
  }
}

extension VarlinkReply {
  /// The error as a line for people, with the way out of the frequent ones.
  func errorText(_ error: String) -> String {
    let line = "error: \(error.escapedForDisplay) \(parameters.text().escapedAsJSON)"
    guard let hint = Self.hints[error] else { return line }
    return line + "\n  hint: " + hint
  }

  private static let hints = [
    "org.webviewguard.Guard.NotAttached": "say as which app you ask: `--app NAME`, or `--instance TOKEN`",
    "org.webviewguard.Guard.NoApp": "no app's `peers` speak of you; `webviewguard whoami` shows what the daemon sees",
    "org.webviewguard.Guard.AppAmbiguous": "you match several apps; name one: `--app NAME`",
    "org.webviewguard.Guard.NoPolicy": "no policy ever loaded; `webviewguard status` says why",
    "org.webviewguard.Rules.UnknownDecision": "only the latest are remembered; `webviewguard log show` has the others",
    "org.webviewguard.Admin.NothingToRollBackTo":
      "no other policy is kept yet; `webviewguard status` lists those that are",
    "org.webviewguard.Admin.UnknownPolicy":
      "give 8 digits or more of one that is kept; `webviewguard status` lists them",
  ]
}
