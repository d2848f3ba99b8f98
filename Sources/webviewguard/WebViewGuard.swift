internal import ArgumentParser
internal import Glibc
internal import GuardService
internal import PolicyTools

/// The program: one verb, one file.
///
/// Results go to standard output, everything else to standard error. It ends with 0, with 1 where a verb says so, with
/// 2 when the work failed, and with 64 (`EX_USAGE` of sysexits.h) when the command line cannot be understood.
@main
struct WebViewGuard: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webviewguard", abstract: "Guards web views against data leaks.",
    discussion: """
      Results go to standard output, everything else to standard error. The exit status is 0 for success, 1 for a \
      negative finding where a command says so, 2 when something could not be done, and 64 for a wrong command line.
      """,
    version: DaemonOptions.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Policy",
        subcommands: [
          InitCommand.self, CheckCommand.self, TestCommand.self, DiffCommand.self, ExportCommand.self,
        ]),
      CommandGroup(name: "Without a daemon", subcommands: [ClassifyCommand.self, DecideCommand.self, URLCommand.self]),
      CommandGroup(
        name: "Daemon",
        subcommands: [
          ServeCommand.self, CallCommand.self, WhoAmICommand.self, StatusCommand.self, HealthCommand.self,
          MetricsCommand.self, DoctorCommand.self, MonitorCommand.self, ReloadCommand.self, RollbackCommand.self,
          ExceptionCommand.self, ExplainCommand.self, NativeMessagingCommand.self,
        ]),
      CommandGroup(name: "Log", subcommands: [LogCommand.self]),
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var serving = command as? any AsyncParsableCommand {
        try await serving.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      StandardError.write("error: \(failure.message)\n")
      Glibc.exit(CommandFailure.status)
    } catch {
      exit(withError: error)
    }
  }
}
