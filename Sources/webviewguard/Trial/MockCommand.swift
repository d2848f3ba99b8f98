internal import ArgumentParser
internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `mock`: a daemon from a script, for an app's tests.
struct MockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mock", abstract: "Play a daemon from a script of calls and answers, for an app's tests.",
    discussion: """
      Listens at guard.sock in --socket-dir, says `ready` on standard output, and answers as the script says: YAML or JSON, \
      with the calls that are expected in their order. Ends when the last connection after the last step has had --linger \
      milliseconds without a call, or after --seconds. With `--` and a program it starts that program, and ends with it; all \
      that the program started ends then, too. XDG_RUNTIME_DIR leads the program to the socket, and what it prints \
      appears on standard error. Where the machine has a daemon of its own, start this with `unshare --map-root-user`, and hand \
      the program `{socket}`. Calls that every daemon refuses are refused, such as one with an unknown member. Ends with 0 \
      when everything came and nothing else, and the program ended with 0; with 1 otherwise. Each difference is a line on \
      standard error.
      """)

  @Argument(help: "The script.", completion: .file(extensions: ["yaml", "json"]))
  var script: String

  @Option(help: "The directory of the socket; left out, one of its own.", completion: .directory)
  var socketDir: String?

  @Option(help: "The most seconds that it waits for the app.")
  var seconds = 60

  @Option(help: "Milliseconds without a call after the last step, in which calls too many are still noticed.")
  var linger = 300

  @Argument(parsing: .postTerminator, help: "The program with its arguments; `{socket}` in one stands for the socket.")
  var program: [String] = []

  func run() throws {
    var daemon = MockDaemon(try MockScript.load(script))
    Interruption.watch()
    TrialPlace.warnWhereNobodyBelievesIt("mock")
    let place = try TrialPlace(stated: socketDir)
    defer { place.remove() }
    var latest = SystemClock.monotonicMilliseconds
    let server = TrialServer { connection in
      latest = SystemClock.monotonicMilliseconds
      daemon.serve(connection)
    }
    do throws(CommandProblem) { try server.listen(at: place.socket) } catch { throw CommandFailure(error.message) }
    let output = Output()
    try output.line("ready \(place.socket)")
    try output.flush()
    let family = Descendants()
    let child =
      try program.isEmpty ? nil : TrialProgram.start(program, at: place, url: "", family: family, showsOutput: true)
    defer { child?.stop() }
    let end = latest + Int64(seconds) * 1000
    var isRunning = true
    while isRunning, SystemClock.monotonicMilliseconds < end {
      server.turn(milliseconds: 50)
      if Interruption.hasCome { throw ExitCode(Interruption.status) }
      let quiet = SystemClock.monotonicMilliseconds - latest
      isRunning = child.map { !$0.hasEnded } ?? !(daemon.isOver && quiet > Int64(linger))
    }
    // What the program sent before it ended.
    for _ in 0..<3 { server.turn(milliseconds: 10) }
    let ending = child.map { $0.hasEnded ? $0.status : nil }
    try tell(daemon, ending)
  }

  /// - Parameter ending: how the program ended, nil when it did not; nil when there is none.
  private func tell(_ daemon: MockDaemon, _ ending: Int32??) throws {
    let failure: String? =
      switch ending {
      case nil, 0: nil
      case .some(nil): "the program did not end within \(seconds) seconds"
      case .some(let status?): "the program ended with \(status)"
      }
    if let failure { StandardError.say(failure) }
    for surprise in daemon.surprises { StandardError.say(surprise.escapedForDisplay) }
    for step in daemon.missing.prefix(20) {
      StandardError.say("\(step.location): \(step.call) \(step.parameters.text()) did not come".escapedForDisplay)
    }
    if !daemon.surprises.isEmpty || !daemon.isOver || failure != nil { throw ExitCode(1) }
  }
}
