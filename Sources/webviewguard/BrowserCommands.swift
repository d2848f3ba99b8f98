internal import ArgumentParser
internal import Glibc
internal import GuardModel
internal import NativeHost
internal import PolicyFiles
internal import PolicyTools
internal import RuleExport
internal import URLRules
internal import WebViewGuardClient

/// `export`: external rules as an engine's own.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the external rules and default as static rules of a browser engine.",
    discussion: """
      They guard while the daemon is down, and where an engine has no hook. An external default is exported where it \
      stops nothing that the daemon lets pass, and internal rules as exceptions. The rules go to standard output as one JSON document. What they do not say as the daemon \
      would goes to standard error, a line for each rule, or to the file of --report as JSON. Ends with 0, with 1 when \
      --strict is given and a rule could not be said exactly, and with 2 when something cannot be loaded.
      """)

  @Option(name: .customLong("for"), help: "The engine.")
  var format: ExportFormat

  @Option(help: "A rule file: every external rule in it is exported.", completion: .file(extensions: ["yaml"]))
  var rules: String?

  @Option(help: "A configuration directory; give it again for further ones, which mask files of the earlier.")
  var config: [String] = []

  @Option(help: "The app whose viewers are guarded.")
  var app: String?

  @Option(name: .customLong("class"), help: "The viewer class whose rule set is exported.")
  var viewerClass: String?

  @Option(help: "The protection that decides whether external pages load in place; left out, the strictest counts.")
  var protection: String?

  @Option(help: "A file for the report, as JSON.", completion: .file())
  var report: String?

  @Flag(help: "End with 1 when a rule could not be said exactly.")
  var strict = false

  @OptionGroup var moment: TimeOptions

  func validate() throws {
    guard (rules == nil) != config.isEmpty else { throw ValidationError("give either --rules or --config") }
    guard config.isEmpty, app != nil || viewerClass != nil || protection != nil else { return }
    throw ValidationError("--app, --class and --protection go with --config")
  }

  func run() throws {
    let output = Output()
    let source = try source(at: try moment.seconds)
    let export = Export(source, as: format, layout: output.layout)
    if let report {
      try FileBytes.write(export.report, to: report)
    } else {
      sayNotes(of: export, source)
    }
    output.append(export.document.span)
    try output.endLine()
    try output.flush()
    if strict, export.notes.contains(where: \.code.isGap) { throw ExitCode(1) }
  }

  private func source(at time: Int64) throws -> ExportSource {
    if let rules { return ExportSource(ruleSet: try RuleFiles.load(rules).at(time)) }
    let result = ConfigurationLoader(roots: config).load()
    DiagnosticPrinter.print(result.diagnostics)
    guard let policy = result.policy else { throw CommandFailure("the configuration cannot be loaded") }
    let choice = ExportChoice(app: app, viewerClass: viewerClass, protection: protection)
    do throws(ExportProblem) { return try ExportSource(policy, choice, at: time) } catch {
      throw CommandFailure(error.message)
    }
  }

  private func sayNotes(of export: Export, _ source: ExportSource) {
    for note in export.notes { StandardError.say(note.line) }
    guard let digest = source.digest else { return }
    StandardError.say("exported: rule set \(source.ruleSet.name.quoted) of the policy with digest \(digest)")
  }
}

extension ExportFormat: ExpressibleByArgument {}

/// `native-messaging`: the host program of the browser extension.
struct NativeMessagingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "native-messaging", abstract: "Serve the browser extension (started by the browser).",
    discussion: """
      Speaks the browsers' native messaging on standard input and output, and asks the daemon. Browsers start it with \
      the extension's origin, or with the path of its manifest and the extension's id; both are only logged. A host \
      manifest holds no options, so each may also be given as a variable: WEBVIEWGUARD_SOCKET_DIR, \
      WEBVIEWGUARD_CONFIG and WEBVIEWGUARD_APP. Where the machine has a daemon of its own the variables do not count, since \
      the user sets them, and only root and the user `webviewguard` are believed to be the daemon.
      """)

  @Option(help: "The directory of the daemon's sockets.", completion: .directory)
  var socketDir: String?

  @Option(help: "A configuration directory, as the daemon has it; give it again for further ones.")
  var config: [String] = []

  @Option(help: "Ask as this app; needed when the policy's `peers` match several.")
  var app: String?

  @Argument(help: "What the browser says about who connects.")
  var caller: [String] = []

  func run() throws {
    // The browser may be gone during a write; that is an error like any other.
    signal(SIGPIPE, SIG_IGN)
    // Sent when another program opens a download in the moment in which the host looks whether somebody writes it.
    signal(SIGIO, SIG_IGN)
    let names = caller.map { "`\($0.escapedForDisplay)`" }.joined(separator: " ")
    if !caller.isEmpty { StandardError.say("webviewguard: serving \(names)") }
    let session = NativeSession(NativeOptions(socketDirectory: socketDir, app: app, config: config)) { problem in
      StandardError.say("webviewguard: \(problem.description.escapedForDisplay)")
    }
    do throws(GuardProblem) {
      try session.run()
    } catch {
      throw CommandFailure("cannot answer the browser: \(error)")
    }
  }
}
