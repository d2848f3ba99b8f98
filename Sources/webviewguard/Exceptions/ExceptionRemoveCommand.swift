internal import ArgumentParser
internal import JSONText
internal import PolicyTools

/// `exception remove`: takes an exception back.
struct ExceptionRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take an exception back.",
    discussion: "It no longer holds when the command ends, whatever the command says.")

  @Argument(help: "The id of the exception, as `exception list` shows it.")
  var id: String

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let reply = try place.askOfExceptions("RemoveException", .object([.init("id", .string(id))]))
    let output = Output()
    if options.format == .json {
      try output.json(reply.text(layout: output.layout))
    } else {
      let exception = ShownException(reply["exception"] ?? .null)
      try output.line(output.shown("taken back \(exception.id): \(exception.site)"))
    }
    try output.flush()
  }
}
