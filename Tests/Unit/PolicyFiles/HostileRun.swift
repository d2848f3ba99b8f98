import Foundation
import Glibc
import TestSupport

/// One run of the built program in a directory of its own, and what it took.
struct HostileRun {
  let status: Int32
  /// Standard output, then standard error.
  let output: String
  /// Processor time, as a multiple of the yardstick's loop beside it.
  let cost: Double
  /// The most memory that was resident at one time.
  let mebibytes: Int

  /// A run that takes longer is ended.
  private static let deadline = 300.0

  /// Runs the program with `files` beside it, which are written by name.
  init(_ arguments: [String], files: [HostileFile]) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "webviewguard-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    for file in files { try file.write(into: directory) }
    let output = directory.appending(path: ".output")
    let program = try BuiltProgram.url.path
    let id = try Self.start(["env", "-C", directory.path, program] + arguments, output: output.path)
    let began = Date()
    var usage = rusage()
    var status: Int32 = 0
    var peak = 0
    while wait4(id, &status, WNOHANG, &usage) == 0 {
      peak = max(peak, Self.peak(of: id))
      if Date().timeIntervalSince(began) > Self.deadline { kill(id, SIGKILL) }
      usleep(500)
    }
    let signal = status & 0x7F
    self.status = signal == 0 ? status >> 8 & 0xFF : 128 + signal
    cost = (Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)) / Yardstick.seconds()
    mebibytes = peak / 1024
    self.output = String(decoding: try Data(contentsOf: output), as: UTF8.self)
  }

  private static func start(_ arguments: [String], output: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let texts = arguments.map { strdup($0) }
    defer { for text in texts { free(text) } }
    var id: pid_t = 0
    let result = posix_spawn(&id, "/usr/bin/env", &actions, nil, texts + [nil], [nil])
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    return id
  }

  /// The most memory that the process had so far, in KiB; 0 when it is over. What `wait4` tells of memory is no use: it
  /// begins with that of these tests.
  private static func peak(of id: pid_t) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}

/// A file that somebody made to do harm.
struct HostileFile: Sendable {
  var name: String
  var bytes: @Sendable () -> Data

  /// Made when it is written, so that what is large is not there all the time.
  init(_ name: String, _ text: @escaping @Sendable () -> String) {
    self.name = name
    bytes = { Data(text().utf8) }
  }

  init(_ name: String, bytes: @escaping @Sendable () -> Data) {
    self.name = name
    self.bytes = bytes
  }

  func write(into directory: URL) throws {
    let file = directory.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes().write(to: file)
  }
}
