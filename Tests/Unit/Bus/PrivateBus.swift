import Glibc
import Platform
import TestSupport

/// A message bus of a test's own, with a peer on it; both end with it.
final class PrivateBus {
  let address: String
  private var processes: [Int32] = []
  private let directory: String

  /// True where dbus-daemon is installed, and dbus and gi for Python; and in CI, where their absence is a failure.
  static let isExpected =
    run(["dbus-daemon", "--version"]) && run(["/usr/bin/python3", "-c", "import dbus, gi"])
    || getenv("CI").map { String(cString: $0) } == "true"

  init() throws {
    directory = try Self.makeDirectory()
    address = "unix:path=\(directory)/bus"
    try start(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", "--address=\(address)"])
    try start(["/usr/bin/python3", Self.script, "peer", address])
  }

  /// A program in the place of a bus; see bus_peer.py.
  init(noBus mode: String) throws {
    directory = try Self.makeDirectory()
    address = "unix:path=\(directory)/bus"
    try start(["/usr/bin/python3", Self.script, "bus", mode, "\(directory)/bus"])
  }

  deinit {
    for process in processes {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    unlink("\(directory)/bus")
    rmdir(directory)
  }

  /// Ends the bus, or the program in its place.
  func endBus() { kill(processes[0], SIGKILL) }

  private static let script = Repository.root + "/Tests/Support/python/bus_peer.py"

  private static func makeDirectory() throws -> String {
    var template = Array("/tmp/webviewguard-bus-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw TestFailure("no directory: \(errno)") }
    return String(cString: made)
  }

  /// Starts a program and waits for its first line.
  private func start(_ command: [String]) throws {
    guard let started = ChildProgram.startReading(command) else { throw TestFailure("\(command[0]) does not start") }
    processes.append(started.process)
    var byte = [UInt8](repeating: 0, count: 1)
    while Stream.read(started.output, into: &byte) == 1 { if byte[0] == UInt8(ascii: "\n") { return } }
    throw TestFailure("\(command) ended")
  }

  private static func run(_ command: [String]) -> Bool {
    guard let started = ChildProgram.startReading(command, hidesErrors: true) else { return false }
    _ = ChildProgram.readAll(started.output, most: 1 << 16)
    var status: Int32 = 0
    waitpid(started.process, &status, 0)
    return status == 0
  }
}
