import Glibc
import TestSupport

/// One run of the built program: what it was given, and what came of it.
struct CommandRun {
  let output: String
  let errors: String
  let status: Int32

  /// Runs the program to its end. Input and output are files in `temporary`, so that neither waits.
  init(
    _ arguments: [String], environment: [String] = [], input: [UInt8] = [], in directory: String, temporary: String
  ) throws {
    let names = ["stdin", "stdout", "stderr"].map { temporary + "/." + $0 }
    try TextFile.write(input, to: names[0])
    let process = try ChildProcess(BuiltProgram.path, arguments, environment: environment, in: directory) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, names[0], O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, names[1], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      posix_spawn_file_actions_addopen(&actions, 2, names[2], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    status = process.wait()
    output = try TextFile.read(names[1])
    errors = try TextFile.read(names[2])
  }
}

/// A program that runs, in a directory of its own; `env` takes it there.
struct ChildProcess {
  let id: pid_t

  init(
    _ program: String, _ arguments: [String], environment: [String] = [], in directory: String,
    _ redirect: (inout posix_spawn_file_actions_t) -> Void = { _ in }
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    var id: pid_t = 0
    let result = Self.withCStrings(["env", "-C", directory, program] + arguments) { argv in
      Self.withCStrings(["PATH=/usr/bin:/bin"] + environment) {
        posix_spawn(&id, "/usr/bin/env", &actions, nil, argv, $0)
      }
    }
    guard result == 0 else { throw ScriptError(description: "cannot run `\(program)`: error \(result)") }
    self.id = id
  }

  /// Waits for its end; returns its exit status, or 128 and the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}

/// Small files, whole.
enum TextFile {
  static func read(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ScriptError(description: "cannot read `\(path)`") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ScriptError(description: "cannot write `\(path)`") }
    defer { close(descriptor) }
    let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw ScriptError(description: "cannot write `\(path)`") }
  }

  /// A new directory that nothing else uses.
  static func makeTemporaryDirectory() throws -> String {
    var template = Array("/tmp/webviewguard-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { throw ScriptError(description: "cannot make a directory") }
    return String(cString: path)
  }

  /// Removes a directory and what is in it.
  static func remove(_ directory: String) {
    _ = try? ChildProcess("/bin/rm", ["-rf", directory], in: "/").wait()
  }
}
