internal import ArgumentParser
internal import DecisionLog
internal import PolicyFiles
internal import PolicyTools

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
