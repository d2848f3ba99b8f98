internal import Glibc
internal import JSONText

/// What recent decisions offer to open, and the programs that were started for it.
///
/// A program is started by the id of a decision only: which program, and with which URL, is what the policy said. Each
/// decision opens once, so that a page that asks again and again opens nothing more.
struct OfferedPrograms {
  private var offers: [(decision: String, offer: JSONTree)] = []
  private var running: [pid_t] = []

  private static let most = 256
  /// `POSIX_SPAWN_SETSID` of glibc's spawn.h, which Glibc's module does not show.
  private static let newSession: Int16 = 0x80

  /// Keeps what a decision offers.
  mutating func keep(_ decision: JSONTree) {
    guard let id = decision["id"]?.string, !id.isEmpty, let offer = decision["open"], decision["repeat"]?.bool != true
    else { return }
    if offers.count >= Self.most { offers.removeFirst() }
    offers.append((id, offer))
  }

  /// Starts what the decision offers, or the best of its fallbacks that can be started.
  mutating func open(_ decision: String) throws(NativeRefusal) {
    reap()
    guard let index = offers.firstIndex(where: { $0.decision == decision }) else { throw .nothingToOpen }
    let offer = offers.remove(at: index).offer
    let choices = [offer] + (offer["fallback"]?.array ?? [])
    for choice in choices {
      guard let process = Self.command(choice).flatMap(Self.start) else { continue }
      return running.append(process)
    }
    throw .cannotOpen("none of the programs that the policy offers could be started")
  }

  /// The command of the policy; else the desktop's way to start a desktop file, or the handler of a scheme.
  private static func command(_ offer: JSONTree) -> [String]? {
    let argv = offer["argv"]?.array?.compactMap(\.string) ?? []
    if !argv.isEmpty { return argv }
    guard let url = offer["url"]?.string else { return nil }
    guard let desktopFile = offer["desktopId"]?.string else { return ["xdg-open", url] }
    let suffix = ".desktop"
    return [
      "gtk-launch", desktopFile.hasSuffix(suffix) ? String(desktopFile.dropLast(suffix.count)) : desktopFile, url,
    ]
  }

  /// In a session of its own, so that it outlives the browser, and away from our standard output.
  private static func start(_ command: [String]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Self.newSession)
    return ChildProgram.spawn(command, &actions, &attributes)
  }

  /// Takes leave of programs that have ended.
  private mutating func reap() {
    running.removeAll { waitpid($0, nil, WNOHANG) != 0 }
  }
}

/// Starting a program that is found along `PATH`.
enum ChildProgram {
  static func spawn(
    _ command: [String], _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
  ) -> pid_t? {
    guard let program = command.first else { return nil }
    let arguments = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, program, &actions, &attributes, arguments + [nil], environ)
    return failure == 0 ? process : nil
  }
}
