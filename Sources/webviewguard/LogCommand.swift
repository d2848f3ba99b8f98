internal import ArgumentParser

/// `log`: reading the decision log.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Read and verify the decision log.",
    subcommands: [LogShowCommand.self, LogVerifyCommand.self, LogHeadCommand.self])
}
