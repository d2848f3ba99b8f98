internal import Glibc
internal import JSONText

/// The explicit rules for a class, written by `webviewguard export` in a process of its own: reading a policy with long
/// lists takes longer than a question may wait.
final class RuleExport {
  /// What the extension called its question.
  let id: JSONTree
  /// Where the rules arrive.
  let watched: Int32
  private let process: pid_t
  private var text: [UInt8] = []
  private var isTooLong = false

  private static let mostBytes = 64 << 20

  /// Nil when the program cannot be started.
  init?(id: JSONTree, arguments: [String]) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let process = ChildProgram.spawn(["/proc/self/exe"] + arguments, &actions, &attributes)
    close(ends[1])
    guard let process else {
      close(ends[0])
      return nil
    }
    self.id = id
    self.process = process
    watched = ends[0]
  }

  deinit {
    close(watched)
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Takes in what arrived; true at the end.
  func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = chunk.withUnsafeMutableBytes { read(watched, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { return false }
    guard count > 0 else { return true }
    if text.count + count > Self.mostBytes { isTooLong = true } else { text += chunk[..<count] }
    return isTooLong
  }

  /// The replies: so many rules in each that it stays below a browser's limit.
  func replies() -> [JSONTree] {
    guard !isTooLong, let tree = try? JSONTree(parsing: text.span, maximumLength: Self.mostBytes),
      let rules = tree.array ?? tree["rules"]?.array
    else { return [NativeRefusal.rulesUnavailable("the policy cannot be read, or exported").reply(to: id)] }
    let parts = Self.parts(rules)
    return parts.enumerated().map { index, part in
      ["id": id, "part": .int(Int64(index)), "parts": .int(Int64(parts.count)), "rules": .array(part)]
    }
  }

  /// At least one part, though it be empty.
  private static func parts(_ rules: [JSONTree]) -> [[JSONTree]] {
    var parts: [[JSONTree]] = [[]]
    var length = 0
    for rule in rules {
      let own = rule.text().utf8.count + 1
      if length + own > NativeMessageOutput.maximumLength / 2 {
        parts.append([])
        length = 0
      }
      parts[parts.count - 1].append(rule)
      length += own
    }
    return parts
  }
}
