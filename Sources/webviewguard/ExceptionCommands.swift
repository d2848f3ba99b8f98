internal import ArgumentParser
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `exception`: sites that are let in for a time.
struct ExceptionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exception", abstract: "Let a site in for a time, see which are, and take one back.",
    discussion: """
      URLs of the site count as internal where a rule set calls them external. It ends by itself, and stands in the log \
      with who and why. Ends with 1 when the daemon refuses.
      """,
    subcommands: [ExceptionAddCommand.self, ExceptionListCommand.self, ExceptionRemoveCommand.self])
}

/// `exception add`: lets a site in for a time.
struct ExceptionAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Let a site in for a time.",
    discussion: "Prints the exception. It is in force, in the log and kept when the command ends.")

  @Option(help: "The one host that is let in.")
  var host: String?

  @Option(help: "In place of it: a domain, with every host below it.")
  var domain: String?

  @Option(help: "The app that it is for; every app without.")
  var app: String?

  @Option(help: "The account that it is for; every account without.")
  var account: String?

  @Option(help: "What the URL may be wanted for; give it again for several. Without it page, frame and resource.")
  var subject: [ClassifySubject] = []

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long, at most 30 days: 90s, 30m, 2h, 1d.", valueName: "time"))
  var duration: Duration

  @Option(help: "Why, for the log and for whoever reads the list.")
  var reason: String

  @Flag(help: "It ends with the daemon, too, and is kept nowhere.")
  var untilRestart = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func validate() throws {
    guard (host == nil) != (domain == nil) else {
      throw ValidationError("name the site: `--host HOST`, or `--domain DOMAIN` with every host below it")
    }
    guard reason.contains(where: { !$0.isWhitespace }) else { throw ValidationError("`--reason` says why") }
  }

  func run() throws {
    let reply = try place.askOfExceptions("AddException", .object(members))
    let exception = ShownException(reply["exception"] ?? .null)
    try options.print(reply, lines: ["granted \(exception.id): \(exception.site), until \(exception.until)"])
  }

  private var members: [JSONTree.Member] {
    let texts = [("host", host), ("domain", domain), ("app", app), ("account", account)]
    var members = texts.compactMap { name, text in text.map { JSONTree.Member(name, .string($0)) } }
    if !subject.isEmpty { members.append(.init("subjects", .array(subject.map { .string($0.rawValue) }))) }
    members.append(.init("seconds", .int(duration.seconds)))
    members.append(.init("reason", .string(reason)))
    if untilRestart { members.append(.init("untilRestart", true)) }
    return members
  }
}

extension ClassifySubject: ExpressibleByArgument {}

/// A span of time as a person writes it: a number and a unit.
///
///     Duration("2h")?.seconds    // 7200
///     Duration("2")              // nil: two of what?
struct Duration: ExpressibleByArgument {
  let seconds: Int64

  init?(argument: String) { self.init(argument) }

  init?(_ text: String) {
    guard let unit = text.last, let factor = Self.units[unit] else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(digits)
    else { return nil }
    let (seconds, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, seconds > 0 else { return nil }
    self.seconds = seconds
  }

  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
}

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
    let rows = (reply["exceptions"]?.array ?? []).map { ShownException($0).row }
    let header = ["ID", "SITE", "FOR", "UNTIL", "BY", "REASON"]
    try options.print(reply, lines: rows.isEmpty ? ["none"] : TextTable(header, rows).lines)
  }
}

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
    let exception = ShownException(reply["exception"] ?? .null)
    try options.print(reply, lines: ["taken back \(exception.id): \(exception.site)"])
  }
}

/// An exception of the daemon's in words.
struct ShownException {
  private let tree: JSONTree

  init(_ tree: JSONTree) { self.tree = tree }

  var id: String { text("id") ?? "unknown" }

  /// `host files.example`
  var site: String { text("host").map { "host \($0)" } ?? text("domain").map { "domain \($0)" } ?? "unknown" }

  var until: String {
    let end = time("until") + (tree["untilRestart"]?.bool == true ? " or the restart" : "")
    guard let ended = text("ended") else { return end }
    let words = ended == ExceptionEnd.removed.rawValue ? "taken back" : ended
    return "\(words) \(time("endedAt"))"
  }

  /// The cells of `exception list`.
  var row: [String] { [id, site, scope, until, grantor, text("reason") ?? ""] }

  /// The app, the account and the uses that it is for.
  private var scope: String {
    let whom = [text("app"), text("account")].compactMap(\.self)
    let subjects = tree["subjects"]?.array?.compactMap(\.string) ?? []
    let usual = subjects == ["page", "frame", "resource"]
    return ((whom.isEmpty ? ["all"] : whom) + (usual ? [] : [subjects.joined(separator: "+")])).joined(separator: ", ")
  }

  private var grantor: String { text("user") ?? tree["uid"]?.int.map { "uid \($0)" } ?? "unknown" }

  private func text(_ name: String) -> String? { tree[name]?.string }

  private func time(_ name: String) -> String {
    tree[name]?.int.map { RFC3339.text(UInt64(clamping: $0)) } ?? "unknown"
  }
}
