internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `monitor`: decisions as they are taken.
struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Show decisions as they are taken, until interrupted.",
    discussion: """
      One line each: time, outcome, reason, event, viewer@app, URL as the log has it, and the rule that decided. \
      With --format json the daemon's own replies.
      """)

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let output = Output()
    do {
      var client = try VarlinkClient(connectingTo: place.path(.forAdministrators))
      try client.send("org.webviewguard.Admin.Monitor", replies: .more)
      while try show(try client.receive(), output) {}
    } catch let error as ClientError {
      throw CommandFailure(error.description)
    }
  }

  /// Shows one reply; true when more will come.
  private func show(_ reply: VarlinkReply, _ output: Output) throws -> Bool {
    if let error = reply.error {
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    }
    if let skipped = reply.parameters["skipped"]?.int {
      StandardError.say("\(skipped) decisions were left out, because this reader was too slow")
    }
    switch options.format {
    case .json: try output.json(reply.parameters.text())
    case .text: try output.line(MonitorLine(reply.parameters).text(output.style))
    }
    try output.flush()
    return reply.continues
  }
}

/// One watched decision as a line for people, without anything that could steer a terminal.
private struct MonitorLine {
  private let reply: JSONTree
  private let decision: JSONTree

  init(_ reply: JSONTree) {
    self.reply = reply
    decision = reply["decision"] ?? .null
  }

  func text(_ style: Style) -> String {
    let outcome = decision["outcome"]?.string ?? "block"
    let coloured = outcome == "allow" ? style.good(visible(outcome)) : style.bad(visible(outcome))
    return [time, coloured, word(decision["reason"]), word(reply["event"]), who, url, rule].compactMap(\.self)
      .joined(separator: " ")
  }

  private var time: String? {
    guard let milliseconds = reply["time"]?.int, milliseconds >= 0 else { return nil }
    return RFC3339.text(UInt64(milliseconds))
  }

  private var who: String? {
    guard let app = word(reply["app"]) else { return nil }
    return (word(reply["viewer"]) ?? "") + "@" + app
  }

  private var url: String? { word(reply["url"]) }

  private var rule: String? {
    guard let rule = word(decision["rule"]) else { return nil }
    return "rule=" + (word(decision["ruleSet"]) ?? "") + "/" + rule
  }

  private func word(_ value: JSONTree?) -> String? { value?.string.map(visible) }
}
