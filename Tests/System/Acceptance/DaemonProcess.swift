import Foundation
import JSONText
import TestSupport

/// The real daemon, as a process of its own, on a configuration made for one test.
///
///     let daemon = try DaemonProcess(["webviewguard.yaml": "", "policy.d/policy.yaml": policy])
///     let app = try daemon.connect()
final class DaemonProcess {
  let directory: URL
  private var process = Process()
  private let arguments: [String]
  /// What the daemon finds in its environment beside this process's own.
  private let environment: [String: String]

  var guardSocket: String { directory.appendingPathComponent("run/guard.sock").path }
  var adminSocket: String { directory.appendingPathComponent("run/admin.sock").path }
  var logFile: URL { directory.appendingPathComponent("log/decisions.jsonl") }
  var stateDirectory: URL { directory.appendingPathComponent("state") }
  /// What the daemon said on standard error.
  var messages: URL { directory.appendingPathComponent("messages") }
  var pid: Int32 { process.processIdentifier }

  /// Writes the files of a configuration, starts the daemon on them and waits until it serves. With `logOf` it goes on
  /// with the log of a daemon that is gone.
  init(
    _ files: [String: String], arguments: [String] = [], logOf earlier: DaemonProcess? = nil,
    hangUpWhileStarting: Bool = false, environment: [String: String] = [:]
  ) throws {
    self.arguments = arguments
    self.environment = environment
    directory = URL(fileURLWithPath: "/tmp/wvg-\(UInt32.random(in: 0 ... .max))")
    for name in ["configuration/policy.d", "configuration/rules", "run", "log"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    for (name, text) in files { try write(text, to: name) }
    if let earlier {
      try FileManager.default.removeItem(at: logFile.deletingLastPathComponent())
      try FileManager.default.copyItem(
        at: earlier.logFile.deletingLastPathComponent(), to: logFile.deletingLastPathComponent())
    }
    try Data().write(to: messages)
    try start()
    if hangUpWhileStarting { try hangUpWhenBound() }
    try waitUntilServing()
  }

  private func start() throws {
    process.executableURL = try BuiltProgram.url
    process.arguments =
      [
        "serve", "--config", directory.appendingPathComponent("configuration").path,
        "--socket-dir", directory.appendingPathComponent("run").path,
        "--log-dir", directory.appendingPathComponent("log").path,
      ] + (arguments.contains("--without-state") ? [] : ["--state-dir", stateDirectory.path]) + arguments
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    let said = try FileHandle(forWritingTo: messages)
    try said.seekToEnd()
    process.standardError = said
    process.standardOutput = FileHandle.nullDevice
    try process.run()
  }

  /// Starts a daemon that is gone again, on everything that it left.
  func startAgain() throws {
    process = Process()
    try start()
    try waitUntilServing()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Replaces a file of the configuration; the daemon notices nothing until it reloads.
  func write(_ text: String, to name: String) throws {
    let file = directory.appendingPathComponent("configuration/" + name)
    try Data(text.utf8).write(to: file)
  }

  func connect() throws -> VarlinkPeer { try VarlinkPeer(path: guardSocket) }

  func connectAsAdministrator() throws -> VarlinkPeer { try VarlinkPeer(path: adminSocket) }

  /// Ends the daemon as a service manager does; returns what it said on standard error.
  @discardableResult
  func stop() -> String {
    if process.isRunning {
      process.terminate()
      process.waitUntilExit()
    }
    return (try? String(contentsOf: messages, encoding: .utf8)) ?? ""
  }

  /// Ends it as a crash does.
  func kill() {
    Foundation.kill(pid, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks for a reload without waiting for it.
  func hangUp() { Foundation.kill(pid, SIGHUP) }

  var exitStatus: Int32 { process.terminationStatus }

  /// Stands for a full disk: files may not grow beyond this many bytes, or as far as they like.
  func limitFiles(toBytes bytes: UInt64?) throws {
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    tool.arguments = ["--pid", "\(pid)", "--fsize=\(bytes.map { "\($0)" } ?? "unlimited"):unlimited"]
    try tool.run()
    tool.waitUntilExit()
    guard tool.terminationStatus == 0 else { throw DaemonFailure(text: "prlimit: \(tool.terminationStatus)") }
  }

  /// Sends a hang-up at the first moment at which a service manager could.
  private func hangUpWhenBound() throws {
    let deadline = Date(timeIntervalSinceNow: 240)
    while !FileManager.default.fileExists(atPath: guardSocket), Date() < deadline { usleep(100) }
    hangUp()
  }

  /// Every record of the log so far.
  func records() throws -> [JSONTree] {
    // At midnight, which a test's clock may pass, another file begins.
    let directory = logFile.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let earlier = names.filter { $0.hasPrefix("decisions-") && $0.hasSuffix(".jsonl") }.sorted()
    return try (earlier + [logFile.lastPathComponent]).flatMap { name in
      let text = try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONTree(parsing: String($0)) }
    }
  }

  private func waitUntilServing() throws {
    let deadline = Date(timeIntervalSinceNow: 240)
    while Date() < deadline {
      if let peer = try? VarlinkPeer(path: adminSocket), (try? peer.call("org.webviewguard.Admin.Status")) != nil,
        (try? VarlinkPeer(path: guardSocket)) != nil
      {
        return
      }
      guard process.isRunning else { break }
      usleep(5_000)
    }
    throw DaemonFailure(text: "the daemon does not serve: " + stop())
  }
}

struct DaemonFailure: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
