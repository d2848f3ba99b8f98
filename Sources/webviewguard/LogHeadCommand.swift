internal import ArgumentParser
internal import DecisionLog
internal import PolicyFiles

/// `log head`: the number and hash of the newest record.
struct LogHeadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head", abstract: "Print the head of a log file, N:HEX: number and hash of its newest record.",
    discussion: "Keep it elsewhere: `log verify --head` then shows whether this end is still there.")

  @Argument(help: "The newest file of the log.", completion: .file())
  var file: String

  func run() throws {
    let tail = try LogFiles.tail(of: file)
    guard tail.head != .start else { throw CommandFailure("`\(file.escapedForDisplay)` holds no whole record") }
    if tail.torn != nil {
      StandardError.say("\(file.escapedForDisplay): the last write was cut short; this is the head before it")
    }
    let output = Output()
    try output.line(tail.head.text)
    try output.flush()
  }
}
