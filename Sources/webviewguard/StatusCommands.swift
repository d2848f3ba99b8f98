internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyTools

/// `status`: the state of the daemon.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how the daemon is.",
    discussion: """
      Ends with 0 when all is well, with 1 when the daemon decides but somebody should look after it (the problems stand \
      at the top), and with 2 when it has no policy or cannot be asked.
      """)

  @Flag(help: "Also count the accounts by their states, and show those that may not work. The log says who asked.")
  var accounts = false

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    var status = try place.ask("org.webviewguard.Admin.Status").parameters
    let listing = accounts ? try AccountListing(place, AccountFilter.all) : nil
    if let listing, case .object(let members) = status { status = .object(members + [listing.summary]) }
    try options.print(status, lines: TextTable(rows(status) + (listing?.statusRows ?? [])).lines)
    let health = ReportedHealth(status)
    if health.exitStatus != 0 { throw ExitCode(health.exitStatus) }
  }

  private func rows(_ status: JSONTree) -> [[String]] {
    ReportedHealth(status).rows + [
      ["state", status["state"]?.string ?? "unknown"]
    ] + TextTable.wrapped("last error", status["lastError"]?.string ?? "none") + [
      ["policy", policy(status)],
      ["digest", digest(status)],
    ] + PolicyStatusRows.rows(status) + [
      ["version", "\(status["version"]?.string ?? "unknown"), process \(number(status["pid"]))"],
      ["since", JSONTree.time(status["since"])],
      ["next expiry", status["nextExpiry"] == nil ? "none" : JSONTree.time(status["nextExpiry"])],
    ] + lists(status) + [
      ["apps", number(status["apps"])],
      ["instances", number(status["instances"])],
      ["viewers", number(status["viewers"])],
      ["connections", number(status["connections"])],
      ["decisions", decisions(status["decisions"])],
      ["log", status["logFile"]?.string ?? "none"],
      ["log files", logFiles(status["log"])],
      ["log head", head(status["logHead"])],
      ["state file", status["stateFile"]?.string ?? "none: a restart forgets whose the clipboards are"],
    ] + exceptions(status) + (status["stateError"]?.string.map { TextTable.wrapped("state error", $0) } ?? [])
      + (status["socketError"]?.string.map { TextTable.wrapped("socket error", $0) } ?? [])
  }

  /// The sites that administrators let in for a time, when there are any.
  private func exceptions(_ status: JSONTree) -> [[String]] {
    guard status["exceptions"]?.int != nil else { return [] }
    let count = number(status["exceptions"])
    return [["exceptions", "\(count) in force, the next ends \(JSONTree.time(status["nextExceptionEnd"]))"]]
  }

  /// A row for each list: its size and its age.
  private func lists(_ status: JSONTree) -> [[String]] {
    (status["lists"]?.array ?? []).map { list in
      let changed = list["modified"] == nil ? "" : ", changed \(JSONTree.time(list["modified"]))"
      let bad =
        list["badLines"] == 0 ? "" : ", \(number(list["badLines"])) bad \(list["badLines"] == 1 ? "line" : "lines")"
      let kind = list["format"]?.string ?? "unknown"
      return ["list", "\(list["file"]?.string ?? "unknown"): \(number(list["entries"])) \(kind)\(bad)\(changed)"]
    }
  }

  private func policy(_ status: JSONTree) -> String {
    guard digest(status) != "none" else { return "none" }
    return "generation \(number(status["generation"])), loaded \(JSONTree.time(status["loadedAt"]))"
  }

  private func digest(_ status: JSONTree) -> String {
    guard let digest = status["digest"]?.string, !digest.isEmpty else { return "none" }
    return digest
  }

  /// The counters that are not zero, in the daemon's order.
  private func decisions(_ counters: JSONTree?) -> String {
    guard case .object(let members) = counters else { return "unknown" }
    let counted = members.filter { $0.value != 0 }.map { "\(number($0.value)) \($0.key)" }
    return counted.isEmpty ? "none" : counted.joined(separator: ", ")
  }

  private func logFiles(_ log: JSONTree?) -> String {
    guard let log, let durability = log["durability"]?.string else { return "none" }
    return "\(number(log["files"])), \(number(log["bytes"])) bytes, answers leave when \(durability)"
  }

  /// In the form that `log verify --head` takes.
  private func head(_ head: JSONTree?) -> String {
    guard let head, let hash = head["hash"]?.string else { return "none" }
    return "\(number(head["sequence"])):\(hash)"
  }

  private func number(_ value: JSONTree?) -> String {
    switch value {
    case .int(let number): String(number)
    case .uint(let number): String(number)
    default: "unknown"
    }
  }
}

/// The rows of `status` about the origin of the policy, and the policies for a rollback.
enum PolicyStatusRows {
  static func rows(_ status: JSONTree) -> [[String]] {
    var rows: [[String]] = []
    switch status["source"]?.string {
    case "lastGood": rows.append(["source", "the last good policy, since the configuration on disk cannot be loaded"])
    case "rolledBack": rows.append(["source", "rolled back; the one on disk waits for `webviewguard reload`"])
    case "disk": rows.append(["source", "the configuration on disk"])
    default: break
    }
    if let load = status["lastLoad"] {
      let result = load["succeeded"]?.bool == true ? "succeeded" : "failed"
      rows.append(["last load", "\(result) \(JSONTree.time(load["time"]))"])
    }
    for policy in status["kept"]?.array ?? [] {
      // As much of the digest as `rollback --to` needs, and more.
      let digest = (policy["digest"]?.string ?? "unknown").prefix(16)
      rows.append(["kept", "\(digest), in force \(JSONTree.time(policy["since"]))"])
    }
    rows += checkIns(status)
    if let error = status["keepError"]?.string { rows += TextTable.wrapped("keep error", error) }
    return rows
  }

  /// The last check-in, and the failure since then.
  private static func checkIns(_ status: JSONTree) -> [[String]] {
    var rows: [[String]] = []
    if let checkIn = status["checkIn"] {
      let digest = checkIn["digest"]?.string ?? ""
      // A reload by hand, or a rollback, came after it.
      let other = digest == status["digest"]?.string ? "" : ", with another policy: \(digest.prefix(16))"
      rows.append(["check-in", JSONTree.time(checkIn["time"]) + other])
    }
    if let failure = status["checkInFailure"] {
      let cause = failure["cause"]?.string ?? "unknown"
      rows += TextTable.wrapped("no check-in", "\(JSONTree.time(failure["time"])): \(cause)")
    }
    return rows
  }
}

/// `monitor`: decisions as they are taken.
struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Show decisions as they are taken, until interrupted.",
    discussion: """
      One line each: time, outcome, reason, event, viewer@app, URL as the log has it, and the rule that decided. \
      With --format json the daemon's own replies.
      """)

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let output = Output()
    do {
      var client = try VarlinkClient(connectingTo: place.path(.forAdministrators))
      try client.send("org.webviewguard.Admin.Monitor", replies: .more)
      while try show(try client.receive(), output) {}
    } catch let error as ClientError {
      throw CommandFailure(error.description)
    }
  }

  /// Shows one reply; true when more will come.
  private func show(_ reply: VarlinkReply, _ output: Output) throws -> Bool {
    if let error = reply.error {
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    }
    if let skipped = reply.parameters["skipped"]?.int {
      StandardError.say("\(skipped) decisions were left out, because this reader was too slow")
    }
    switch options.format {
    case .json: try output.json(reply.parameters.text())
    case .text: try output.line(MonitorLine(reply.parameters).text(output.style))
    }
    try output.flush()
    return reply.continues
  }
}

/// One watched decision as a line for people, without anything that could steer a terminal.
private struct MonitorLine {
  private let reply: JSONTree
  private let decision: JSONTree

  init(_ reply: JSONTree) {
    self.reply = reply
    decision = reply["decision"] ?? .null
  }

  func text(_ style: Style) -> String {
    let outcome = decision["outcome"]?.string ?? "block"
    let coloured = outcome == "allow" ? style.good(visible(outcome)) : style.bad(visible(outcome))
    return [time, coloured, word(decision["reason"]), word(reply["event"]), who, url, rule].compactMap(\.self)
      .joined(separator: " ")
  }

  private var time: String? {
    guard let milliseconds = reply["time"]?.int, milliseconds >= 0 else { return nil }
    return RFC3339.text(UInt64(milliseconds))
  }

  private var who: String? {
    guard let app = word(reply["app"]) else { return nil }
    return (word(reply["viewer"]) ?? "") + "@" + app
  }

  private var url: String? { word(reply["url"]) }

  private var rule: String? {
    guard let rule = word(decision["rule"]) else { return nil }
    return "rule=" + (word(decision["ruleSet"]) ?? "") + "/" + rule
  }

  private func word(_ value: JSONTree?) -> String? { value?.string.map(visible) }
}
