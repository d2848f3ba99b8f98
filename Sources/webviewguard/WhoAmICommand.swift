internal import ArgumentParser
internal import Glibc
internal import GuardModel
internal import GuardService
internal import JSONText
internal import PolicyTools

/// `whoami`: the caller as the daemon sees it.
struct WhoAmICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show how the daemon sees you, and which app you count as.")

  @Flag(help: "Show what who helps you needs to know of you and of your own programs, and nothing of others.")
  var report = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    if report { return try showReport() }
    let reply = try place.ask("org.webviewguard.Guard.WhoAmI").parameters
    let rows = ["uid", "groups", "unit", "label", "socket", "app"].map { name in [name, text(reply[name])] }
    try options.print(reply, lines: TextTable(rows).lines)
  }

  /// Prints the report, also without an answer of the daemon: the report then says so.
  private func showReport() throws {
    let report = UserReport(place)
    try options.print(report.tree, lines: TextTable(report.rows).lines)
    if report.hasFailed { throw ExitCode(CommandFailure.status) }
  }

  private func text(_ value: JSONTree?) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    case .array(let elements): elements.compactMap(\.string).joined(separator: ", ")
    default: "none"
    }
  }
}

/// The report that a user can send to a helper: the user and his own programs as the daemon sees them, and their
/// behaviour without it. It holds nothing about other users or pages (ledger DC-06).
struct UserReport {
  private var members: [JSONTree.Member] = []
  /// The daemon did not give a part of the report.
  private(set) var hasFailed = false

  init(_ place: SocketOptions) {
    add("time", .string(RFC3339.text(UInt64(max(0, Glibc.time(nil))) * 1000)))
    add("program", .string(DaemonOptions.version))
    add("socket", .string(place.path(.forApps)))
    do throws(ClientError) {
      var client = try VarlinkClient(connectingTo: place.path(.forApps))
      add("daemon", try ask("org.varlink.service.GetInfo", &client)?["version"])
      add("you", try ask("org.webviewguard.Guard.WhoAmI", &client))
      add("yours", try ask("org.webviewguard.Guard.OwnPrograms", &client))
    } catch {
      fail(error.description)
    }
    addContract(place.socketDir + "/contract.json")
  }

  var tree: JSONTree { .object(members) }

  /// Two columns; nested values stand under names with dots.
  var rows: [[String]] { members.flatMap { Self.rows($0.key, $0.value) } }

  private mutating func add(_ name: String, _ value: JSONTree?) {
    if let value { members.append(.init(name, value)) }
  }

  private mutating func fail(_ words: String) {
    hasFailed = true
    add("failure", .string(words))
  }

  /// The parameters of a reply; nil for an error, which is reported.
  private mutating func ask(_ method: String, _ client: inout VarlinkClient) throws(ClientError) -> JSONTree? {
    let reply = try client.call(method)
    guard let error = reply.error else { return reply.parameters }
    fail("\(method) was answered with \(error)")
    return nil
  }

  /// Adds the behaviour of programs while the daemon does not answer.
  private mutating func addContract(_ path: String) {
    let text = try? FileBytes.read(path, limit: Self.longestContract)
    let contract = text.flatMap { try? JSONTree(parsing: $0.span, maximumLength: Self.longestContract) }
    add("contract", contract ?? .string("`\(path)` cannot be read"))
  }

  private static let longestContract = 1 << 16

  private static func rows(_ name: String, _ value: JSONTree) -> [[String]] {
    switch value {
    case .object(let members): members.flatMap { rows(name + "." + $0.key, $0.value) }
    case .array(let elements) where elements.contains { $0.string == nil }:
      elements.enumerated().flatMap { rows("\(name).\($0.offset + 1)", $0.element) }
    case .array(let elements) where elements.isEmpty: [[name, "none"]]
    case .array(let elements): [[name, elements.compactMap(\.string).joined(separator: ", ")]]
    case .string(let text): [[name, text]]
    default: [[name, value.text()]]
    }
  }
}
