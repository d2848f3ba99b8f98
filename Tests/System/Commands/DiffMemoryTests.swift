import Glibc
import TestSupport
import Testing

/// `diff` keeps a bounded part of what it reads.
@Suite struct DiffMemoryTests {
  private static let arguments = [
    "diff", "configurations/portal/rules/documents.yaml", "configurations/portal-next/rules/documents.yaml", "--urls",
    "-", "--examples", "100",
  ]
  /// What it may need for 30 MB more of input, in KiB: hosts and a hundred cut examples, not the URLs.
  private static let maximumGrowth = 4 << 10

  @Test func memoryDoesNotGrowWithTheInput() throws {
    let temporary = try TextFile.makeTemporaryDirectory()
    defer { TextFile.remove(temporary) }
    let pipe = temporary + "/urls"
    guard mkfifo(pipe, 0o600) == 0 else { throw ScriptError(description: "cannot make a pipe") }
    // Opened for both, so that opening waits for nobody.
    let input = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    let process = try ChildProcess(BuiltProgram.path, Self.arguments, in: CommandScript.directory) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, temporary + "/report", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    try Self.write(0..<200, to: input)
    let few = try Self.peak(of: process)
    try Self.write(200..<1_700, to: input)
    let many = try Self.peak(of: process)
    close(input)
    #expect(process.wait() == 1)
    let report = try TextFile.read(temporary + "/report")
    #expect(report.contains("\n1700 URLs under 1 rule set: 1700 changed, 0 invalid\n"))
    #expect(many - few < Self.maximumGrowth, "\(few) KiB after 4 MB of URLs, \(many) KiB after 34 MB")
  }

  /// Every URL changes, is long, and has a host of its own.
  private static func write(_ numbers: Range<Int>, to pipe: Int32) throws {
    let tail = [UInt8](repeating: 0x61, count: 20_000) + [0x0A]
    for number in numbers {
      var rest = (Array("https://h\(number).dropbox.example/".utf8) + tail)[...]
      while !rest.isEmpty {
        var request = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
        guard poll(&request, 1, 10_000) == 1 else { throw ScriptError(description: "nobody reads") }
        let count = rest.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
        guard count > 0 || errno == EAGAIN else { throw ScriptError(description: "cannot write") }
        rest = rest.dropFirst(max(0, count))
      }
    }
  }

  /// The most memory that it had so far, in KiB. What `wait4` tells begins with the memory of these tests.
  private static func peak(of process: ChildProcess) throws -> Int {
    let status = try TextFile.read("/proc/\(process.id)/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
      throw ScriptError(description: "the system does not tell how much memory it has")
    }
    return number
  }
}
