internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `rollback`: puts the previous policy back in force.
struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Put the policy before this one back in force.",
    discussion: """
      It stays, across restarts, until `reload` loads another configuration than the one that was rolled back from, or \
      that one with --force. `status` lists the policies that are kept. Ends with 1 when there is none to go back to.
      """)

  @Option(help: "The digest of the policy to go back to, or its first 8 digits or more.")
  var to: String?

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let parameters = to.map { JSONTree.object([.init("to", .string($0))]) } ?? .object([])
    let reply = try place.ask("org.webviewguard.Admin.Rollback", parameters.text()).parameters
    let output = Output()
    if options.format == .json {
      try output.json(reply.text(layout: output.layout))
    } else {
      let number = reply["generation"]?.int.map { String($0) } ?? "unknown"
      try output.line(output.shown("rolled back, generation \(number), digest \(reply["digest"]?.string ?? "unknown")"))
    }
    try output.flush()
  }
}
