internal import Glibc
internal import Platform

/// The programs that keep directories, found along `PATH`.
package struct VaultPrograms: Sendable {
  package var gocryptfs = "gocryptfs"

  /// Looks at a program so often, and waits so long between: twenty seconds in all, in which nothing else is opened or
  /// closed.
  private static let looks = 2000
  private static let pause: UInt32 = 10_000

  package init() {}

  /// Makes the files of an empty encrypted directory.
  func create(_ directory: String, password: String) throws(DirectoryFault) {
    // The password is 256 random bits: work to guess it slower is lost.
    let command = [gocryptfs, "-init", "-q", "-nosyslog", "-scryptn", "10", "-passfile", "/dev/stdin", "--", directory]
    let process = try start(command, password)
    let status = try wait(for: process) { ChildProgram.status(of: process) }
    guard status == 0 else { throw .program(gocryptfs, status: status) }
  }

  /// Mounts it, and returns when it can be used.
  func mount(_ directory: String, at point: MountPoint, password: String) throws(DirectoryFault) {
    // All users, within the rights of each file: its own user is the one who may enter.
    let command = [
      gocryptfs, "-fg", "-q", "-nosyslog", "-allow_other", "-nodev", "-nosuid", "-passfile", "/dev/stdin", "--",
      directory,
      point.path,
    ]
    let process = try start(command, password)
    try wait(for: process) { () throws(DirectoryFault) in
      if let status = ChildProgram.status(of: process) { throw .program(gocryptfs, status: status) }
      return try point.isServed ? () : nil
    }
  }

  /// Looks until there is an answer; ends a program that takes too long.
  private func wait<Answer>(
    for process: Int32, _ look: () throws(DirectoryFault) -> Answer?
  ) throws(DirectoryFault) -> Answer {
    for _ in 0..<Self.looks {
      if let answer = try look() { return answer }
      usleep(Self.pause)
    }
    kill(process, SIGKILL)
    _ = ChildProgram.status(of: process, waits: true)
    throw .program(gocryptfs, status: -1)
  }

  private func start(_ command: [String], _ password: String) throws(DirectoryFault) -> Int32 {
    guard let process = ChildProgram.startTelling(command, password + "\n") else {
      throw .unable(.gocryptfs, hint: DirectoryWays.gocryptfsHint)
    }
    return process
  }

  /// Runs a program to its end; its status, or -1 where it cannot be started.
  func run(_ command: [String]) -> Int32 {
    guard let process = ChildProgram.startTelling(command, "") else { return -1 }
    return ChildProgram.status(of: process, waits: true) ?? -1
  }

  /// Takes note of programs that have ended, so that the system forgets them.
  package static func reap() { while waitpid(-1, nil, WNOHANG) > 0 {} }
}
