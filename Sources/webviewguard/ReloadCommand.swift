internal import ArgumentParser
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `reload`: the daemon reads its configuration again.
struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload", abstract: "Make the daemon read its configuration again.",
    discussion: """
      Prints what is wrong with it. Ends with 1 when it does not come into force; the old policy then stays. With \
      --preview nothing comes into force: it ends with 0 when no recent event would be answered otherwise, with 1 when \
      some would, and with 2 when the configuration cannot be loaded. --checked-in is for who has just fetched the \
      configuration and checked its signature, as webviewguard-refresh.service does: when it is in force then, also \
      unchanged, `status` shows the time as that of the last check-in, and `compliance` counts from it.
      """)

  @Flag(help: "Only show which recent events would be answered otherwise.")
  var preview = false

  @Option(help: "Leave the old policy in force when more recent events would be answered less strictly: 20, or 5%.")
  var maxChange: ChangeLimit?

  @Flag(help: "Also load a configuration that was rolled back from.")
  var force = false

  @Flag(help: "The configuration was fetched from its distributor just now: keep the time as the last check-in's.")
  var checkedIn = false

  @Option(help: "Let the policy wipe exactly so many accounts; without it at most one is.")
  var allowWipes: Int?

  @Flag(help: "Wait for a daemon that is just starting, and no longer than --timeout for its answer.")
  var wait = false

  @Option(help: "How many seconds to wait with --wait.")
  var timeout = 60

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func validate() throws {
    if preview, maxChange != nil {
      throw ValidationError("`--preview` puts nothing in force, so `--max-change` says nothing beside it")
    }
    if preview, checkedIn {
      throw ValidationError("`--preview` puts nothing in force, so `--checked-in` says nothing beside it")
    }
    if let allowWipes, allowWipes < 0 || preview {
      throw ValidationError("`--allow-wipes` takes a number, and says nothing beside `--preview`")
    }
    guard (1...86_400).contains(timeout) else { throw ValidationError("`--timeout` takes 1 to 86400 seconds") }
  }

  func run() throws {
    let report = ReloadReport(reply: try ask(), isPreview: preview)
    try options.print(report.reply.parameters, lines: report.lines)
    guard report.status == 0 else { throw ExitCode(report.status) }
  }

  /// The reply, which may be an error about the load; any other error is no answer.
  private func ask() throws -> VarlinkReply {
    let method = "org.webviewguard.Admin.Reload"
    do {
      let path = place.path(.forAdministrators)
      let reply: VarlinkReply
      if wait {
        reply = try PatientClient(path: path, seconds: timeout).call(method, try parameters)
      } else {
        var client = try VarlinkClient(connectingTo: path)
        reply = try client.call(method, try parameters)
      }
      guard let error = reply.error, !ReloadReport.errors.contains(error) else { return reply }
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    } catch let error as ClientError {
      throw CommandFailure(error.description)
    }
  }

  private var parameters: CallText {
    get throws {
      var members: [JSONTree.Member] = []
      if let allowWipes { members.append(.init("allowWipes", .int(Int64(allowWipes)))) }
      if preview { members.append(.init("preview", true)) }
      if let maxChange { members.append(maxChange.member) }
      if force { members.append(.init("force", true)) }
      if checkedIn { members.append(.init("checkedIn", true)) }
      return try CallText(.object(members))
    }
  }
}

/// The limit of changes: a number of events, or a part of the judged events.
enum ChangeLimit: ExpressibleByArgument, Equatable {
  case events(Int)
  case percent(Int)

  /// `20` or `5%`; nil for anything else.
  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    guard let number = Int(isPercent ? String(argument.dropLast()) : argument), number >= 0 else { return nil }
    guard !isPercent || number <= 100 else { return nil }
    self = isPercent ? .percent(number) : .events(number)
  }

  var member: JSONTree.Member {
    switch self {
    case .events(let number): .init("maxChange", .int(Int64(number)))
    case .percent(let number): .init("maxChangePercent", .int(Int64(number)))
    }
  }
}

/// Asks a daemon that may just be starting: waits for its socket and for its answer, but not for ever.
///
///     try PatientClient(path: "/run/webviewguard/admin.sock", seconds: 60).call("org.webviewguard.Admin.Reload")
struct PatientClient {
  private let path: String
  private let deadline: Deadline

  /// Between two looks for the socket, in milliseconds.
  private static let pause = 50

  init(path: String, seconds: Int) {
    self.path = path
    deadline = Deadline(after: seconds * 1000)
  }

  /// The reply. Throws the last error when the time is over.
  func call(_ method: String, _ parameters: CallText = CallText()) throws(ClientError) -> VarlinkReply {
    while true {
      do throws(ClientError) {
        var client = try VarlinkClient(connectingTo: path, patience: Int(max(1, deadline.remainingMilliseconds)))
        try client.send(method, parameters)
        return try client.receive(until: deadline)
      } catch {
        guard error.mayPass, !deadline.isOver else { throw error }
        usleep(UInt32(Self.pause * 1000))
      }
    }
  }
}

extension ClientError {
  /// A start or restart of the daemon may mend the error.
  fileprivate var mayPass: Bool {
    switch self {
    case .missing, .refused, .closed: true
    default: false
    }
  }
}

/// The daemon's reply to `reload`, for people: a summary, and the changes.
struct ReloadReport {
  let reply: VarlinkReply
  let isPreview: Bool

  private static let loadFailed = "org.webviewguard.Admin.LoadFailed"
  private static let tooManyChanges = "org.webviewguard.Admin.TooManyChanges"
  private static let rolledBack = "org.webviewguard.Admin.RolledBack"
  /// The errors that are an answer, and not a failure to answer.
  static let errors: Set<String> = [loadFailed, tooManyChanges, rolledBack]

  var status: Int32 {
    if isPreview { return reply.error != nil ? 2 : (changed > 0 ? 1 : 0) }
    return reply.error == nil ? 0 : 1
  }

  var lines: [String] {
    // A diagnostic of two lines, the second a hint, comes as one text.
    let diagnostics = (reply.parameters["diagnostics"]?.array ?? []).compactMap(\.string)
      .flatMap { $0.split(separator: "\n").map(String.init) }
    return diagnostics + previewLines + [summary]
  }

  private var preview: JSONTree? { reply.parameters["preview"] }

  private var changed: Int64 { preview?["changed"]?.int ?? 0 }

  private var summary: String {
    switch reply.error {
    case nil where isPreview: return changed == 0 ? "nothing would change" : "nothing is in force of this"
    case nil:
      let generation = reply.parameters["generation"]?.int.map { String($0) } ?? "unknown"
      let isChanged = reply.parameters["changed"]?.bool ?? false
      return isChanged ? "loaded, generation \(generation)" : "nothing changed, generation \(generation)"
    case Self.tooManyChanges:
      let maximum = reply.parameters["maximum"]?.int ?? 0
      return "not loaded: more than \(maximum) answers would be less strict; the policy in force stays"
    case Self.rolledBack:
      return "not loaded: this configuration was rolled back from; `webviewguard reload --force` loads it all the same"
    default: return isPreview ? "cannot be loaded" : "not loaded; the policy in force stays"
    }
  }

  // MARK: Preview

  private var previewLines: [String] {
    guard let preview else { return [] }
    let since = preview["since"]?.int.map { RFC3339.text(UInt64(max(0, $0))) } ?? "unknown"
    let loosened = preview["loosened"]?.int.map { ", \($0) less strictly" } ?? ""
    let otherwise = "\(number(preview["changed"])) would be answered otherwise" + loosened
    var lines = ["\(count(preview["judged"], "recent event")) since \(since): \(otherwise)"]
    if let ended = preview["notJudged"]?.int, ended > 0 {
      lines.append("not judged: \(ended), whose programs have ended")
    }
    if let missed = preview["notRemembered"]?.int, missed > 0 {
      lines.append("not remembered: \(missed), which were too many at once or too long")
    }
    let changes = preview["changes"]?.array ?? []
    lines += changes.flatMap(change)
    let told = changes.reduce(0) { $0 + ($1["events"]?.int ?? 0) }
    if told < changed { lines += ["", "and \(changed - told) more"] }
    return lines
  }

  /// In the manner of `diff`: the kind of change, the rules, the event.
  private func change(_ change: JSONTree) -> [String] {
    let (before, after) = (change["before"] ?? [:], change["after"] ?? [:])
    var lines = ["", "\(answer(before)) -> \(answer(after)): seen \(number(change["seen"])) times"]
    if before["rule"] != nil || after["rule"] != nil {
      lines += TextTable([["before"] + rule(before), ["after"] + rule(after)]).lines.map { "  " + $0 }
    }
    let who = [change["app"]?.string, change["class"]?.string].compactMap(\.self).joined(separator: "/")
    let what = [change["event"]?.string, change["url"]?.string].compactMap(\.self).joined(separator: " ")
    return lines + ["  \(who)  \(what)"]
  }

  private func answer(_ answer: JSONTree) -> String {
    let target = answer["target"]?.string.map { " to \($0)" } ?? ""
    let advised = answer["advised"]?.string.map { ", advised \($0)" } ?? ""
    let duties = (answer["duties"]?.array ?? []).compactMap(\.string).map { ", " + $0 }.joined()
    let (outcome, reason) = (answer["outcome"]?.string ?? "unknown", answer["reason"]?.string ?? "unknown")
    return "\(outcome)\(target) (\(reason))\(advised)\(duties)"
  }

  private func rule(_ answer: JSONTree) -> [String] {
    guard let rule = answer["rule"]?.string else { return ["no rule"] }
    return [rule, answer["ruleSet"]?.string, answer["ruleLocation"]?.string].compactMap(\.self)
  }

  private func count(_ value: JSONTree?, _ word: String) -> String {
    "\(number(value)) \(word)\(value?.int == 1 ? "" : "s")"
  }

  private func number(_ value: JSONTree?) -> String { value?.int.map { String($0) } ?? "unknown" }
}

/// `rollback`: puts the previous policy back in force.
struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Put the policy before this one back in force.",
    discussion: """
      It stays, across restarts, until `reload` loads another configuration than the one that was rolled back from, or \
      that one with --force. `status` lists the policies that are kept. Ends with 1 when there is none to go back to.
      """)

  @Option(help: "The digest of the policy to go back to, or its first 8 digits or more.")
  var to: String?

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let parameters = to.map { JSONTree.object([.init("to", .string($0))]) } ?? .object([])
    let reply = try place.ask("org.webviewguard.Admin.Rollback", parameters.text()).parameters
    let number = reply["generation"]?.int.map { String($0) } ?? "unknown"
    let digest = reply["digest"]?.string ?? "unknown"
    try options.print(reply, lines: ["rolled back, generation \(number), digest \(digest)"])
  }
}
