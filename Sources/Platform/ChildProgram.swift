internal import Glibc

/// Starts other programs, found along `PATH`. Processes are named by their number.
package enum ChildProgram {
  /// `POSIX_SPAWN_SETSID` of glibc's spawn.h, which Glibc's module does not show.
  private static let newSession: Int16 = 0x80

  /// Starts a program without standard input, whose standard output the caller reads. Nil when it cannot be started.
  package static func startReading(
    _ command: [String], hidesErrors: Bool = false
  ) -> (process: Int32, output: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawn(command) { actions in
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
      if hidesErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
    }
    close(ends[1])
    if process == nil { close(ends[0]) }
    return process.map { ($0, ends[0]) }
  }

  /// Reads the output until its end and closes it; nil when it is longer than `most` bytes.
  package static func readAll(_ output: Int32, most: Int) -> [UInt8]? {
    defer { close(output) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Stream.read(output, into: &chunk)
      guard count > 0 else { return text }
      guard text.count + count <= most else { return nil }
      text += chunk[..<count]
    }
  }

  /// Starts a program in a session of its own and away from our streams, so that it outlives us and our terminal.
  package static func startApart(_ command: [String]) -> Int32? {
    spawn(command, flags: newSession) { actions in
      for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
    }
  }

  private static func spawn(
    _ command: [String], flags: Int16 = 0, _ prepare: (inout posix_spawn_file_actions_t) -> Void
  ) -> pid_t? {
    guard let program = command.first else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, flags)
    let arguments = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, program, &actions, &attributes, arguments + [nil], environ)
    return failure == 0 ? process : nil
  }
}
