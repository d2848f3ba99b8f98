internal import ArgumentParser
internal import Glibc
internal import GuardService
internal import Logging
internal import Platform
internal import PolicyFiles
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
          ImportCommand.self,
          ExportConfigCommand.self,
        ]),
      CommandGroup(name: "Without a daemon", subcommands: [ClassifyCommand.self, DecideCommand.self, URLCommand.self]),
      CommandGroup(
        name: "Daemon",
        subcommands: [
          ServeCommand.self, CallCommand.self, WhoAmICommand.self, StatusCommand.self, HealthCommand.self,
          ComplianceCommand.self, MetricsCommand.self, DoctorCommand.self, MonitorCommand.self, ReloadCommand.self,
          CheckInCommand.self, RollbackCommand.self, ExceptionCommand.self, AccountCommand.self, ExplainCommand.self,
          NativeMessagingCommand.self, SessionCommand.self, WipeFilesCommand.self,
          DirectoriesCommand.self,
        ]),
      CommandGroup(name: "For authors of apps", subcommands: [SelfTestCommand.self, MockCommand.self]),
      CommandGroup(name: "Sealed data", subcommands: [SealCommand.self, UnsealCommand.self, OwnerCommand.self]),
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
      end(with: error)
    }
  }

  /// Ends with the message of a wrong command line. It repeats what somebody may have pasted: nothing in it reaches the
  /// terminal as itself.
  private static func end(with error: any Error) -> Never {
    let status = exitCode(for: error)
    guard status == .validationFailure else { exit(withError: error) }
    let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
    if lines != [""] { StandardError.say(lines.map { String($0).escapedForDisplay }.joined(separator: "\n")) }
    Glibc.exit(status.rawValue)
  }
}

/// `serve`: the daemon, in the foreground.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the daemon in the foreground.",
    discussion: """
      Reads the configuration, serves guard.sock and admin.sock, and logs every decision. SIGHUP reads the \
      configuration again; SIGTERM and SIGINT end it after the last answer has left.
      """)

  @Option(help: "A configuration directory; give it again for further ones, which mask files of the earlier.")
  var config: [String] = []

  @Option(help: "The directory of the sockets, instead of the configuration's.")
  var socketDir: String?

  @Option(help: "The directory of the decision log, instead of the configuration's.")
  var logDir: String?

  @Flag(help: "Record nothing. For measuring only: nobody can tell afterwards what was decided.")
  var withoutDecisionLog = false

  @Option(
    help: """
      The directory of what outlives the daemon: whose the clipboards are, and the latest time on record. Else \
      $STATE_DIRECTORY, /var/lib/webviewguard for root, $XDG_STATE_HOME/webviewguard for a user.
      """)
  var stateDir: String?

  @Flag(help: "Let nothing outlive the daemon: after a restart every clip has an unknown managed owner.")
  var withoutState = false

  @Option(help: "How much to say on standard error: trace, debug, info, notice, warning, error or critical.")
  var logLevel: String = "notice"

  func validate() throws {
    if withoutState, stateDir != nil {
      throw ValidationError("`--without-state` and `--state-dir` contradict each other")
    }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("`\(logLevel)` is no log level; say trace, debug, info, notice, warning, error or critical")
    }
  }

  func run() async throws {
    let messages = QueuedLogHandler()
    var logger = Logger(label: "webviewguard") { _ in messages }
    defer { messages.flush() }
    logger.logLevel = Logger.Level(rawValue: logLevel) ?? .notice
    var options = DaemonOptions(roots: roots)
    options.socketDirectory = socketDir
    options.logDirectory = logDir
    options.withoutLog = withoutDecisionLog
    if let stateDir { options.state = StatePlace(directory: stateDir) }
    if withoutState { options.state = nil }
    if options.state == nil {
      let cause = withoutState ? "--without-state" : "there is no home directory; say --state-dir"
      logger.warning("nothing outlives the daemon: \(cause)")
    }
    if withoutDecisionLog { logger.warning("nothing is recorded: --without-decision-log") }
    do {
      try await GuardDaemon(options: options, logger: logger).run()
    } catch let error as StartError {
      StandardError.write("error: \(error)\n")
      throw ExitCode(2)
    }
  }

  private var roots: [String] { config.isEmpty ? ConfigurationPlace.standardRoots : config }
}
