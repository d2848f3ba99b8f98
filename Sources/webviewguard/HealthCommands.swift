internal import ArgumentParser
internal import Glibc
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `health`: one line and an exit status, quick, for probes.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Say in one line how well the daemon is, for probes.",
    discussion: """
      Ends with 0 when all is well, with 1 when the daemon decides but somebody should look after it, and with 2 when \
      it has no policy, cannot be asked, or does not answer in time. `status` says more.
      """)

  @Flag(help: "Print nothing; the exit status tells.")
  var quiet = false

  @Option(help: "How long to wait for the answer, in milliseconds.")
  var timeout = 2000

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func validate() throws {
    guard (1...600_000).contains(timeout) else { throw ValidationError("--timeout takes 1 to 600000 milliseconds") }
  }

  func run() throws {
    let reply = try ask()
    let health = ReportedHealth(reply)
    if !quiet {
      try options.print(reply, lines: [health.line])
    }
    if health.exitStatus != 0 { throw ExitCode(health.exitStatus) }
  }

  private func ask() throws -> JSONTree {
    let reply: VarlinkReply
    do throws(ClientError) { reply = try receive() } catch { throw failure(error.description) }
    guard let error = reply.error else { return reply.parameters }
    throw failure("the daemon answers `\(error)`")
  }

  private func receive() throws(ClientError) -> VarlinkReply {
    let deadline = Deadline(after: timeout)
    var client = try VarlinkClient(connectingTo: place.path(.forAdministrators), patience: timeout)
    try client.send("org.webviewguard.Admin.Health")
    return try client.receive(until: deadline)
  }

  /// The exit status of a daemon that cannot decide: a program that asks it would get no answer.
  private func failure(_ words: String) -> any Error {
    quiet ? ExitCode(CommandFailure.status) : CommandFailure(words.escapedForDisplay)
  }
}

/// `metrics`: the daemon's counters, for Prometheus.
struct MetricsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics", abstract: "Print what the daemon counted, in the text format of Prometheus.",
    discussion: """
      With --textfile the text replaces a file as a whole, for the textfile collector of node_exporter, whose files end \
      in `.prom`. When the daemon cannot be asked, that file then says `webviewguard_up 0`, and the program ends with 2.
      """)

  @Option(help: "Replace this file instead of printing.", completion: .file(extensions: ["prom"]))
  var textfile: String?

  @Option(help: "With --textfile: again and again, in this interval: 15s, 1m …", transform: Interval.read)
  var every: Interval?

  @OptionGroup var place: SocketOptions

  func validate() throws {
    if every != nil, textfile == nil { throw ValidationError("--every goes with --textfile") }
    if let textfile, !textfile.hasSuffix(".prom") {
      throw ValidationError("`\(textfile.escapedForDisplay)` does not end in `.prom`: the collector would not read it")
    }
  }

  func run() throws {
    guard let textfile else { return try print(ask()) }
    guard let every else { return try write(to: textfile) }
    var known: String?
    while true {
      var problem: String?
      do { try write(to: textfile) } catch let failure as CommandFailure { problem = failure.message }
      if let problem, problem != known { StandardError.say("error: \(problem)") }
      known = problem
      try every.wait()
    }
  }

  /// Writes the text, or the fact that the daemon is not up: old numbers must not pass for new ones.
  private func write(to path: String) throws {
    do {
      try MetricsFile.replace(path, with: ask())
    } catch let failure as CommandFailure {
      try MetricsFile.replace(path, with: MetricsFile.textOfNone)
      throw failure
    }
  }

  private func print(_ text: [UInt8]) throws {
    let output = Output()
    output.append(text.span)
    try output.flush()
  }

  private func ask() throws -> [UInt8] {
    do throws(ClientError) {
      let deadline = Deadline(after: Self.patience)
      var client = try VarlinkClient(connectingTo: place.path(.forAdministrators), patience: Self.patience)
      try client.send("org.webviewguard.Admin.Metrics")
      let reply = try client.receive(until: deadline)
      if reply.error == nil, let text = reply.parameters["text"]?.string { return Array(text.utf8) }
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    throw CommandFailure("this daemon tells no metrics; is it older than this program?")
  }

  /// Milliseconds. Prometheus itself waits ten seconds for a scrape.
  private static let patience = 5000
}

/// The file that a textfile collector reads: replaced as a whole, so no reader sees half of one.
enum MetricsFile {
  /// The text for a daemon that cannot be asked.
  static var textOfNone: [UInt8] {
    var text = MetricsText()
    text.single("webviewguard_up", .gauge, "Whether the daemon answers.", 0)
    return text.bytes
  }

  /// The temporary name does not end in `.prom`, so the collector never takes it for another file of its own.
  static func replace(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) { try SmallFile.replace(path, with: bytes, mode: 0o644) } catch {
      let calls = ["open": "make", "rename": "replace"]
      throw CommandFailure(calls[error.call] ?? error.call, error.path, error.words)
    }
  }
}

/// A time span as a person writes it: `15s`, `5m`, `1h`.
struct Interval: Sendable, Hashable {
  let seconds: Int

  private static let units: [(suffix: Character, seconds: Int)] = [("s", 1), ("m", 60), ("h", 3600)]

  static func read(_ text: String) throws -> Interval {
    let unit = units.first { $0.suffix == text.last }
    guard let unit, let number = Int(text.dropLast()), (1...100_000).contains(number) else {
      throw ValidationError("`\(text.escapedForDisplay)` is no interval; write it as 15s, 5m or 1h")
    }
    return Interval(seconds: number * unit.seconds)
  }

  /// Sleeps that long; a signal still ends the program.
  func wait() throws(CommandFailure) {
    var rest = timespec(tv_sec: seconds, tv_nsec: 0)
    var asked = rest
    while nanosleep(&asked, &rest) != 0 {
      guard errno == EINTR else { throw CommandFailure("cannot wait: \(SystemWords.last)") }
      asked = rest
    }
  }
}

/// A daemon's report of its health, in `Status` or in `Health`.
///
///     ReportedHealth(["health": "degraded", "problems": [["code": "logFailing", "text": "…"]]]).exitStatus    // 1
struct ReportedHealth {
  let level: HealthLevel
  /// In words, the gravest first.
  let problems: [String]

  /// A word that this program does not know counts as bad news.
  init(_ reply: JSONTree) {
    problems = (reply["problems"]?.array ?? []).compactMap { $0["text"]?.string }
    if let word = reply["health"]?.string {
      level = HealthLevel(rawValue: word) ?? .degraded
    } else if reply["state"]?.string != ServiceState.ok.rawValue {
      level = .failed
    } else {
      level = (reply["lastError"] ?? .null) == .null ? .ok : .degraded
    }
  }

  /// 0 when all is well, 1 when an administrator should look, 2 when it cannot decide.
  var exitStatus: Int32 { Int32(level.number) }

  /// `ok`, or the level and its reasons, in one line.
  var line: String { problems.isEmpty ? level.rawValue : level.rawValue + ": " + problems.joined(separator: "; ") }

  /// Rows for a table: the level, and each problem.
  var rows: [[String]] {
    [["health", level.rawValue]] + problems.flatMap { TextTable.wrapped("problem", $0) }
  }
}

extension TextTable {
  /// Rows of a name and a long text, which wraps below itself so the lines stay readable.
  static func wrapped(_ name: String, _ text: String, width: Int = 84) -> [[String]] {
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: true) {
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
          lines.append(line)
          line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
      }
      lines.append(line)
    }
    return lines.enumerated().map { [$0.offset == 0 ? name : "", $0.element] }
  }
}
