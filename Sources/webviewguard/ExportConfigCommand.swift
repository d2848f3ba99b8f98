internal import ArgumentParser
internal import PolicyEngine
internal import PolicyFiles
internal import PolicyTools

/// `export-config`: app configuration for programs that cannot ask.
struct ExportConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-config", abstract: "Write app configuration for a program that cannot ask the daemon.",
    discussion: """
      The file holds one value for each key, for everybody on the machine and without a sign-in. It goes to standard \
      output; what differs from the answer of the daemon goes to standard error, a line for each key. Ends with 0, with 1 \
      when --strict is given and some value is left out or one of several, and with 2 when something cannot be loaded.
      """)

  @Option(name: .customLong("for"), help: "The reader.")
  var format: ConfigExportFormat

  @Option(help: "A configuration directory; give it again for further ones, which mask files of the earlier.")
  var config: [String]

  @Option(help: "The app of the policy that the values are for.")
  var app: String

  @Option(help: "The account; left out, the values are those of accounts that no entry targets.")
  var account: String?

  @Option(help: "With --account: a Unix group of the account's person; can be repeated.")
  var group: [String] = []

  @Option(help: "The id of the browser extension.")
  var `extension`: String?

  @Option(help: "The path of the settings in dconf, such as /org/contoso/portal/.")
  var path: String?

  @Flag(help: "End with 1 when a value is left out or one of several.")
  var strict = false

  func validate() throws {
    if account == nil, !group.isEmpty { throw ValidationError("--group goes with --account") }
    if format.isForExtension {
      guard let id = `extension`, path == nil else { throw ValidationError("\(format.rawValue) takes --extension") }
      guard format != .chromiumStorage || Self.isChromiumID(id) else {
        throw ValidationError("the id of an extension of Chromium has 32 letters from a to p")
      }
    } else {
      guard let path, `extension` == nil else { throw ValidationError("\(format.rawValue) takes --path") }
      guard SettingsKey.isPath(path) else {
        throw ValidationError("a path of dconf begins and ends with a slash: /org/contoso/portal/")
      }
    }
  }

  private static func isChromiumID(_ id: String) -> Bool {
    id.utf8.count == 32 && id.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "p")).contains($0) }
  }

  func run() throws {
    let result = ConfigurationLoader(roots: config).load()
    DiagnosticPrinter.print(result.diagnostics)
    guard let policy = result.policy else { throw CommandFailure("the configuration cannot be loaded") }
    guard policy.apps.contains(where: { $0.name == app }) else {
      throw CommandFailure("the policy has no app `\(app.escapedForDisplay)`")
    }
    let output = Output()
    let export = ConfigExport(
      policy, app: app, names: account.map { policy.accounts.names(of: $0) } ?? [],
      groups: Set(try GroupNames.numbers(of: group)), as: format, at: `extension` ?? path ?? "", layout: output.layout)
    for note in export.notes { StandardError.say(note.line) }
    output.append(export.document.span)
    try output.flush()
    if strict, export.notes.contains(where: \.code.isGap) { throw ExitCode(1) }
  }
}

extension ConfigExportFormat: ExpressibleByArgument {}

/// Unix groups that a command line names.
enum GroupNames {
  static func numbers(of names: [String]) throws(CommandFailure) -> [UInt32] {
    let known = SystemNames()
    var numbers: [UInt32] = []
    for name in names {
      guard let number = known.groupID(named: name) else {
        throw CommandFailure("the machine knows no group `\(name.escapedForDisplay)`")
      }
      numbers.append(number)
    }
    return numbers
  }
}
