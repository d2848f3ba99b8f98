internal import ArgumentParser
internal import JSONText
internal import PolicyTools

/// `explain`: the reasons for a decision.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Say step by step why a decision came out as it did.",
    discussion: "The daemon remembers its latest decisions; older ones are in the log.")

  @Argument(help: "The id of the decision, as the answer and the log have it.")
  var decision: String

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let parameters = JSONTree.object([.init("decision", .string(decision))]).text()
    let reply = try place.ask("org.webviewguard.Rules.Explain", parameters).parameters
    let output = Output()
    if options.format == .json {
      try output.json(reply.text(layout: output.layout))
    } else if case .array(let steps) = reply["steps"] {
      for (index, step) in steps.compactMap(\.string).enumerated() {
        try output.line("\(index + 1). \(output.shown(step))")
      }
    }
    try output.flush()
  }
}
