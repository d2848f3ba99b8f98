internal import ArgumentParser
internal import DecisionLog
internal import GuardModel
internal import GuardService
internal import PolicyFiles
internal import PolicyTools

/// `log`: reading the decision log.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Read, verify and repair the decision log.",
    subcommands: [
      LogShowCommand.self, LogReportCommand.self, LogVerifyCommand.self, LogHeadCommand.self, LogRepairCommand.self,
    ])
}

/// `log head`: the number and hash of the newest record.
struct LogHeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head", abstract: "Print the head of a log, N:HEX: number and hash of its newest record.",
    discussion: "Keep it elsewhere: `log verify --head` then shows whether this end is still there.")

  @Argument(help: "The directory of the log, or its newest file.", completion: .file())
  var file: String

  func run() throws {
    for path in try LogFiles.newestFirst(file) {
      let tail = try LogFiles.tail(of: path)
      if tail.torn != nil {
        StandardError.say("\(path.escapedForDisplay): the last write was cut short; this is the head before it")
      }
      guard tail.head != .start else { continue }
      let output = Output()
      try output.line(tail.head.text)
      return try output.flush()
    }
    throw CommandFailure("`\(file.escapedForDisplay)` holds no whole record")
  }
}

/// `log verify`: is the log whole?
struct LogVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check that a log is whole and unaltered.",
    discussion: """
      Says what is sound and what nobody attests, or names the first broken record and ends with 1. Without --head \
      nobody can tell whether records were cut off at the end, or whether all was written anew: take the head from \
      the system journal, or from `status` earlier. Of a log that is being written the newest line may be half there: \
      verify again before believing that it is torn. A log that begins in the middle is broken, unless the daemon removed \
      what came before and recorded it: `pruned`.
      """)

  @Argument(help: "The directory of the log, or its files in their order.", completion: .file())
  var files: [String]

  @Option(help: "A head that was noted earlier, N:HEX.", transform: Self.head)
  var head: LogHead?

  @Flag(help: "The files are a part of a log: what came before them need not be there.")
  var part = false

  func run() throws {
    var verifier = LogVerifier(expecting: head, isPart: part)
    var read: [String] = []
    for file in files {
      try LogFiles.forEachFile(of: file) { path, descriptor throws(CommandFailure) in
        read.append(path)
        verifier.beginFile()
        try LogFiles.forEachChunk(of: path, descriptor) { chunk in verifier.read(chunk) }
      }
    }
    let result = verifier.finish()
    let output = Output()
    if let problem = result.problem {
      let file = read.indices.contains(problem.file - 1) ? read[problem.file - 1] : read.last ?? ""
      try output.line("\(output.shown(file)):\(problem.line): \(output.style.bad("broken")): \(problem.text)")
      try output.flush()
      throw ExitCode(1)
    }
    for line in result.text { try output.line(line) }
    try output.flush()
  }

  private static func head(_ text: String) throws -> LogHead {
    guard let head = LogHead(text) else {
      throw ValidationError("`\(text.escapedForDisplay)` is no head; it is a number, a colon and 64 hexadecimal digits")
    }
    return head
  }
}

/// `log repair`: declares the clock right, against the times in the log.
struct LogRepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair", abstract: "Take the machine's clock for right, whatever time was recorded.",
    discussion: """
      A clock that was wrong and far ahead leaves a latest time on record that holds until the clock gets there. This forgets \
      it. Stop the daemon first, set the clock right, and run this as the daemon's user. Every clip has an unknown managed \
      owner afterwards until the next copy, and exceptions that were granted later than now are gone. No record of the log \
      is changed; one says from where on times run back.
      """)

  @Option(help: "The directory of what outlives the daemon, as `serve` has it.")
  var stateDir: String?

  func run() throws {
    guard let directory = stateDir ?? StatePlace.standardDirectory else {
      throw CommandFailure("there is no home directory; say --state-dir")
    }
    let latest: UInt64?
    do throws(StartError) { latest = try ClockRepair.repair(StatePlace(directory: directory)) } catch {
      throw CommandFailure("\(error)")
    }
    let output = Output()
    let before = latest.map { ", and \(RFC3339.text($0)) no more" } ?? ""
    try output.line("the clock counts from the next start of the daemon on\(before)")
    try output.flush()
  }
}
