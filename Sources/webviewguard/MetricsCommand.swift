internal import ArgumentParser
internal import Glibc
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

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
