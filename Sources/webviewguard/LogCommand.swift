internal import ArgumentParser

/// `log`: reading the decision log.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Read, verify and repair the decision log.",
    subcommands: [LogShowCommand.self, LogVerifyCommand.self, LogHeadCommand.self, LogRepairCommand.self])
}
