internal import Glibc

/// Users and groups of the machine, from its name service. Each answer may take a while: ask on threads that may block.
///
/// Trap: a directory service that is down answers like one that does not know the name.
package enum Users {
  /// The number of a user; nil when the system has none of that name.
  package static func uid(ofUser name: String) -> UInt32? {
    look(passwd(), { getpwnam_r(name, $0, $1, $2, $3) }, { $0.pw_uid }).found
  }

  /// The number of a group; nil when the system has none of that name.
  package static func gid(ofGroup name: String) -> UInt32? {
    look(group(), { getgrnam_r(name, $0, $1, $2, $3) }, { $0.gr_gid }).found
  }

  /// The user's name; nil when the system has none.
  package static func name(ofUser uid: UInt32) -> String? {
    look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } }).found
  }

  /// The answer of the user database about a user's name.
  package enum Naming: Sendable, Hashable {
    case named(String)
    /// It has no such user.
    case unknown
    /// It does not answer.
    case unavailable
  }

  /// The user's name, where it matters whether the database answered at all.
  package static func naming(ofUser uid: UInt32) -> Naming {
    let answer = look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_name.map { String(cString: $0) } })
    if let name = answer.found { return .named(name) }
    // Some databases say so by an error.
    return [0, ENOENT, ESRCH].contains(answer.error) ? .unknown : .unavailable
  }

  /// The group's name; its number where it has none.
  package static func name(ofGroup gid: UInt32) -> String {
    look(group(), { getgrgid_r(gid, $0, $1, $2, $3) }, { $0.gr_name.map { String(cString: $0) } }).found ?? String(gid)
  }

  /// The primary group of a user; nil when the system does not know the user.
  package static func gid(ofUser uid: UInt32) -> UInt32? {
    look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_gid }).found
  }

  /// The home of a user, without a `/` at its end; nil when the system does not know the user, or its home is no absolute
  /// path or `/`.
  package static func home(ofUser uid: UInt32) -> String? {
    let found = look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_dir.map { String(cString: $0) } }).found
    guard var home = found.flatMap(\.self), home.hasPrefix("/") else { return nil }
    while home.hasSuffix("/") { home.removeLast() }
    return home.isEmpty ? nil : home
  }

  /// Whether the system has a user of this number; nil when its database does not answer.
  package static func isUser(_ uid: UInt32) -> Bool? {
    let answer = look(passwd(), { getpwuid_r(uid, $0, $1, $2, $3) }, { $0.pw_uid })
    if answer.found != nil { return true }
    // Some databases say so by an error.
    return [0, ENOENT, ESRCH].contains(answer.error) ? false : nil
  }

  /// Maximum memory for one entry: a group of some ten thousand members.
  private static let maximumBuffer = 4 << 20

  /// Asks with more and more room for the entry, until it fits.
  private static func look<Entry, Found>(
    _ blank: Entry,
    _ ask: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> Int32,
    _ take: (Entry) -> Found?
  ) -> (found: Found?, error: Int32) {
    var size = 4096
    while size <= maximumBuffer {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      var entry = blank
      var result: UnsafeMutablePointer<Entry>?
      let error = ask(&entry, buffer, size, &result)
      if error != ERANGE { return (result == nil ? nil : take(entry), error) }
      size *= 4
    }
    return (nil, ERANGE)
  }
}

/// The clocks of the machine.
package enum SystemClock {
  /// Milliseconds since 1970, by the clock that people and programs set.
  package static var milliseconds: UInt64 { UInt64(max(0, wall)) / 1_000_000 }

  /// Nanoseconds since 1970, by the same clock.
  package static var wall: Int64 { nanoseconds(CLOCK_REALTIME) }

  /// Nanoseconds of a clock that cannot be set: for durations and deadlines only.
  package static var monotonic: Int64 { nanoseconds(CLOCK_MONOTONIC) }

  package static var monotonicMicroseconds: UInt64 { UInt64(monotonic) / 1000 }

  package static var monotonicMilliseconds: Int64 { monotonic / 1_000_000 }

  /// Milliseconds since the boot, with those that the machine slept: this clock cannot be set.
  package static var uptime: UInt64 { UInt64(nanoseconds(CLOCK_BOOTTIME)) / 1_000_000 }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

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

  /// Starts a program in a session of its own that reads a text from its standard input, at most a pipe's 64 KiB. It writes
  /// errors where we do, and nothing else. Nil when it cannot be started.
  package static func startTelling(_ command: [String], _ text: String) -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { for end in ends { close(end) } }
    // It is in the pipe before anybody reads: a program that ends at once breaks nothing.
    guard Stream.write(text.utf8.span, to: ends[1]) else { return nil }
    return spawn(command, flags: newSession) { actions in
      posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
  }

  /// The exit status of a program that we started, once: nil while it runs, or when we did not start it. A signal that ended
  /// it counts as 128 and its number.
  package static func status(of process: Int32, waits: Bool = false) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, waits ? 0 : WNOHANG) != process {
      guard waits, errno == EINTR else { return nil }
    }
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
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
