import Foundation
import JSONText
import TestSupport
import Testing

/// `reload --wait`, as a service manager calls it: the exit status tells.
@Suite struct ReloadCommandTests {
  private func command(_ arguments: [String], socketDirectory: String) throws -> Process {
    let process = Process()
    process.executableURL = try BuiltProgram.url
    process.arguments = arguments + ["--socket-dir", socketDirectory]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func status(of process: Process) -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func theExitStatusTells() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let sockets = daemon.directory.appendingPathComponent("run").path
    let wait = ["reload", "--wait"]
    #expect(try status(of: command(wait, socketDirectory: sockets)) == 0)
    try daemon.writeRules(ReloadPolicy.broken)
    #expect(try status(of: command(wait, socketDirectory: sockets)) == 1)
    #expect(try status(of: command(["reload", "--preview", "--wait"], socketDirectory: sockets)) == 2)
    daemon.stop()
    #expect(try status(of: command(wait + ["--timeout", "1"], socketDirectory: sockets)) == 2)
    #expect(try status(of: command(["reload"], socketDirectory: sockets)) == 2)
  }

  /// The command was started before the daemon was.
  @Test func itWaitsForADaemonThatIsStarting() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    daemon.stop()
    let sockets = daemon.directory.appendingPathComponent("run").path
    let command = try command(["reload", "--wait"], socketDirectory: sockets)
    usleep(200_000)
    #expect(command.isRunning)
    try daemon.startAgain()
    #expect(status(of: command) == 0)
  }

  /// A daemon that is stopped in the middle answers nobody.
  @Test func itDoesNotWaitForEver() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let sockets = daemon.directory.appendingPathComponent("run").path
    Foundation.kill(daemon.pid, SIGSTOP)
    defer { Foundation.kill(daemon.pid, SIGCONT) }
    #expect(try status(of: command(["reload", "--wait", "--timeout", "1"], socketDirectory: sockets)) == 2)
  }
}
