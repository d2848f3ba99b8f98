internal import ArgumentParser
internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `selftest`: which ways out of a guarded program are open?
struct SelfTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "selftest",
    abstract: "Run a guarded program against a site that goes every way out, and tell what leaked.",
    discussion: """
      Serves a site at 127.0.0.1 (the organisation's own), 127.0.0.2 (external) and 127.0.0.3 (named by a rule), starts a \
      daemon with a policy of its own that takes any app and any viewer class, and starts the program with pages that go each \
      way: links, redirects, new windows, forms, frames, resources, workers, downloads. A page goes its way and is then led to \
      the next; where a notice takes its place, another window of the program leads on, or the program is started anew. That \
      takes about a minute; with --way a few seconds. `{url}` in an argument is the page, `{socket}` the daemon's socket; \
      without `{url}` the page is the last argument. Clients find the socket by XDG_RUNTIME_DIR. Where the machine has a daemon \
      of its own they believe only that one and root: start this with `unshare --map-root-user` there, and hand the program \
      `{socket}`. All that the program starts ends with it. The judge is the site's own log of what arrived. A way that does not \
      reach the own host either, or whose page the program did not load, is `not tried`: nothing is known of it. WebRTC, other \
      programs (mailto), the clipboard, uploads and printing are not among the ways. Ends with 0 when nothing leaked, with 1 \
      otherwise, and with 2 when no way was tried.
      """)

  @Option(help: "A file for the report, as HTML.", completion: .file(extensions: ["html"]))
  var report: String?

  @Option(help: "The most seconds that the program has for one page.")
  var seconds = 6

  @Flag(help: "Add a rule that closes every other host, so that resources must not reach the external one either.")
  var closing = false

  @Option(parsing: .singleValue, help: "Go this way alone, such as `fetch-302`. It can be given several times.")
  var way: [String] = []

  @OptionGroup var options: FormatOptions

  @Argument(parsing: .postTerminator, help: "The program with its arguments.")
  var program: [String] = []

  func validate() throws {
    if program.isEmpty { throw ValidationError("name the program behind `--`") }
    if seconds < 1 { throw ValidationError("--seconds is at least 1") }
    let known = SelfTestWay.all.map(\.name)
    for name in way where !known.contains(name) {
      throw ValidationError("there is no way `\(name.escapedForDisplay)`; there are \(known.joined(separator: ", "))")
    }
  }

  func run() throws {
    Interruption.watch()
    TrialPlace.warnWhereNobodyBelievesIt("selftest")
    // A run takes a minute: that its report cannot be written is told before.
    if let report { try FileBytes.write(Array(Self.unfinished.utf8), to: report) }
    let place = try TrialPlace(stated: nil)
    defer { place.remove() }
    let run = try SelfTestRun(program, at: place, seconds: seconds, isClosing: closing)
    defer { run.end() }
    let ways = SelfTestWay.all.filter { way.isEmpty || way.contains($0.name) }
    try SelfTestWalk(run, ways).goAllWays()
    let result = SelfTestReport(program, ways, run.site, questions: run.relay.questions, isClosing: closing)
    try print(result)
    if let report { try FileBytes.write(Array(result.html.utf8), to: report) }
    if result.isEmpty {
      throw CommandFailure(
        "no way was tried: did the program load the page? One that hands it to a running instance of itself does not")
    }
    if result.leaks > 0 { throw ExitCode(1) }
  }

  private static let unfinished =
    "<!doctype html><title>Self-test</title><p>This self-test has not ended: nothing is known.\n"

  private func print(_ result: SelfTestReport) throws {
    let output = Output()
    switch options.format {
    case .json: try output.json(result.json.text())
    case .text:
      for line in TextTable(["KIND", "EXTERNAL", "NAMED", "WAYS"], result.cells).lines { try output.line(line) }
      try output.line("")
      try output.line("\(result.summary); \(result.asked)".escapedForDisplay)
    }
    try output.flush()
  }
}
