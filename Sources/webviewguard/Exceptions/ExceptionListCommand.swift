internal import ArgumentParser
internal import JSONText
internal import PolicyTools

/// `exception list`: the sites that are let in now.
struct ExceptionListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show the exceptions in force, the oldest first.")

  @Flag(help: "Show the last 100 that ended as well.")
  var all = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let members: [JSONTree.Member] = all ? [.init("all", true)] : []
    let reply = try place.askOfExceptions("ListExceptions", .object(members))
    let output = Output()
    if options.format == .json {
      try output.json(reply.text(layout: output.layout))
    } else {
      let rows = (reply["exceptions"]?.array ?? []).map { ShownException($0).row }
      let header = ["ID", "SITE", "FOR", "UNTIL", "BY", "REASON"]
      for line in rows.isEmpty ? ["none"] : TextTable(header, rows).lines { try output.line(output.shown(line)) }
    }
    try output.flush()
  }
}
