import Glibc
import TestSupport
import Testing

/// `-` reads standard input as it comes: each answer is there before the next line is.
@Suite struct StreamingTests {
  struct Case {
    let arguments: [String]
    let line: String
    let answer: String
  }

  static let cases = [
    Case(
      arguments: ["classify", "--rules", "failing.yaml", "-"], line: "https://www.contoso.com/",
      answer: "internal\ttenant\thttps://www.contoso.com/\n"),
    Case(
      arguments: ["classify", "--rules", "failing.yaml", "-"], line: "nope", answer: "external\tinvalidURL\tnope\n"),
    Case(arguments: ["url", "-"], line: "nope", answer: #"{"valid":false,"input":"nope"}"# + "\n"),
    Case(
      arguments: ["decide", "--config", "configurations/portal", "-"],
      line: #"{"call":"ForgetViewer","parameters":{"viewer":"E"}}"#,
      answer: #"{"error":"org.webviewguard.Guard.UnknownViewer","parameters":{"viewer":"E"}}"# + "\n"),
  ]

  @Test(arguments: cases) func answersALineBeforeTheNextOneComes(_ test: Case) throws {
    let talk = try Conversation(test.arguments)
    for _ in 0..<3 {
      talk.say(test.line + "\n")
      #expect(talk.hear(test.answer.utf8.count) == test.answer)
    }
    #expect(talk.end() == 0)
  }

  @Test func aMillionBytesInOneLineAreOneLine() throws {
    let talk = try Conversation(["classify", "--rules", "failing.yaml", "-"])
    let url = "https://www.contoso.com/" + String(repeating: "a", count: 1_000_000)
    let answer = "external\tinvalidURL\t\(url)\n"
    talk.say(url + "\n")
    #expect(talk.hear(answer.utf8.count) == answer)
    #expect(talk.end() == 0)
  }

  @Test func aLineWithoutAnEndIsRefused() throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let run = try CommandRun(
      ["url", "-"], input: [UInt8](repeating: 0x61, count: 9 << 20), in: CommandScript.directory, temporary: temporary)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("error: line 1 of the input is longer than "))
  }

  @Test func aFullDiskIsAnError() throws {
    let process = try ChildProcess(
      BuiltProgram.path, ["url", "https://www.contoso.com/"], in: CommandScript.directory
    ) { actions in
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/full", O_WRONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    #expect(process.wait() == 2)
  }
}

/// A program that is talked to through pipes. They have names, so that no other program started meanwhile inherits them.
private struct Conversation {
  private let process: ChildProcess
  private let input: Int32
  private let output: Int32

  init(_ arguments: [String]) throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let pipes = [temporary + "/in", temporary + "/out"]
    for pipe in pipes where mkfifo(pipe, 0o600) != 0 { throw ScriptError(description: "cannot make a pipe") }
    // Opened for both, so that opening waits for nobody.
    (input, output) = (open(pipes[0], O_RDWR | O_CLOEXEC), open(pipes[1], O_RDWR | O_CLOEXEC))
    process = try ChildProcess(BuiltProgram.path, arguments, in: CommandScript.directory) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, pipes[0], O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, pipes[1], O_WRONLY, 0)
    }
  }

  func say(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The next so many bytes; fewer when they do not come within ten seconds.
  func hear(_ count: Int) -> String {
    var heard: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    while heard.count < count, poll(&request, 1, 10_000) == 1 {
      let received = buffer.withUnsafeMutableBytes { read(output, $0.baseAddress, min($0.count, count - heard.count)) }
      guard received > 0 else { break }
      heard += buffer[..<received]
    }
    return String(decoding: heard, as: UTF8.self)
  }

  /// Ends its input; returns its exit status.
  func end() -> Int32 {
    close(input)
    defer { close(output) }
    return process.wait()
  }
}
