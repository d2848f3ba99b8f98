internal import ArgumentParser
internal import DecisionLog
internal import PolicyFiles
internal import PolicyTools

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
